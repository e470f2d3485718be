/* Copying into inputs and labels, and which of them wait for data. */
#ifndef DATA_H
#define DATA_H

#include "session.h"

/* Finds the index-th tensor with a role in any program of a mask, or NULL past the last one. */
const gm_tensor *find_tensor(const session_obj *self, uint32_t role, uint32_t programs, uint32_t index);

/* As find_tensor(), in all programs. Raises DataError past the last one. */
const gm_tensor *pick_tensor(const session_obj *self, uint32_t role, mp_obj_t index);

/* Copies arrays into all inputs and, if a program has a loss, all labels. n is 0: uses the data in
 * the arena. Then records that the program runs. */
void feed_and_begin(session_obj *self, uint32_t program, size_t n, const mp_obj_t *data);

/* Copies one array into an input or label: all samples of the batch, or the first ones. */
void write_tensor(session_obj *self, uint32_t role, uint32_t index, mp_obj_t data);

/* Copies data for a dtype, exactly `size` bytes of it. float32 accepts float32 (and doubles, if
 * they are MicroPython's floats), integers accept any integer type that fits, and both accept raw
 * bytes. */
void copy_elements(void *out, uint32_t size, uint32_t dtype, mp_obj_t data);

/* Returns how many samples the inputs and labels of a program have; 0: the whole batch. Raises
 * DataError if they differ. */
uint32_t samples_given(const session_obj *self, uint32_t program);

/* Returns the bytes of so many samples of a tensor; 0: of the whole batch. */
uint32_t size_of_samples(const session_obj *self, const gm_tensor *tensor, uint32_t samples);

/* Records that an input or label was written, as far as `given` covers it. */
void mark_given(session_obj *self, uint32_t role, uint32_t index);

/* The same for all samples of the batch. */
void mark_whole(session_obj *self, uint32_t role, uint32_t index);

/* Returns how many samples of an output the last run has made; 0: the whole batch. */
uint32_t samples_made(const session_obj *self, const gm_tensor *output);

/* Records that a run may have overwritten the data that do not last. */
void mark_overwritten(session_obj *self);

/* Raises DataError if the first input was not given since it was overwritten. */
void require_first_input(const session_obj *self);

#endif
