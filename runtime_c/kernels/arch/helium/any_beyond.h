/* Sums of squares, in registers that a function need not save: the checks are short. */
#ifndef GM_HELIUM_ANY_BEYOND_H
#define GM_HELIUM_ANY_BEYOND_H

#include "../arch.h"
#include "../arm_m/blocks/registers.h"
#include "helium.h"

#if GM_ARCH_HELIUM

/* Adds the squares of 4 values. */
#define SQUARES(q) LINE("vldrw.u32 " #q ", [%[x]], #16") LINE("vfma.f32 q1, " #q ", " #q)

/* Whether the sum of each lane is a number below `limit` squared. Subnormal squares count as 0; if
 * the square of the limit is subnormal, nothing is below it. */
static inline int gm_are_squares_below(const float *x, uint32_t n, float limit)
{
    uint32_t below;
    __asm__ volatile(HELIUM
                     LINE("vmov.i32 q1, #0")
                     LINE("lsr %[below], %[n], #4")
                     LINE("wls lr, %[below], 2f")
                     "1:\n\t"
                     SQUARES(q0) SQUARES(q2) SQUARES(q3) SQUARES(q0)
                     LINE("le lr, 1b")
                     "2:\n\t"
                     LINE("and %[below], %[n], #15")
                     LINE("wlstp.32 lr, %[below], 4f")
                     "3:\n\t"
                     SQUARES(q0)
                     LINE("letp lr, 3b")
                     "4:\n\t"
                     LINE("vdup.32 q0, %[limit]")
                     LINE("vmul.f32 q0, q0, q0")
                     LINE("vcmp.f32 gt, q0, q1")
                     LINE("vmrs %[below], p0")
                     : [x] "+r"(x), [below] "=&r"(below)
                     : [n] "r"(n), [limit] "r"(gm_bits_of(limit))
                     : "lr", "cc", "memory", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7",
                       "s8", "s9", "s10", "s11", "s12", "s13", "s14", "s15");
    return (below & 0xffff) == 0xffff;
}

#endif

#endif
