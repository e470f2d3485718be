/*
 * Batch normalization with Helium: 8 adjacent channels, down the pixels. Machine instructions for
 * each element: NORMALIZE 1.63, with relu 1.88, and 0.25 more in place; without mean and bias 1.13,
 * in place 1.04; sums 1.63.
 */
#include "../../../generated/instructions/normalize.h"
#include "../../../generated/instructions/normalize_sums.h"
#include "../arm_m/blocks/registers.h"
#include "helium.h"

#if GM_ARCH_HELIUM && (GM_WITH_NORMALIZE || GM_WITH_NORMALIZE_SUMS)

#define LOAD_8(p, q, r) LINE("vldrw.u32 " #q ", [" #p "]") LINE("vldrw.u32 " #r ", [" #p ", #16]")
#define STORE_8(p, q, r) LINE("vstrw.32 " #q ", [" #p "]") LINE("vstrw.32 " #r ", [" #p ", #16]")
#define OP_2(operation, q, r, a, b)                                 \
    LINE(operation ".f32 " #q ", " #q ", " #a) LINE(operation ".f32 " #r ", " #r ", " #b)

#if GM_WITH_NORMALIZE

/* Replaces negative values with 0; NaN stays, because Helium makes every NaN positive. */
#define RECTIFY_8(q, r) LINE("vqshlu.s32 " #q ", " #q ", #0") LINE("vqshlu.s32 " #r ", " #r ", #0")

/* Defines a function whose LOOP, which START leads to, stops before pixels with subnormals,
 * and which returns how many are left. q2 and q3 are factors; x, y and step are operands,
 * and lr counts pixels. */
#define DEFINE_PIXELS(name, START, LOOP)                                                                      \
    __attribute__((noinline)) static uint32_t name(const float *x, float *y, uint32_t n, uint32_t step,       \
                                                   const gm_channel_vectors *v)                               \
    {                                                                                                         \
        register uint32_t left __asm__("lr") = n;                                                             \
        __asm__ volatile(HELIUM                                                                               \
                         CLEAR_FLUSHED(r12)                                                                   \
                         LINE("ldm %[v], {r4, r5, r6, r8}")                                                   \
                         LOAD_8(r5, q0, q1) LOAD_8(r6, q2, q3)                                                \
                         OP_2("vmul", q2, q3, q0, q1)                                                         \
                         START                                                                                \
                         "1:\n\t"                                                                             \
                         LOOP                                                                                 \
                         LINE("mov lr, #0")                                                                   \
                         "2:\n\t"                                                                             \
                         : [x] "+r"(x), [y] "+r"(y), "+&r"(left)                                              \
                         : [step] "r"(step), [v] "r"(v), [n] "r"(n)                                           \
                         : "r4", "r5", "r6", "r8", "r12", CHANGED);                                           \
        return left;                                                                                          \
    }

/* OPERATIONS on q6 and q7 of each pixel. Storing a pixel destroys its input only if y is x, so only
 * then each pixel is checked for subnormals; otherwise all of them can be recomputed. */
#define IN_PLACE(OPERATIONS)                                                                                  \
    LOAD_8(%[y], q6, q7)                                                                                      \
    OPERATIONS                                                                                                \
    IF_FLUSHED(r12, 2f)                                                                                       \
    STORE_8(%[y], q6, q7) LINE("add %[y], %[step]")                                                           \
    LINE("le lr, 1b")
#define APART(OPERATIONS)                                                                                     \
    LOAD_8(%[x], q6, q7) LINE("add %[x], %[step]")                                                            \
    OPERATIONS                                                                                                \
    STORE_8(%[y], q6, q7) LINE("add %[y], %[step]")                                                           \
    LINE("le lr, 1b")                                                                                         \
    LINE("mov lr, %[n]")                                                                                      \
    IF_FLUSHED(r12, 2f)

#define DEFINE_NORMALIZE(name, START_IN_PLACE, LOOP_IN_PLACE, START_APART, LOOP_APART)                                              \
    DEFINE_PIXELS(name##_in_place, START_IN_PLACE, LOOP_IN_PLACE)                                             \
    DEFINE_PIXELS(name##_apart, START_APART, LOOP_APART)                                                            \
    uint32_t name(const float *x, float *y, uint32_t n, uint32_t step, const gm_channel_vectors *v)           \
    {                                                                                                         \
        return (x == y ? name##_in_place : name##_apart)(x, y, n, step, v);                                   \
    }

/* q0 and q1 are the means, q4 and q5 biases. */
#define MEAN_AND_BIAS LOAD_8(r4, q0, q1) LOAD_8(r8, q4, q5)
#define NORMALIZE_VECTORS OP_2("vsub", q6, q7, q0, q1) OP_2("vmul", q6, q7, q2, q3) OP_2("vadd", q6, q7, q4, q5)
#define RECTIFIED_VECTORS NORMALIZE_VECTORS RECTIFY_8(q6, q7)

/* Without mean and bias there is room for three pixels, at y, r5 and r6, which are checked for
 * subnormals together: r8 times, then the remaining pixels. */
#define SCALE_VECTORS(q, r) OP_2("vmul", q, r, q2, q3)
#define BEGIN_THREE_PIXELS                                                                                    \
    LINE("mov r8, #3") LINE("udiv r8, %[n], r8") LINE("add r4, %[step], %[step], lsl #1")                     \
    LINE("add r5, %[y], %[step]") LINE("add r6, r5, %[step]")                                                 \
    LINE("wls lr, r8, 3f")
#define SCALE_THREE_PIXELS                                                                                    \
    LOAD_8(%[y], q0, q1) LOAD_8(r5, q4, q5) LOAD_8(r6, q6, q7)                                                \
    SCALE_VECTORS(q0, q1) SCALE_VECTORS(q4, q5) SCALE_VECTORS(q6, q7)                                         \
    IF_FLUSHED(r12, 5f)                                                                                       \
    STORE_8(%[y], q0, q1) STORE_8(r5, q4, q5) STORE_8(r6, q6, q7)                                             \
    LINE("add %[y], r4") LINE("add r5, r4") LINE("add r6, r4")
#define SCALE_IN_PLACE                                                                                        \
    SCALE_THREE_PIXELS                                                                                        \
    LINE("le lr, 1b")                                                                                         \
    "3:\n\t"                                                                                                  \
    LINE("add r8, r8, r8, lsl #1") LINE("subs lr, %[n], r8") LINE("beq 2f")                                   \
    "4:\n\t"                                                                                                  \
    LOAD_8(%[y], q0, q1) SCALE_VECTORS(q0, q1)                                                                \
    IF_FLUSHED(r12, 2f)                                                                                       \
    STORE_8(%[y], q0, q1) LINE("add %[y], %[step]")                                                           \
    LINE("le lr, 4b")                                                                                         \
    LINE("mov lr, #0") LINE("b 2f")                                                                           \
    "5:\n\t"                                                                                                  \
    LINE("sub r8, lr") LINE("add r8, r8, r8, lsl #1") LINE("sub lr, %[n], r8") LINE("b 2f")

DEFINE_NORMALIZE(gm_helium_normalize, MEAN_AND_BIAS, IN_PLACE(NORMALIZE_VECTORS), MEAN_AND_BIAS, APART(NORMALIZE_VECTORS))
DEFINE_NORMALIZE(gm_helium_normalize_relu, MEAN_AND_BIAS, IN_PLACE(RECTIFIED_VECTORS), MEAN_AND_BIAS, APART(RECTIFIED_VECTORS))
DEFINE_NORMALIZE(gm_helium_scale, BEGIN_THREE_PIXELS, SCALE_IN_PLACE, , APART(SCALE_VECTORS(q6, q7)))

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
