/*
 * Inputs and labels for the next run.
 *
 * Their place in the arena is reused while a program runs. Where RAM is left behind the arena, a copy is kept there
 * and the samples serve any number of runs; otherwise they serve one.
 */
#ifndef SAMPLES_H
#define SAMPLES_H

#include <stdint.h>

#include "gradmote.h"

typedef struct samples {
    uint8_t *copy;      /* NULL where none is kept */
    uint32_t copy_size; /* bytes */
    uint32_t written;   /* bit of each tensor that got data: index, + 16 for labels */
} samples;

/* spare: 4-byte aligned RAM behind the arena. */
void samples_open(samples *s, const gm_session *session, uint8_t *spare, uint32_t spare_size);

/* The functions below return 0, a gm_error or a console_error. */

/* offset: bytes into the tensor. */
int samples_write(samples *s, const gm_session *session, uint32_t role, uint32_t index, uint32_t offset,
                  const uint8_t *data, uint32_t count);

typedef struct u8_scale {
    float scale;
    float zero;
} u8_scale;

/* x[element + i] = (data[i] - zero) * scale for an f32 tensor, data[i] for an i32 one. */
int samples_write_u8(samples *s, const gm_session *session, uint32_t role, uint32_t index, uint32_t element,
                     u8_scale map, const uint8_t *data, uint32_t count);

/* Brings what `program` reads into the arena. CONSOLE_ERR_NO_SAMPLES where one of its tensors never got data. */
int samples_load(const samples *s, const gm_session *session, uint32_t program);

/* A program has ended: without a copy, the samples are gone. */
void samples_used(samples *s);

#endif
