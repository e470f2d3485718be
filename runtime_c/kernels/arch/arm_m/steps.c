/*
 * Optimizer steps on Cortex-M with FPU, several parameters per iteration. Machine instructions
 * per parameter: SGD 2.56 for many rows and 2.94 for one, momentum 3.88, Adam and AdamW 14.25 (12
 * of them compute), onnxruntime's AdamW 13.25; one more for each multiply-accumulate if multiply
 * and add are separate.
 */
#include "../../optimizers/steps.h"
#include "blocks/registers.h"

#if GM_ARCH_ARM_M

#if GM_WITH_SGD && !GM_ARCH_HELIUM

/*
 * gm_sgd_rows(): all rows share g, which is loaded once for each block of 16
 * columns, then 4, then 1.
 *
 *     for (; n > 0; n -= 16, g += 16, p += 16)
 *         for (i = 0; i < m; i++)
 *             for (j = 0; j < 16; j++)
 *                 p[i * row + j] += minus_lr * (scales[i * scale_step] * g[j]);
 *
 *     s0-s15    gradients              at      p + i * row
 *     s16-s23   parameters             skip    bytes from the end of a block to its next row
 *     s24       a scale                end     of all rows
 *     s25       minus_lr
 *     s26-s29   scaled gradients
 */
#define BY_RATE(to, g) OP("vmul", to, s24, g)
#define STEP_4(p0, p1, p2, p3, g0, g1, g2, g3)                                            \
    BY_RATE(s26, g0) BY_RATE(s27, g1) BY_RATE(s28, g2) BY_RATE(s29, g3)                           \
    MAC_2(p0, s25, s26, p1, s25, s27) MAC_2(p2, s25, s28, p3, s25, s29)
#define STEP_8(g0, g1, g2, g3, g4, g5, g6, g7)                                            \
    LINE("vldmia %[at], {s16-s23}")                                                       \
    STEP_4(s16, s17, s18, s19, g0, g1, g2, g3) STEP_4(s20, s21, s22, s23, g4, g5, g6, g7) \
    LINE("vstmia %[at]!, {s16-s23}")

#define SGD_16 STEP_8(s0, s1, s2, s3, s4, s5, s6, s7) STEP_8(s8, s9, s10, s11, s12, s13, s14, s15)
#define SGD_4                                                                             \
    LINE("vldmia %[at], {s16-s19}")                                                       \
    STEP_4(s16, s17, s18, s19, s0, s1, s2, s3)                                            \
    LINE("vstmia %[at]!, {s16-s19}")
#define SGD_1                                                                             \
    LINE("vldr s16, [%[at]]")                                                             \
    BY_RATE(s26, s0)                                                                        \
    MAC_1(s16, s25, s26)                                                                  \
    LINE("vstmia %[at]!, {s16}")

/* Runs STEP for each row of a block of so many columns, `bytes` wide. */
#define EACH_OUTER_ROW(bytes, loop, GRADIENTS, STEP)                                            \
    LOAD(g, GRADIENTS)                                                                    \
    LINE("mov %[at], %[p]")                                                               \
    LINE("adds %[p], #" #bytes)                                                           \
    LINE("mov %[scale], %[scales]")                                                       \
    LOOP_LABEL(loop)                                                                      \
    LOAD_1_STEP(scale, s24, scale_step)                                                   \
    STEP                                                                                  \
    LINE("add %[at], %[skip]")                                                            \
    LINE("cmp %[at], %[end]")                                                             \
    LINE("blo " #loop "b")

/* Runs BLOCK while `count` columns are left; label 9 comes after all. */
#define WHILE_LEFT(count, loop, behind, BLOCK)                                            \
    LINE("subs %[n], #" #count)                                                           \
    LINE("blo " #behind "f")                                                              \
    #loop ":\n\t"                                                                         \
    BLOCK                                                                                 \
    LINE("subs %[n], #" #count)                                                           \
    LINE("bhs " #loop "b")                                                                \
    #behind ":\n\t"                                                                       \
    LINE("adds %[n], #" #count)                                                           \
    LINE("beq 9f")

void gm_sgd_rows(const float *scales, uint32_t scale_step, const float *g, float *p, uint32_t m, uint32_t n,
                 float minus_lr)
{
    const float *scale;
    float *at, *end = p + m * n;
    uint32_t skip = 4 * n - 64;
    __asm__ volatile(LINE("vmov s25, %[minus_lr]")
                     WHILE_LEFT(16, 1, 3, EACH_OUTER_ROW(64, 2, "s0-s15", SGD_16))
                     LINE("adds %[skip], #48")
                     WHILE_LEFT(4, 4, 6, EACH_OUTER_ROW(16, 5, "s0-s3", SGD_4))
                     LINE("adds %[skip], #12")
                     "7:\n\t"
                     EACH_OUTER_ROW(4, 8, "s0", SGD_1)
                     LINE("subs %[n], #1")
                     LINE("bne 7b")
                     "9:\n\t"
                     : [g] "+r"(g), [p] "+l"(p), [n] "+l"(n), [at] "=&r"(at), [scale] "=&r"(scale), [skip] "+l"(skip)
                     : [scales] "r"(scales), [scale_step] "r"(4 * scale_step), [end] "r"(end),
                       [minus_lr] "r"(gm_bits_of(minus_lr))
                     : CHANGED);
}

#endif

#if GM_WITH_MOMENTUM

/*
 * gm_momentum_step(), 8 parameters at a time:
 *
 *     g[i] *= scale;
 *     v[i] = g[i] + momentum * v[i];
 *     p[i] += minus_lr * v[i];
 *
 *     s0-s7     g, then the new v      s24   scale
 *     s8-s15    p                      s25   momentum
 *     s16-s23   the old v              s26   minus_lr
 */
#define MOMENTUM_2(g, p, v, h, q, w)                                                                         \
    OP("vmul", g, s24, g) OP("vmul", h, s24, h) MAC_2(g, s25, v, h, s25, w) MAC_2(p, s26, g, q, s26, h)
#define MOMENTUM_8                                                                                           \
    LOAD(g, "s0-s7")                                                                                         \
    LINE("vldmia %[p], {s8-s15}")                                                                            \
    LINE("vldmia %[v], {s16-s23}")                                                                           \
    MOMENTUM_2(s0, s8, s16, s1, s9, s17) MOMENTUM_2(s2, s10, s18, s3, s11, s19)                              \
    MOMENTUM_2(s4, s12, s20, s5, s13, s21) MOMENTUM_2(s6, s14, s22, s7, s15, s23)                            \
    LINE("vstmia %[v]!, {s0-s7}")                                                                            \
    LINE("vstmia %[p]!, {s8-s15}")
#define MOMENTUM_1                                                                                           \
    LOAD(g, "s0")                                                                                            \
    LINE("vldr s8, [%[p]]")                                                                                  \
    LINE("vldr s16, [%[v]]")                                                                                 \
    OP("vmul", s0, s24, s0) MAC_1(s0, s25, s16) MAC_1(s8, s26, s0)                                           \
    LINE("vstmia %[v]!, {s0}")                                                                               \
    LINE("vstmia %[p]!, {s8}")

void gm_momentum_step(const gm_momentum_factors *factors, const float *g, float *p, float *v, uint32_t n)
{
    __asm__ volatile(LINE("vldmia %[factors], {s24-s26}")
                     EIGHT_AT_A_TIME(MOMENTUM_8, MOMENTUM_1)
                     : [g] "+r"(g), [p] "+r"(p), [v] "+r"(v), [n] "+r"(n)
                     : [factors] "r"(factors)
                     : CHANGED);
}

#endif

/*
 * Adam, 4 parameters at a time. MOMENTS() does what all its forms have in common:
 *
 *     g = scale * g;
 *     m += one_minus_beta1 * (g - m);
 *     v = beta2 * v + one_minus_beta2 * g * g;
 *     root = sqrt(v);
 *
 *     s0-s3     g        s16   scale                 s20   eps
 *     s4-s7     p        s17   one_minus_beta1       s21-  further factors, in the order of their struct
 *     s8-s11    m        s18   beta2                 s24   root
 *     s12-s15   v        s19   one_minus_beta2       s25   changes
 */
#define MOMENTS(g, m, v)                         \
    LINE("vmul.f32 " #g ", s16, " #g)            \
    LINE("vsub.f32 s24, " #g ", " #m)            \
    MAC_1(m, s17, s24)                             \
    LINE("vmul.f32 " #v ", s18, " #v)            \
    LINE("vmul.f32 s24, s19, " #g)               \
    MAC_1(v, s24, g)                               \
    LINE("vsqrt.f32 s24, " #v)

#define FOUR_PARAMETERS(ONE)                                                                                 \
    LOAD(g, "s0-s3")                                                                                         \
    LINE("vldmia %[p], {s4-s7}")                                                                             \
    LINE("vldmia %[m], {s8-s11}")                                                                            \
    LINE("vldmia %[v], {s12-s15}")                                                                           \
    ONE(s0, s4, s8, s12) ONE(s1, s5, s9, s13)                                                                \
    ONE(s2, s6, s10, s14) ONE(s3, s7, s11, s15)                                                              \
    LINE("vstmia %[p]!, {s4-s7}")                                                                            \
    LINE("vstmia %[m]!, {s8-s11}")                                                                           \
    LINE("vstmia %[v]!, {s12-s15}")
#define ONE_PARAMETER(ONE)                                                                                   \
    LOAD(g, "s0")                                                                                            \
    LINE("vldr s4, [%[p]]")                                                                                  \
    LINE("vldr s8, [%[m]]")                                                                                  \
    LINE("vldr s12, [%[v]]")                                                                                 \
    ONE(s0, s4, s8, s12)                                                                                     \
    LINE("vstmia %[p]!, {s4}")                                                                               \
    LINE("vstmia %[m]!, {s8}")                                                                               \
    LINE("vstmia %[v]!, {s12}")

/* Defines a function that runs ONE(g, p, m, v) for each parameter. FACTORS: their registers. */
#define DEFINE_STEP(name, factors_type, FACTORS, ONE)                                                        \
    void name(const factors_type *factors, const float *g, float *p, float *m, float *v, uint32_t n)         \
    {                                                                                                        \
        __asm__ volatile(LINE("vldmia %[factors], {" FACTORS "}")                                            \
                         AT_A_TIME(4, n, FOUR_PARAMETERS(ONE), ONE_PARAMETER(ONE))                           \
                         : [g] "+r"(g), [p] "+r"(p), [m] "+r"(m), [v] "+r"(v), [n] "+r"(n)                   \
                         : [factors] "r"(factors)                                                            \
                         : CHANGED);                                                                         \
    }

#if (GM_WITH_ADAM || GM_WITH_ADAMW) && !GM_ARCH_HELIUM
/* p = p * keep + step * m / (eps + root * correction); s21 to s23: correction, keep, step */
#define ADAM_1(g, p, m, v)                       \
    MOMENTS(g, m, v)                             \
    LINE("vmov.f32 s25, s20")                    \
    MAC_1(s25, s24, s21)                           \
    LINE("vdiv.f32 s24, " #m ", s25")            \
    LINE("vmul.f32 " #p ", " #p ", s22")         \
    MAC_1(p, s23, s24)
DEFINE_STEP(gm_adam_step, gm_adam_factors, "s16-s23", ADAM_1)
#endif

#if GM_WITH_ADAMW_ORT
/* p += step * m / (root + eps); p += decay * p; s21 and s22: step, decay */
#define ADAM_ORT_1(g, p, m, v)                   \
    MOMENTS(g, m, v)                             \
    LINE("vadd.f32 s24, s24, s20")               \
    LINE("vdiv.f32 s24, " #m ", s24")            \
    MAC_1(p, s21, s24)                             \
    MAC_1(p, s22, p)
DEFINE_STEP(gm_adam_ort_step, gm_adam_ort_factors, "s16-s22", ADAM_ORT_1)
#endif

#endif
