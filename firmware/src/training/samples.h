/* Inputs and labels for the next runs, written to their addresses in the arena. A program
 * overwrites them only if the image has them in its scratch memory. */
#ifndef SAMPLES_H
#define SAMPLES_H

#include <stdint.h>

#include "gradmote.h"

/* Zero-initialize. */
typedef struct samples {
    uint32_t written; /* a bit for each tensor with data: index, + 16 for labels */
} samples;

/* The functions below return 0, a gm_error or a console_error. index: the tensor's number among
 * those of its role, as in gm_write(). */

/* Copies `count` bytes into a tensor, `offset` bytes from its start. */
int samples_write(samples *s, const gm_session *session, uint32_t role, uint32_t index, uint32_t offset,
                  const uint8_t *data, uint32_t count);

/* Gets the address and size in bytes of a whole tensor, which then counts as written. */
int samples_address(samples *s, const gm_session *session, uint32_t role, uint32_t index, void **data, uint32_t *size);

typedef struct u8_scale {
    float scale;
    float zero;
} u8_scale;

/* Returns the size in bytes of an element of this gm_dtype. */
uint32_t samples_element_size(uint32_t dtype);

/* Writes elements: x[element + i] = (data[i] - zero) * scale into an f32 tensor, data[i] into an
 * integer tensor, and its bits into an i8 tensor. */
int samples_write_u8(samples *s, const gm_session *session, uint32_t role, uint32_t index, uint32_t element,
                     u8_scale map, const uint8_t *data, uint32_t count);

/* Returns CONSOLE_ERR_NO_SAMPLES if a tensor that `program` reads has no data, else 0. */
int samples_check(const samples *s, const gm_session *session, uint32_t program);

/* Returns whether the first input has data. */
int samples_has_input(const samples *s);

/* Records that labels of the store have replaced the received ones. */
void samples_lose_labels(samples *s);

/* Records that a program runs, which may overwrite the tensors in its scratch memory. */
void samples_use(samples *s, const gm_session *session);

#endif
