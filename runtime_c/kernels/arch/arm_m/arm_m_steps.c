/*
 * Steps of optimizers on Cortex-M with FPU, several parameters a turn. Machine instructions a parameter: SGD 2.63,
 * momentum 3.88, Adam and AdamW 14.25, of which 12 compute, onnxruntime's AdamW 13.25.
 */
#include "../../optimizers/steps.h"
#include "registers.h"

#if GM_ARCH_ARM_M

#if GM_WITH_SGD && !GM_ARCH_HELIUM

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

#if GM_WITH_MOMENTUM

/* v, which is left in g, and p; scale is in s24, momentum in s25, and minus_lr in s26. */
#define MOMENTUM(g, p, v) LINE("vmul.f32 " #g ", s24, " #g) FMA(g, s25, v) FMA(p, s26, g)

void gm_momentum_step(const gm_momentum_factors *factors, const float *g, float *p, float *v, uint32_t n)
{
    __asm__ volatile(LINE("vldmia %[factors], {s24-s26}")
                     LINE("subs %[n], #8")
                     LINE("blo 2f")
                     "1:\n\t"
                     LOAD(g, "s0-s7")
                     LINE("vldmia %[p], {s8-s15}")
                     LINE("vldmia %[v], {s16-s23}")
                     MOMENTUM(s0, s8, s16) MOMENTUM(s1, s9, s17) MOMENTUM(s2, s10, s18) MOMENTUM(s3, s11, s19)
                     MOMENTUM(s4, s12, s20) MOMENTUM(s5, s13, s21) MOMENTUM(s6, s14, s22) MOMENTUM(s7, s15, s23)
                     LINE("vstmia %[v]!, {s0-s7}")
                     LINE("vstmia %[p]!, {s8-s15}")
                     LINE("subs %[n], #8")
                     LINE("bhs 1b")
                     "2:\n\t"
                     LINE("adds %[n], #8")
                     LINE("beq 4f")
                     "3:\n\t"
                     LOAD(g, "s0")
                     LINE("vldr s8, [%[p]]")
                     LINE("vldr s16, [%[v]]")
                     MOMENTUM(s0, s8, s16)
                     LINE("vstmia %[v]!, {s0}")
                     LINE("vstmia %[p]!, {s8}")
                     LINE("subs %[n], #1")
                     LINE("bne 3b")
                     "4:\n\t"
                     : [g] "+r"(g), [p] "+r"(p), [v] "+r"(v), [n] "+r"(n)
                     : [factors] "r"(factors)
                     : CHANGED);
}

#endif

/* Moments of one parameter. Factors are from s16 on in the order of their struct, first scale, one_minus_beta1, beta2,
 * one_minus_beta2, eps; s24 and s25 change. */
#define MOMENTS(g, m, v)                         \
    LINE("vmul.f32 " #g ", s16, " #g)            \
    LINE("vsub.f32 s24, " #g ", " #m)            \
    FMA(m, s17, s24)                             \
    LINE("vmul.f32 " #v ", s18, " #v)            \
    LINE("vmul.f32 s24, s19, " #g)               \
    FMA(v, s24, g)                               \
    LINE("vsqrt.f32 s24, " #v)

/* Defines a function of ONE(g, p, m, v) for each parameter. FACTORS: their registers. */
#define DEFINE_STEP(name, factors_type, FACTORS, ONE)                                                        \
    void name(const factors_type *factors, const float *g, float *p, float *m, float *v, uint32_t n)         \
    {                                                                                                        \
        __asm__ volatile(LINE("vldmia %[factors], {" FACTORS "}")                                            \
                         LINE("subs %[n], #4")                                                               \
                         LINE("blo 2f")                                                                      \
                         "1:\n\t"                                                                            \
                         LOAD(g, "s0-s3")                                                                    \
                         LINE("vldmia %[p], {s4-s7}")                                                        \
                         LINE("vldmia %[m], {s8-s11}")                                                       \
                         LINE("vldmia %[v], {s12-s15}")                                                      \
                         ONE(s0, s4, s8, s12) ONE(s1, s5, s9, s13)                                           \
                         ONE(s2, s6, s10, s14) ONE(s3, s7, s11, s15)                                         \
                         LINE("vstmia %[p]!, {s4-s7}")                                                       \
                         LINE("vstmia %[m]!, {s8-s11}")                                                      \
                         LINE("vstmia %[v]!, {s12-s15}")                                                     \
                         LINE("subs %[n], #4")                                                               \
                         LINE("bhs 1b")                                                                      \
                         "2:\n\t"                                                                            \
                         LINE("adds %[n], #4")                                                               \
                         LINE("beq 4f")                                                                      \
                         "3:\n\t"                                                                            \
                         LOAD(g, "s0")                                                                       \
                         LINE("vldr s4, [%[p]]")                                                             \
                         LINE("vldr s8, [%[m]]")                                                             \
                         LINE("vldr s12, [%[v]]")                                                            \
                         ONE(s0, s4, s8, s12)                                                                \
                         LINE("vstmia %[p]!, {s4}")                                                          \
                         LINE("vstmia %[m]!, {s8}")                                                          \
                         LINE("vstmia %[v]!, {s12}")                                                         \
                         LINE("subs %[n], #1")                                                               \
                         LINE("bne 3b")                                                                      \
                         "4:\n\t"                                                                            \
                         : [g] "+r"(g), [p] "+r"(p), [m] "+r"(m), [v] "+r"(v), [n] "+r"(n)                   \
                         : [factors] "r"(factors)                                                            \
                         : CHANGED);                                                                         \
    }

#if (GM_WITH_ADAM || GM_WITH_ADAMW) && !GM_ARCH_HELIUM
/* s21 to s23: correction, keep, step */
#define ADAM(g, p, m, v)                         \
    MOMENTS(g, m, v)                             \
    LINE("vmov.f32 s25, s20")                    \
    FMA(s25, s24, s21)                           \
    LINE("vdiv.f32 s24, " #m ", s25")            \
    LINE("vmul.f32 " #p ", " #p ", s22")         \
    FMA(p, s23, s24)
DEFINE_STEP(gm_adam_step, gm_adam_factors, "s16-s23", ADAM)
#endif

#if GM_WITH_ADAMW_ORT
/* s21 and s22: step, decay */
#define ADAM_ORT(g, p, m, v)                     \
    MOMENTS(g, m, v)                             \
    LINE("vadd.f32 s24, s24, s20")               \
    LINE("vdiv.f32 s24, " #m ", s24")            \
    FMA(p, s21, s24)                             \
    FMA(p, s22, p)
DEFINE_STEP(gm_adam_ort_step, gm_adam_ort_factors, "s16-s22", ADAM_ORT)
#endif

#endif
