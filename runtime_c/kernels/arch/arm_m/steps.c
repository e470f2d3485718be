/*
 * Steps of optimizers on Cortex-M with FPU, several parameters an iteration. Machine instructions a parameter: SGD 2.38,
 * momentum 3.88, Adam and AdamW 14.25, of which 12 compute, onnxruntime's AdamW 13.25.
 */
#include "../../optimizers/steps.h"
#include "blocks/registers.h"

#if GM_ARCH_ARM_M

#if GM_WITH_SGD && !GM_ARCH_HELIUM

/* p += minus_lr (scale g), with scale in s24 and minus_lr in s25 */
#define SCALE_GRADIENT(g) LINE("vmul.f32 " #g ", s24, " #g)
#define SGD_1(p, g) FMA(p, s25, g)
#define SCALE_4(g0, g1, g2, g3) SCALE_GRADIENT(g0) SCALE_GRADIENT(g1) SCALE_GRADIENT(g2) SCALE_GRADIENT(g3)
#define SGD_4(p0, p1, p2, p3, g0, g1, g2, g3) SGD_1(p0, g0) SGD_1(p1, g1) SGD_1(p2, g2) SGD_1(p3, g3)
#define SGD_8(p0, p1, p2, p3, p4, p5, p6, p7)                       \
    LOAD(at, "s16-s23")                                             \
    SCALE_4(s16, s17, s18, s19) SCALE_4(s20, s21, s22, s23)         \
    SGD_4(p0, p1, p2, p3, s16, s17, s18, s19) SGD_4(p4, p5, p6, p7, s20, s21, s22, s23)

void gm_sgd_rows(const float *scales, uint32_t scale_step, const float *g, float *p, uint32_t m, uint32_t n,
                 float minus_lr)
{
    const float *at;
    uint32_t left;
    __asm__ volatile(LINE("vldr s25, [%[minus_lr]]")
                     "1:\n\t"
                     LOAD_1_STEP(scales, s24, scale_step)
                     LINE("mov %[at], %[g]")
                     LINE("subs %[left], %[n], #16")
                     LINE("blo 3f")
                     "2:\n\t"
                     LINE("vldmia %[p], {s0-s15}")
                     SGD_8(s0, s1, s2, s3, s4, s5, s6, s7)
                     SGD_8(s8, s9, s10, s11, s12, s13, s14, s15)
                     LINE("vstmia %[p]!, {s0-s15}")
                     LINE("subs %[left], #16")
                     LINE("bhs 2b")
                     "3:\n\t"
                     LINE("adds %[left], #16")
                     LINE("beq 7f")
                     LINE("subs %[left], #4")
                     LINE("blo 5f")
                     "4:\n\t"
                     LOAD(at, "s16-s19")
                     LINE("vldmia %[p], {s0-s3}")
                     SCALE_4(s16, s17, s18, s19)
                     SGD_4(s0, s1, s2, s3, s16, s17, s18, s19)
                     LINE("vstmia %[p]!, {s0-s3}")
                     LINE("subs %[left], #4")
                     LINE("bhs 4b")
                     "5:\n\t"
                     LINE("adds %[left], #4")
                     LINE("beq 7f")
                     "6:\n\t"
                     LOAD(at, "s16")
                     LINE("vldr s0, [%[p]]")
                     SCALE_GRADIENT(s16)
                     SGD_1(s0, s16)
                     LINE("vstmia %[p]!, {s0}")
                     LINE("subs %[left], #1")
                     LINE("bne 6b")
                     "7:\n\t"
                     LINE("subs %[m], #1")
                     LINE("bne 1b")
                     : [scales] "+r"(scales), [p] "+r"(p), [m] "+r"(m), [at] "=&r"(at), [left] "=&r"(left)
                     : [scale_step] "r"(4 * scale_step), [g] "r"(g), [n] "r"(n), [minus_lr] "r"(&minus_lr)
                     : CHANGED);
}

int gm_sgd_outer(const gm_rule_args *args, const float *a, uint32_t a_row, uint32_t m)
{
    const gm_rule_sgd *rule = args->rule;
    if (rule->kind != GM_RULE_SGD || rule->weight_decay != 0.0f) {
        return 0;
    }
    gm_sgd_rows(a, a_row, args->g, args->p, m, args->n, -args->lr);
    return 1;
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
#define ADAM_1(g, p, m, v)                       \
    MOMENTS(g, m, v)                             \
    LINE("vmov.f32 s25, s20")                    \
    FMA(s25, s24, s21)                           \
    LINE("vdiv.f32 s24, " #m ", s25")            \
    LINE("vmul.f32 " #p ", " #p ", s22")         \
    FMA(p, s23, s24)
DEFINE_STEP(gm_adam_step, gm_adam_factors, "s16-s23", ADAM_1)
#endif

#if GM_WITH_ADAMW_ORT
/* s21 and s22: step, decay */
#define ADAM_ORT_1(g, p, m, v)                   \
    MOMENTS(g, m, v)                             \
    LINE("vadd.f32 s24, s24, s20")               \
    LINE("vdiv.f32 s24, " #m ", s24")            \
    FMA(p, s21, s24)                             \
    FMA(p, s22, p)
DEFINE_STEP(gm_adam_ort_step, gm_adam_ort_factors, "s16-s22", ADAM_ORT_1)
#endif

#endif
