/* Sums of squares, in registers that a function need not save: the checks are short. */
#ifndef GM_ARM_M_ANY_BEYOND_H
#define GM_ARM_M_ANY_BEYOND_H

#include "../arch.h"
#include "blocks/registers.h"

#if GM_ARCH_ARM_M && !GM_ARCH_HELIUM

#define ADD_SQUARES(x, y) MAC_2_BY(s10, s11, s8, x, x, s9, y, y)

/* Whether the sum of squares, accumulated in two lanes, is a number below `limit` squared. */
static inline int gm_are_squares_below(const float *x, uint32_t n, float limit)
{
    float sum;
    __asm__ volatile(LINE("vmov s8, %[zero]") LINE("vmov s9, %[zero]")
                     EIGHT_AT_A_TIME(LOAD(x, "s0-s7")
                                     ADD_SQUARES(s0, s1) ADD_SQUARES(s2, s3) ADD_SQUARES(s4, s5) ADD_SQUARES(s6, s7),
                                     LOAD(x, "s0") MAC_BY(s10, s8, s0, s0))
                     LINE("vadd.f32 %[sum], s8, s9")
                     : [x] "+r"(x), [n] "+r"(n), [sum] "=t"(sum)
                     : [zero] "r"(0)
                     : "cc", "memory", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11");
    return sum < limit * limit;
}

#endif

#endif
