/* Elementary functions on contiguous rows, in vectors if the processor has them; y may be x. */
#ifndef GM_FUNCTION_ROWS_H
#define GM_FUNCTION_ROWS_H

#include "../src/numerics.h"
#include "arch/simd/simd.h"

/* y[i] = sigmoid(x[i]) */
static inline void gm_sigmoid_row(const float *x, float *y, uint32_t n)
{
#if GM_ARCH_FUNCTIONS
    if (gm_simd_function_row(GM_SIMD_SIGMOID, x, 0.0f, y, n)) {
        return;
    }
#endif
    for (uint32_t i = 0; i < n; i++) {
        y[i] = gm_sigmoid(x[i]);
    }
}

/* y[i] = tanh(x[i]) */
static inline void gm_tanh_row(const float *x, float *y, uint32_t n)
{
#if GM_ARCH_FUNCTIONS
    if (gm_simd_function_row(GM_SIMD_TANH, x, 0.0f, y, n)) {
        return;
    }
#endif
    for (uint32_t i = 0; i < n; i++) {
        y[i] = gm_tanh(x[i]);
    }
}

#endif
