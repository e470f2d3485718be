/* Arguments and results: numbers, texts and arrays between Python and C. */
#ifndef VALUES_H
#define VALUES_H

#include "session.h"

/* Returns the session behind an object. Raises GradmoteError where it is closed. */
session_obj *opened(mp_obj_t self);

/* Returns a number of 0 to 2^32 - 1. Raises DataError for any other. */
uint32_t u32_of(mp_obj_t value);

/* Returns a zero-terminated text. It is that of the object, which must stay alive. */
const char *text_of(mp_obj_t value);

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

#endif
