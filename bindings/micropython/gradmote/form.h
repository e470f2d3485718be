/*
 * The two forms of this module, compiled from the same sources: a user module built into
 * MicroPython (GRADMOTE_NATIVE is 0), and a native .mpy that MicroPython loads (1). They differ
 * only in this header, in the table of module.c, and in libc.c.
 */
#ifndef FORM_H
#define FORM_H

#include <stdint.h>

#ifndef GRADMOTE_NATIVE
#define GRADMOTE_NATIVE 0
#endif

#if GRADMOTE_NATIVE

#include "py/dynruntime.h"

typedef mp_obj_full_type_t module_type;
#define mp_call_method_n_kw(n, kw, args) (mp_fun_table.call_method_n_kw((n), (kw), (args)))
#define OBJECT_IS_STR(o) (mp_obj_get_type(o) == &mp_type_str)
#define TYPE_OF_MEMORYVIEW MP_OBJ_TO_PTR(mp_load_global(MP_QSTR_memoryview))

#else

#include "py/binary.h"
#include "py/gc.h"
#include "py/objarray.h"
#include "py/objstr.h"
#include "py/runtime.h"
#include "py/stream.h"

typedef const mp_obj_type_t module_type;
#define OBJECT_IS_STR(o) mp_obj_is_str(o)
#define TYPE_OF_MEMORYVIEW &mp_type_memoryview

#endif

#include "py/objarray.h"
#include "py/objexcept.h"

#define TYPE_OF(type) ((const mp_obj_type_t *)&(type))

/* Groups of methods. A small native .mpy leaves some out: GRADMOTE_ONLY_CORE leaves out all methods
 * that are not needed for training, inference and checkpoints. */
#ifndef GRADMOTE_ONLY_CORE
#define GRADMOTE_ONLY_CORE 0
#endif
#define WITH_REST (!GRADMOTE_ONLY_CORE)

/* 1: messages describe the error in words. 0: they have only the code, and gradmote_errors.py has
 * the words. */
#define WITH_TEXTS (!GRADMOTE_NATIVE)

#endif
