/* Sums of squares, in lanes: 5 machine instructions for 32 values with 128-bit vectors. */
#ifndef GM_LANES_ANY_BEYOND_H
#define GM_LANES_ANY_BEYOND_H

#include "lanes.h"

#if GM_ARCH_ZVE32F

/* Registers. */
#define V_BEYOND_SQUARES 0
#define V_BEYOND_NUMBERS 8
#define V_BEYOND_TOTAL 16

/* Returns the sum of squares of so many whole vectors of `lanes` values. */
GM_INLINED float gm_lanes_squares(const float *x, uint32_t vectors, uint32_t lanes)
{
    gm_lanes_fill(V_BEYOND_SQUARES, 0.0f);
    for (; vectors > 0; vectors--, x += lanes) {
        gm_lanes_load(V_BEYOND_NUMBERS, x);
        gm_lanes_mac(V_BEYOND_SQUARES, V_BEYOND_NUMBERS, V_BEYOND_NUMBERS, V_BEYOND_NUMBERS);
    }
    return gm_lanes_total(V_BEYOND_SQUARES, V_BEYOND_TOTAL);
}

/* Whether the sum is a number below `limit` squared. */
static inline int gm_are_squares_below(const float *x, uint32_t n, float limit)
{
    const uint32_t lanes = gm_lanes_8(n), left = lanes > 0 ? n % lanes : 0;
    float sum = n - left > 0 ? gm_lanes_squares(x, n / lanes, lanes) : 0.0f;
    if (left > 0) {
        gm_lanes_8(left);
        sum += gm_lanes_squares(x + (n - left), 1, left);
    }
    return sum < limit * limit;
}

#endif
#endif
