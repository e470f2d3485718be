/* Inputs and labels for the next runs, written into their places in the arena. A program changes them there only if
 * the image says so. */
#ifndef SAMPLES_H
#define SAMPLES_H

#include <stdint.h>

#include "gradmote.h"

/* Zero-initialise. */
typedef struct samples {
    uint32_t written; /* bit of each tensor that got data: index, + 16 for labels */
} samples;

/* The functions below return 0, a gm_error or a console_error. index: among the tensors of that role, as gm_write()
 * counts. */

/* offset: bytes into the tensor. */
int samples_write(samples *s, const gm_session *session, uint32_t role, uint32_t index, uint32_t offset,
                  const uint8_t *data, uint32_t count);

/* Where a whole tensor goes, and its bytes; from now on it counts as written. */
int samples_place(samples *s, const gm_session *session, uint32_t role, uint32_t index, void **data, uint32_t *size);

typedef struct u8_scale {
    float scale;
    float zero;
} u8_scale;

/* x[element + i] = (data[i] - zero) * scale for an f32 tensor, data[i] for an i32 one. */
int samples_write_u8(samples *s, const gm_session *session, uint32_t role, uint32_t index, uint32_t element,
                     u8_scale map, const uint8_t *data, uint32_t count);

/* CONSOLE_ERR_NO_SAMPLES where a tensor that `program` reads has no data. */
int samples_check(const samples *s, const gm_session *session, uint32_t program);

/* Whether the first input has data. */
int samples_has_input(const samples *s);

/* Labels of the store have taken the place of those that were sent. */
void samples_lose_labels(samples *s);

/* A program runs: it may write over what lies in its scratch. */
void samples_use(samples *s, const gm_session *session);

#endif
