/* Inputs and labels for the next runs, written to their addresses in the arena. A program
 * overwrites them only if the image puts them into its scratch memory. */
#ifndef SAMPLES_H
#define SAMPLES_H

#include <stdint.h>

#include "gradmote.h"

/* Zero-initialise. */
typedef struct samples {
    uint32_t written; /* bit of each tensor that got data: index, + 16 for labels */
} samples;

/* The functions below return 0, a gm_error or a console_error. index: the number of the tensor
 * among those of its role, as gm_write() counts. */

/* Copies `count` bytes into a tensor, `offset` bytes from its start. */
int samples_write(samples *s, const gm_session *session, uint32_t role, uint32_t index, uint32_t offset,
                  const uint8_t *data, uint32_t count);

/* Gives the address of a whole tensor and its bytes. From now on the tensor counts as written. */
int samples_address(samples *s, const gm_session *session, uint32_t role, uint32_t index, void **data, uint32_t *size);

typedef struct u8_scale {
    float scale;
    float zero;
} u8_scale;

/* Returns the bytes of an element of that gm_dtype. */
uint32_t samples_element_size(uint32_t dtype);

/* Writes elements: x[element + i] = (data[i] - zero) * scale into an f32 tensor, data[i] into one
 * of integers, and its bits into one of i8. */
int samples_write_u8(samples *s, const gm_session *session, uint32_t role, uint32_t index, uint32_t element,
                     u8_scale map, const uint8_t *data, uint32_t count);

/* Returns CONSOLE_ERR_NO_SAMPLES if a tensor that `program` reads has no data, else 0. */
int samples_check(const samples *s, const gm_session *session, uint32_t program);

/* Returns whether the first input has data. */
int samples_has_input(const samples *s);

/* Notes that labels of the store have replaced those that were sent. */
void samples_lose_labels(samples *s);

/* Notes that a program runs, which may overwrite the tensors in its scratch memory. */
void samples_use(samples *s, const gm_session *session);

#endif
