/* Depthwise window sums by rows of pixels whose windows share inputs: each input is loaded once for
 * all taps of a kernel row that meet it. */
#ifndef GM_SIMD_DEPTHWISE_ROWS_H
#define GM_SIMD_DEPTHWISE_ROWS_H

#include "window_sum.h"

/* Builds that must be small have only the form that does pixels one by one. */
#if GM_ARCH_SIMD && !defined(__wasm__)
#define GM_DEPTHWISE_ROWS 1
#else
#define GM_DEPTHWISE_ROWS 0
#endif

#if GM_DEPTHWISE_ROWS

/* Weights [tap][group] of adjacent groups, `width` floats from tap to tap, and
 * their biases or NULL. */
typedef struct gm_depthwise_operands {
    const float *weights, *bias;
    uint32_t width, groups;
} gm_depthwise_operands;

/* All pixels of the first groups. Returns how many groups it did: all that fill vectors, or 0 if
 * the window has another form. */
uint32_t gm_simd_depthwise_rows(const gm_window_sum *sum, const gm_depthwise_operands *own);

#endif
#endif
