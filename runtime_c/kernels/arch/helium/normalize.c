/*
 * Batch normalization with Helium: 8 channels that are neighbours, down the pixels. Machine
 * instructions for each element: NORMALIZE 1.63, with relu 1.88, without mean and bias 1.13, and
 * 0.38 more in place; sums 1.63.
 */
#include "../arm_m/blocks/registers.h"
#include "helium.h"

#if GM_ARCH_HELIUM && (GM_WITH_NORMALIZE || GM_WITH_NORMALIZE_SUMS)

#define LOAD_8(p, q, r) LINE("vldrw.u32 " #q ", [" #p "]") LINE("vldrw.u32 " #r ", [" #p ", #16]")
#define STORE_8(p, q, r) LINE("vstrw.32 " #q ", [" #p "]") LINE("vstrw.32 " #r ", [" #p ", #16]")
#define OP_2(operation, q, r, a, b)                                 \
    LINE(operation ".f32 " #q ", " #q ", " #a) LINE(operation ".f32 " #r ", " #r ", " #b)

#if GM_WITH_NORMALIZE

/* Replaces each value below 0 by 0; NaN, which Helium makes of each NaN, is positive, and stays. */
#define RECTIFY_8(q, r) LINE("vqshlu.s32 " #q ", " #q ", #0") LINE("vqshlu.s32 " #r ", " #r ", #0")

/* Defines a function of OPERATIONS on q6 and q7, which asks for subnormal numbers at each pixel, or
 * behind all of them, and returns how many are left. q0 and q1 are the means, q2 and q3 factors, and
 * q4 and q5 biases. */
#define DEFINE_PIXELS(name, LOAD, OPERATIONS, AT_EACH, BEHIND_ALL)                                            \
    __attribute__((noinline)) static uint32_t name(const float *x, float *y, uint32_t n, uint32_t step,       \
                                                   const gm_channel_vectors *v)                               \
    {                                                                                                         \
        register uint32_t left __asm__("lr") = n;                                                             \
        __asm__ volatile(HELIUM                                                                               \
                         CLEAR_FLUSHED(r12)                                                                   \
                         LINE("ldm %[v], {r4, r5, r6, r8}")                                                   \
                         LOAD_8(r5, q0, q1) LOAD_8(r6, q2, q3)                                                \
                         OP_2("vmul", q2, q3, q0, q1)                                                         \
                         LOAD                                                                                 \
                         "1:\n\t"                                                                             \
                         LOAD_8(%[x], q6, q7) LINE("add %[x], %[step]")                                       \
                         OPERATIONS                                                                           \
                         AT_EACH                                                                              \
                         STORE_8(%[y], q6, q7) LINE("add %[y], %[step]")                                      \
                         LINE("le lr, 1b")                                                                    \
                         LINE("mov lr, %[n]")                                                                 \
                         BEHIND_ALL                                                                           \
                         LINE("mov lr, #0")                                                                   \
                         "2:\n\t"                                                                             \
                         : [x] "+r"(x), [y] "+r"(y), "+&r"(left)                                              \
                         : [step] "r"(step), [v] "r"(v), [n] "r"(n)                                           \
                         : "r4", "r5", "r6", "r8", "r12", CHANGED);                                           \
        return left;                                                                                          \
    }

/* Only where y is x is a pixel lost once it is stored; elsewhere all of them can be done again. */
#define DEFINE_NORMALIZE(name, LOAD, OPERATIONS)                                                              \
    DEFINE_PIXELS(name##_in_place, LOAD, OPERATIONS, IF_FLUSHED(r12, 2f), )                                   \
    DEFINE_PIXELS(name##_apart, LOAD, OPERATIONS, , IF_FLUSHED(r12, 2f))                                      \
    uint32_t name(const float *x, float *y, uint32_t n, uint32_t step, const gm_channel_vectors *v)           \
    {                                                                                                         \
        return (x == y ? name##_in_place : name##_apart)(x, y, n, step, v);                                   \
    }

#define MEAN_AND_BIAS LOAD_8(r4, q0, q1) LOAD_8(r8, q4, q5)
#define NORMALIZE_VECTORS OP_2("vsub", q6, q7, q0, q1) OP_2("vmul", q6, q7, q2, q3) OP_2("vadd", q6, q7, q4, q5)

DEFINE_NORMALIZE(gm_helium_normalize, MEAN_AND_BIAS, NORMALIZE_VECTORS)
DEFINE_NORMALIZE(gm_helium_normalize_relu, MEAN_AND_BIAS, NORMALIZE_VECTORS RECTIFY_8(q6, q7))
DEFINE_NORMALIZE(gm_helium_scale, , OP_2("vmul", q6, q7, q2, q3))

#endif

#if GM_WITH_NORMALIZE_SUMS

/* Means, sums and products are in q0 and q1, q2 and q3, q4 and q5. */
int gm_helium_normalize_sums(const float *dy, const float *x, uint32_t n, uint32_t step, const gm_channel_sums *v)
{
    uint32_t flushed;
    __asm__ volatile(HELIUM
                     CLEAR_FLUSHED(%[flushed])
                     LINE("ldm %[v], {r4, r5, r6, r8}")
                     LOAD_8(r4, q0, q1)
                     LINE("vmov.i32 q2, #0") LINE("vmov q3, q2") LINE("vmov q4, q2") LINE("vmov q5, q2")
                     LINE("dls lr, %[n]")
                     "1:\n\t"
                     LINE("vldrw.u32 q6, [%[dy]]") LINE("vldrw.u32 q7, [%[x]]")
                     LINE("vadd.f32 q2, q2, q6") LINE("vsub.f32 q7, q7, q0")
                     LINE("vfma.f32 q4, q6, q7")
                     LINE("vldrw.u32 q6, [%[dy], #16]") LINE("vldrw.u32 q7, [%[x], #16]")
                     LINE("vadd.f32 q3, q3, q6") LINE("vsub.f32 q7, q7, q1")
                     LINE("vfma.f32 q5, q6, q7")
                     LINE("add %[dy], %[step]") LINE("add %[x], %[step]")
                     LINE("le lr, 1b")
                     LOAD_8(r5, q0, q1)
                     OP_2("vmul", q4, q5, q0, q1)
                     IF_FLUSHED(%[flushed], 2f)
                     STORE_8(r6, q4, q5) STORE_8(r8, q2, q3)
                     "2:\n\t"
                     : [dy] "+r"(dy), [x] "+r"(x), [flushed] "=&r"(flushed)
                     : [n] "r"(n), [step] "r"(step), [v] "r"(v)
                     : "r4", "r5", "r6", "r8", "lr", CHANGED);
    return flushed == 0;
}

#endif

#endif
