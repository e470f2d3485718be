/* The helpers that LSTM, GRU and RNN share: the order of time steps, and products with the
 * recurrence weights. */
#ifndef GM_RECURRENT_H
#define GM_RECURRENT_H

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

/* y[i] = x[i], or 0 where there is no x. y may be x. */
static inline void gm_copy_or_zero(const float *x, float *y, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        y[i] = x ? x[i] : 0.0f;
    }
}

/* y (n) += w (n, hidden) h (hidden) */
static inline void gm_add_recurrence(const float *h, const float *w, float *y, uint32_t n, uint32_t hidden)
{
    const gm_gemm_strides strides = {0, 1, 1, hidden, hidden};
    gm_gemm_row(h, w, y, n, &strides);
}

/* dh (hidden) += dy (n) w (n, hidden) */
static inline void gm_add_recurrence_grad(const float *dy, const float *w, float *dh, uint32_t n, uint32_t hidden)
{
    const gm_gemm_strides strides = {0, 1, hidden, 1, n};
    gm_gemm_row(dy, w, dh, hidden, &strides);
}

#endif
