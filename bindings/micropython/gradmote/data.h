/* What methods copy into inputs and labels, and which of them wait for data. */
#ifndef DATA_H
#define DATA_H

#include "session.h"

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

#endif
