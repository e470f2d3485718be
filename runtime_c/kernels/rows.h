/* Loops over contiguous outputs of sums: how they start, and what comes last. Four at a time,
 * loads before stores. */
#ifndef GM_ROWS_H
#define GM_ROWS_H

#include "../src/numerics.h"
#include "arch/arch.h"

#if GM_ARCH_ROWS

/* y[i] = bias[i], or the empty sum without a bias. */
void gm_start_row(float *y, const float *bias, uint32_t n);

/* y[i] = x[i] < 0 ? 0 : x[i]; x may be y. */
void gm_relu_row(const float *x, float *y, uint32_t n);

/* dx[i] = y[i] > 0 ? dy[i] : 0; dx may be dy or y. */
void gm_relu_grad_row(const float *dy, const float *y, float *dx, uint32_t n);

#else

#define FOUR_AT_ONCE (!GM_ARCH_SCALAR) /* scalar builds must be small */

static inline void gm_start_row(float *y, const float *bias, uint32_t n)
{
    uint32_t i = 0;
    for (; FOUR_AT_ONCE && bias == NULL && n - i >= 4; i += 4) {
        y[i] = y[i + 1] = y[i + 2] = y[i + 3] = GM_EMPTY_SUM;
    }
    for (; FOUR_AT_ONCE && bias != NULL && n - i >= 4; i += 4) {
        float a = bias[i], b = bias[i + 1], c = bias[i + 2], d = bias[i + 3];
        y[i] = a, y[i + 1] = b, y[i + 2] = c, y[i + 3] = d;
    }
    for (; i < n; i++) {
        y[i] = bias ? bias[i] : GM_EMPTY_SUM;
    }
}

#if GM_ARCH_SCALAR
/* Returns all ones if the condition holds, else 0. WebAssembly engines select floats with a branch,
 * and mispredict half of the branches on signs. */
GM_SHORT uint32_t gm_mask_where(int condition)
{
    uint32_t mask = 0u - (uint32_t)condition;
    __asm__("" : "+r"(mask)); /* or the compiler turns this into that branch */
    return mask;
}

GM_SHORT float gm_chosen(int condition, float a, float b)
{
    uint32_t mask = gm_mask_where(condition);
    return gm_float_of((gm_bits_of(a) & mask) | (gm_bits_of(b) & ~mask));
}
#else
GM_SHORT float gm_chosen(int condition, float a, float b)
{
    return condition ? a : b;
}
#endif

GM_SHORT float gm_relu(float x)
{
    return gm_chosen(gm_is_negative(x), 0.0f, x);
}

static inline void gm_relu_row(const float *x, float *y, uint32_t n)
{
    uint32_t i = 0;
    for (; FOUR_AT_ONCE && n - i >= 4; i += 4) {
        float a = gm_relu(x[i]), b = gm_relu(x[i + 1]), c = gm_relu(x[i + 2]), d = gm_relu(x[i + 3]);
        y[i] = a, y[i + 1] = b, y[i + 2] = c, y[i + 3] = d;
    }
    for (; i < n; i++) {
        y[i] = gm_relu(x[i]);
    }
}

GM_SHORT float gm_relu_grad(float dy, float y)
{
    return gm_chosen(gm_is_positive(y), dy, 0.0f);
}

#if GM_ARCH_RISCV
/* dx[i] = 0 unless y[i] > 0. In place, nothing else needs a store, and a branch on a float
 * comparison is cheaper there than a mask. */
GM_SHORT void gm_clear_where_not_positive(const float *y, float *dx, uint32_t n)
{
    for (; n >= 8; n -= 8, y += 8, dx += 8) {
        _Pragma("GCC unroll 8") for (uint32_t i = 0; i < 8; i++)
        {
            if (!(y[i] > 0.0f)) {
                dx[i] = 0.0f;
            }
        }
    }
    for (; n > 0; n--, y++, dx++) {
        if (!(*y > 0.0f)) {
            *dx = 0.0f;
        }
    }
}
#else
#define gm_clear_where_not_positive(y, dx, n) (void)0
#endif

static inline void gm_relu_grad_row(const float *dy, const float *y, float *dx, uint32_t n)
{
    uint32_t i = 0;
    if (GM_ARCH_RISCV && dx == dy) {
        gm_clear_where_not_positive(y, dx, n);
        return;
    }
    for (; FOUR_AT_ONCE && n - i >= 4; i += 4) {
        float a = gm_relu_grad(dy[i], y[i]), b = gm_relu_grad(dy[i + 1], y[i + 1]);
        float c = gm_relu_grad(dy[i + 2], y[i + 2]), d = gm_relu_grad(dy[i + 3], y[i + 3]);
        dx[i] = a, dx[i + 1] = b, dx[i + 2] = c, dx[i + 3] = d;
    }
    for (; i < n; i++) {
        dx[i] = gm_relu_grad(dy[i], y[i]);
    }
}

#endif

#endif
