/*
 * AVERAGE_POOL_S8 on Cortex-M: the sum of a window is an integer. Float arithmetic rounds each of n
 * terms, and each sum of them in whatever order, by at most 2^-24 of it. So the float result is
 * known unless the exact average is closer to a half than all these roundings together.
 */
#ifndef GM_ARM_M_AVERAGE_POOL_S8_H
#define GM_ARM_M_AVERAGE_POOL_S8_H

#include "../../../generated/instructions/average_pool_s8.h"
#include "../../window.h"
#include "blocks/scaled.h"

#if GM_WITH_AVERAGE_POOL_S8 && GM_ARCH_PAIRS
#define GM_ARCH_AVERAGE_POOL_S8 1

/* The taps of a window inside x, which all channels share. */
typedef struct gm_average_window {
    uint32_t first;                  /* offset of the first one in x */
    uint32_t rows, row_step, columns, column_step;
    int32_t zeros;                   /* the sum of their zero points */
    gm_multiplier m;                 /* scales their sum; its shift is 0 if float arithmetic must compute the window */
    uint32_t doubt;
    gm_int8_bounds bounds;
} gm_average_window;

/* Returns the window at output (row, column); `count` is the divisor of its sum. */
gm_average_window gm_average_window_of(const gm_insn_average_pool_s8 *insn, uint32_t row, uint32_t column, float count);

/* Computes the output of one channel. Returns 0, and does nothing, if float
 * arithmetic is needed. */
static inline int gm_average_of_channel(const gm_average_window *w, const int8_t *x, int8_t *y)
{
    int32_t sum = -w->zeros;
    if (w->m.shift == 0) {
        return 0;
    }
    for (uint32_t rows = w->rows; rows > 0; rows--, x += w->row_step) {
        const int8_t *tap = x + w->first;
        for (uint32_t columns = w->columns; columns > 0; columns--, tap += w->column_step) {
            sum += *tap;
        }
    }
    const gm_scaled scaled = gm_scale(sum, &w->m);
    if (!gm_is_certain(&scaled, w->doubt)) {
        return 0;
    }
    *y = gm_within_bounds(scaled.nearest, &w->bounds);
    return 1;
}

#else
#define GM_ARCH_AVERAGE_POOL_S8 0
#endif

#endif
