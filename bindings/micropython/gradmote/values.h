/* Arguments and results: numbers, texts and arrays between Python and C. */
#ifndef VALUES_H
#define VALUES_H

#include "session.h"

/* Returns the session of an object. Raises GradmoteError if it is closed. */
session_obj *opened(mp_obj_t self);

/* Returns a new block of the collector's heap. Raises MemoryError if there is no room. */
void *allocate(size_t size);

/* Returns a number from 0 to 2^32 - 1. Raises DataError for any other value. */
uint32_t u32_of(mp_obj_t value);

/* Returns a zero-terminated text. It belongs to the object, which must stay alive. */
const char *text_of(mp_obj_t value);

/* Returns a memoryview of a part of the arena, with elements of a dtype. */
mp_obj_t new_view(session_obj *self, void *data, uint32_t size, uint32_t dtype);

/* As new_view(), but of a copy in its own block. */
mp_obj_t new_copy(const void *data, uint32_t size, uint32_t dtype);

/* Returns the only optional argument of a method, given by position or name, or NULL. */
mp_obj_t optional(size_t n_args, const mp_obj_t *args, mp_map_t *named, size_t position, qstr name);

/* Stores a value under a name in a dict. */
void store_named(mp_obj_t dict, qstr name, mp_obj_t value);

/* Returns the kind of a program by its name. Raises GradmoteError if there is none. */
uint32_t program_of(mp_obj_t name);

#endif
