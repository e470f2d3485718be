/* Sums of squares on RISC-V: 2.2 machine instructions for each value. */
#ifndef GM_RISCV_ANY_BEYOND_H
#define GM_RISCV_ANY_BEYOND_H

#include "blocks/tile.h"

#if GM_ARCH_RISCV && !GM_ARCH_ZVE32F

/* Whether the sum, accumulated in four partial sums, is a number below `limit` squared. */
static inline int gm_are_squares_below(const float *x, uint32_t n, float limit)
{
    float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (; n >= 16; n -= 16, x += 16) {
        GM_UNROLLED
        for (uint32_t i = 0; i < 16; i++) {
            sums[i % 4] = GM_MAC(sums[i % 4], x[i], x[i]);
        }
    }
    for (; n > 0; n--, x++) {
        sums[0] = GM_MAC(sums[0], *x, *x);
    }
    return sums[0] + sums[1] + (sums[2] + sums[3]) < limit * limit;
}

#endif
#endif
