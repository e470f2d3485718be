/* The class Session, and what its methods share. */
#ifndef SESSION_H
#define SESSION_H

#include "form.h"
#include "gradmote.h"

#include "../generated/dtypes.h"

#define ARENA_ALIGNMENT 16u

/* Floats that steps return are made before they are needed, so many at a time. */
#define RESULTS 128u

typedef struct result {
    mp_obj_base_t base;
    union {
        mp_float_t value;    /* once it was returned */
        struct result *next; /* while it waits */
    } as;
} result;

typedef struct session_obj {
    mp_obj_base_t base;
    mp_obj_t image;     /* keeps the image's bytes alive */
    uint8_t *memory;    /* the block that the arena lies in, at whose start the collector finds it */
    uint32_t arena_size;
    uint8_t is_open;
    uint8_t is_torn;    /* 1: an exception broke the loading of a checkpoint off */
    uint32_t given;     /* bit of each input, then label: it holds data for the next run */
    result *results;    /* floats that wait */
    result *last;       /* that was returned last */
    gm_requirements needs;
    gm_session session;
#if WITH_REST
    uint32_t round;         /* of federated learning */
    uint8_t *base_of_round; /* parameters, which the collector finds here; NULL: the image's initial ones */
#endif
} session_obj;

extern module_type session_type;
extern module_type error_type, data_error_type, fault_type;

/* ---- Errors (errors.c) ------------------------------------------------------------------------ */

/* Raises GradmoteError. */
NORETURN void raise_error(const char *message, const char *hint);

/* Raises DataError. */
NORETURN void raise_data_error(const char *message, const char *hint);

/* Raises RuntimeFault for a negative code. where: the call or the tensor. */
void check(int code, const char *where);

/* ---- The session (session.c) ------------------------------------------------------------------ */

/* Returns the session behind an object. Raises GradmoteError where it is closed. */
session_obj *opened(mp_obj_t self);

/* Returns a number of 0 to 2^32 - 1. Raises DataError for any other. */
uint32_t u32_of(mp_obj_t value);

/* Returns a zero-terminated text. It is that of the object, which must stay alive. */
const char *text_of(mp_obj_t value);

mp_obj_t new_text(const char *text);

/* Returns the name of the index-th parameter as text: its index where the image has no names. */
mp_obj_t parameter_name(const gm_view *view, uint32_t index);

/* Returns a memoryview of a part of the arena, with elements of a dtype. */
mp_obj_t new_view(session_obj *self, void *data, uint32_t size, uint32_t dtype);

/* The same of a copy, in a block of its own. */
mp_obj_t new_copy(const void *data, uint32_t size, uint32_t dtype);

/* Returns the one argument that a method may be called without, given in its position or by name,
 * or NULL. */
mp_obj_t optional(size_t n_args, const mp_obj_t *args, mp_map_t *named, size_t position, qstr name);

/* Stores a value under a name in a dict. */
void store_named(mp_obj_t dict, qstr name, mp_obj_t value);

/* Returns the kind of a program by its name. Raises GradmoteError where there is none. */
uint32_t program_of(mp_obj_t name);

/* ---- Data (data.c) ---------------------------------------------------------------------------- */

/* Finds the index-th tensor with a role in the programs of a mask; NULL past the last one. */
const gm_tensor *find_tensor(const session_obj *self, uint32_t role, uint32_t programs, uint32_t index);

/* As find_tensor(), of all programs. Raises DataError past the last one. */
const gm_tensor *pick_tensor(const session_obj *self, uint32_t role, mp_obj_t index);

/* Copies arrays into all inputs and, where a program has a loss, all labels. n is 0: the data in
 * the arena are used. Then notes that the program runs. */
void feed_and_begin(session_obj *self, uint32_t program, size_t n, const mp_obj_t *data);

/* Copies one array into an input or label. */
void write_tensor(session_obj *self, uint32_t role, uint32_t index, mp_obj_t data);

/* Copies data of a dtype, exactly `size` bytes of it: of float32 those alone, of integers those of any
 * type that fit, and of both the bytes themselves. */
void copy_elements(void *out, uint32_t size, uint32_t dtype, mp_obj_t data);

/* Notes that an input or label was written, as far as `given` tells it. */
void mark_given(session_obj *self, uint32_t role, uint32_t index);

/* Notes that a run may have overwritten the data that do not last. */
void mark_overwritten(session_obj *self);

/* Raises DataError where the first input was not given since it was overwritten. */
void require_first_input(const session_obj *self);

/* ---- Results (results.c) ---------------------------------------------------------------------- */

/* Makes sure that a float waits; called before a program runs, so that nothing is allocated after
 * it. */
void prepare_result(session_obj *self);

/* Returns the float that waits, with a value. */
mp_obj_t give_result(session_obj *self, float value);

#endif
