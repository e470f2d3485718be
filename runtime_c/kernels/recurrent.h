/* Helpers that LSTM, GRU and RNN share: the order of time steps, and products with the
 * recurrence weights. */
#ifndef GM_RECURRENT_H
#define GM_RECURRENT_H

#include "arch/simd/simd.h"
#include "gemm_tile.h"

/* A time step, and the slots of the states before and after it. */
typedef struct gm_time_step {
    uint32_t time, before, after;
} gm_time_step;

/* The n-th step; reverse is 0 or 1. */
static inline gm_time_step gm_nth_step(uint32_t n, uint32_t steps, uint32_t reverse)
{
    uint32_t time = reverse ? steps - 1 - n : n;
    gm_time_step step = {time, time + reverse, time + 1 - reverse};
    return step;
}

/* y[i] = x[i], or 0 if x is NULL. y may be x. */
static inline void gm_copy_or_zero(const float *x, float *y, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        y[i] = x ? x[i] : 0.0f;
    }
}

/* The samples of this part of the instruction. A slot of states has `hidden` values for each sample
 * of the batch, `slot` in all; those of these samples are the `size` values from `first` on. */
typedef struct gm_samples {
    uint32_t count, first, size, slot;
} gm_samples;

static inline gm_samples gm_samples_of(const gm_session *session, uint32_t batch, uint32_t hidden)
{
    gm_part range = gm_part_of(session, batch);
    gm_samples samples = {range.length, range.start * hidden, range.length * hidden, batch * hidden};
    return samples;
}

/* p + at, or NULL if p is NULL. */
static inline const float *gm_optional_at(const float *p, size_t at)
{
    return p ? p + at : NULL;
}

/* The shape of a product of recurrence weights w (n, hidden) with so many samples. Rows of n sums
 * are `row` elements apart; rows of `hidden` states are contiguous. */
typedef struct gm_recurrence {
    uint32_t samples, n, hidden, row;
} gm_recurrence;

/* Recurrence weights in the layout that forward products read: the weight of hidden unit k for sum
 * j is w[k * unit + j * sum]. */
typedef struct gm_forward_weights {
    const float *w;
    uint32_t unit, sum;
} gm_forward_weights;

/* The recurrence weights w (n, hidden) of a layer with so many steps. */
typedef struct gm_recurrent_weights {
    const float *w;
    uint32_t n, hidden, steps;
} gm_recurrent_weights;

static inline gm_forward_weights gm_weights_as_they_lie(const gm_recurrent_weights *r)
{
    gm_forward_weights found = {r->w, 1, r->hidden};
    return found;
}

/* Runs all steps of an instruction with these weights. */
typedef int gm_forward_steps(const gm_session *session, const void *instruction, gm_forward_weights weights);

/* Returns what `run` returns. Vectors hold adjacent sums, so with vectors this transposes the
 * weights once if every step would otherwise transpose them in registers. */
#if GM_ARCH_FUNCTIONS
int gm_run_forward_steps(gm_forward_steps *run, const gm_session *session, const void *instruction,
                         const gm_recurrent_weights *r);
#else
#define gm_run_forward_steps(run, session, instruction, r) run(session, instruction, gm_weights_as_they_lie(r))
#endif

/* y (samples, n) += h (samples, hidden) w^T. Row `first` of the weights
 * belongs to the first sum. */
static inline void gm_add_recurrence(const float *h, const gm_forward_weights *weights, uint32_t first, float *y,
                                     const gm_recurrence *shape)
{
    const gm_gemm_strides strides = {shape->hidden, 1, weights->unit, weights->sum, shape->hidden};
    gm_gemm_matrix(h, weights->w + (size_t)first * weights->sum, y, shape->samples, shape->n, shape->row, &strides);
}

/* dh (samples, hidden) += dy (samples, n) w */
static inline void gm_add_recurrence_grad(const float *dy, const float *w, float *dh, const gm_recurrence *shape)
{
    const gm_gemm_strides strides = {shape->row, 1, shape->hidden, 1, shape->n};
    gm_gemm_matrix(dy, w, dh, shape->samples, shape->hidden, shape->hidden, &strides);
}

#endif
