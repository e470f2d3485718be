/*
 * Steps of optimizers on Cortex-M with FPU, several parameters a turn. Machine instructions a parameter: SGD 2.63, Adam
 * and AdamW 14.25, of which 12 compute.
 */
#include "../../optimizers/steps.h"
#include "registers.h"

#if GM_ARCH_ARM_M && !GM_ARCH_HELIUM

#if GM_WITH_SGD

/* p += minus_lr (scale g), with scale in s16 and minus_lr in s17 */
#define SCALE(g) LINE("vmul.f32 " #g ", s16, " #g)
#define SGD(p, g) FMA(p, s17, g)

void gm_sgd_step(const float *g, float *p, uint32_t n, float minus_lr, float scale)
{
    const float factors[2] = { scale, minus_lr };
    __asm__ volatile(LINE("vldmia %[factors], {s16, s17}")
                     LINE("subs %[n], #8")
                     LINE("blo 2f")
                     "1:\n\t"
                     LOAD(g, "s0-s7")
                     LINE("vldmia %[p], {s8-s15}")
                     SCALE(s0) SCALE(s1) SCALE(s2) SCALE(s3) SCALE(s4) SCALE(s5) SCALE(s6) SCALE(s7)
                     SGD(s8, s0) SGD(s9, s1) SGD(s10, s2) SGD(s11, s3)
                     SGD(s12, s4) SGD(s13, s5) SGD(s14, s6) SGD(s15, s7)
                     LINE("vstmia %[p]!, {s8-s15}")
                     LINE("subs %[n], #8")
                     LINE("bhs 1b")
                     "2:\n\t"
                     LINE("adds %[n], #8")
                     LINE("beq 4f")
                     "3:\n\t"
                     LOAD(g, "s0")
                     LINE("vldr s8, [%[p]]")
                     SCALE(s0)
                     SGD(s8, s0)
                     LINE("vstmia %[p]!, {s8}")
                     LINE("subs %[n], #1")
                     LINE("bne 3b")
                     "4:\n\t"
                     : [g] "+r"(g), [p] "+r"(p), [n] "+r"(n)
                     : [factors] "r"(factors)
                     : CHANGED);
}

#endif

#if GM_WITH_ADAM || GM_WITH_ADAMW

/* One parameter. s16 to s23 are the factors in the order of gm_adam_factors; s24 and s25 change. */
#define ADAM(g, p, m, v)                         \
    LINE("vmul.f32 " #g ", s16, " #g)            \
    LINE("vsub.f32 s24, " #g ", " #m)            \
    FMA(m, s17, s24)                             \
    LINE("vmul.f32 " #v ", s18, " #v)            \
    LINE("vmul.f32 s24, s19, " #g)               \
    FMA(v, s24, g)                               \
    LINE("vsqrt.f32 s24, " #v)                   \
    LINE("vmov.f32 s25, s20")                    \
    FMA(s25, s24, s21)                           \
    LINE("vdiv.f32 s24, " #m ", s25")            \
    LINE("vmul.f32 " #p ", " #p ", s22")         \
    FMA(p, s23, s24)

void gm_adam_step(const gm_adam_factors *factors, const float *g, float *p, float *m, float *v, uint32_t n)
{
    __asm__ volatile(LINE("vldmia %[factors], {s16-s23}")
                     LINE("subs %[n], #4")
                     LINE("blo 2f")
                     "1:\n\t"
                     LOAD(g, "s0-s3")
                     LINE("vldmia %[p], {s4-s7}")
                     LINE("vldmia %[m], {s8-s11}")
                     LINE("vldmia %[v], {s12-s15}")
                     ADAM(s0, s4, s8, s12)
                     ADAM(s1, s5, s9, s13)
                     ADAM(s2, s6, s10, s14)
                     ADAM(s3, s7, s11, s15)
                     LINE("vstmia %[p]!, {s4-s7}")
                     LINE("vstmia %[m]!, {s8-s11}")
                     LINE("vstmia %[v]!, {s12-s15}")
                     LINE("subs %[n], #4")
                     LINE("bhs 1b")
                     "2:\n\t"
                     LINE("adds %[n], #4")
                     LINE("beq 4f")
                     "3:\n\t"
                     LOAD(g, "s0")
                     LINE("vldr s4, [%[p]]")
                     LINE("vldr s8, [%[m]]")
                     LINE("vldr s12, [%[v]]")
                     ADAM(s0, s4, s8, s12)
                     LINE("vstmia %[p]!, {s4}")
                     LINE("vstmia %[m]!, {s8}")
                     LINE("vstmia %[v]!, {s12}")
                     LINE("subs %[n], #1")
                     LINE("bne 3b")
                     "4:\n\t"
                     : [g] "+r"(g), [p] "+r"(p), [m] "+r"(m), [v] "+r"(v), [n] "+r"(n)
                     : [factors] "r"(factors)
                     : CHANGED);
}

#endif

#endif
