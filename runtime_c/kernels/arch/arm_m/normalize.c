/*
 * Batch normalization on Cortex-M with FPU: 8 adjacent channels, down the pixels. Machine
 * instructions for each element: NORMALIZE 3.75, with relu 5.38, without mean and bias 1.75; sums
 * 4; moments 5, in two loops; NORMALIZE_GRAD, of 4 channels, 6.
 */
#include "../../../generated/instructions/moments.h"
#include "../../../generated/instructions/normalize.h"
#include "../../../generated/instructions/normalize_grad.h"
#include "../../../generated/instructions/normalize_sums.h"
#include "../../normalize.h"
#include "../helium/helium.h"
#include "blocks/channels.h"
#include "blocks/registers.h"

#include "../../../src/numerics.h"

#if GM_ARCH_ARM_M && (GM_WITH_MOMENTS || GM_WITH_NORMALIZE || GM_WITH_NORMALIZE_SUMS || GM_WITH_NORMALIZE_GRAD)

/* y operation= b, of 4 registers and of the first 8. */
#define OP_4(operation, y0, y1, y2, y3, b0, b1, b2, b3) \
    OP(operation, y0, y0, b0) OP(operation, y1, y1, b1) OP(operation, y2, y2, b2) OP(operation, y3, y3, b3)
#define OP_8(operation, b0, b1, b2, b3, b4, b5, b6, b7) \
    OP_4(operation, s0, s1, s2, s3, b0, b1, b2, b3) OP_4(operation, s4, s5, s6, s7, b4, b5, b6, b7)

/* Runs BODY for each of n pixels. */
#define FOR_PIXELS(BODY) LOOP_LABEL(1) BODY LINE("subs %[n], #1") LINE("bne 1b")

#define ZERO_8(a, b, c, d, e, f, g, h)                                                               \
    LINE("mov r4, #0") LINE("vmov " #a ", r4") LINE("vmov " #b ", r4") LINE("vmov " #c ", r4")       \
    LINE("vmov " #d ", r4") LINE("vmov " #e ", r4") LINE("vmov " #f ", r4") LINE("vmov " #g ", r4")  \
    LINE("vmov " #h ", r4")

#define CORE "r4", "r5", "r6", "r8"

#if GM_WITH_MOMENTS

/* Defines a function that sums 8 channels over n pixels, from 0. TAKE: what a difference s0 .. s7
 * adds to s16 .. s23. */
#define DEFINE_DIFFERENCES(name, TAKE)                                                                              \
    TILE name(const float *x, uint32_t n, uint32_t step, const float *centre, float sums[8])                        \
    {                                                                                                               \
        __asm__ volatile(LINE("vldmia %[centre], {s8-s15}") ZERO_8(s16, s17, s18, s19, s20, s21, s22, s23)          \
                         FOR_PIXELS(LOAD_STEP(x, "s0-s7", step)                                                     \
                                    OP_8("vsub", s8, s9, s10, s11, s12, s13, s14, s15) TAKE)                        \
                         LINE("vstmia %[sums], {s16-s23}")                                                          \
                         : [x] "+r"(x), [n] "+r"(n)                                                                 \
                         : [step] "r"(step), [centre] "r"(centre), [sums] "r"(sums)                                 \
                         : CORE, CHANGED);                                                                          \
    }

DEFINE_DIFFERENCES(differences_8, OP_4("vadd", s16, s17, s18, s19, s0, s1, s2, s3)
                                  OP_4("vadd", s20, s21, s22, s23, s4, s5, s6, s7))
DEFINE_DIFFERENCES(squares_8, MAC_2(s16, s0, s0, s17, s1, s1) MAC_2(s18, s2, s2, s19, s3, s3)
                              MAC_2(s20, s4, s4, s21, s5, s5) MAC_2(s22, s6, s6, s23, s7, s7))

uint32_t gm_moments_across(const struct gm_session *session, const gm_insn_moments *insn)
{
    const float *x = gm_f32(session, insn->x);
    float *mean = gm_f32_out(session, insn->mean), *inv_std = gm_f32_out(session, insn->inv_std);
    float *var = gm_f32_out_optional(session, insn->var);
    float sums[8], n = (float)insn->outer;
    uint32_t c = 0;
    for (; insn->channels - c >= 8; c += 8) {
        differences_8(x + c, insn->outer, 4 * insn->channels, x + c, sums);
        for (uint32_t i = 0; i < 8; i++) {
            mean[c + i] = x[c + i] + sums[i] / n;
        }
        squares_8(x + c, insn->outer, 4 * insn->channels, mean + c, sums);
        for (uint32_t i = 0; i < 8; i++) {
            float variance = sums[i] / n;
            inv_std[c + i] = 1.0f / gm_sqrt(variance + insn->epsilon);
            if (var) {
                var[c + i] = variance;
            }
        }
    }
    return c;
}

#endif

#if GM_WITH_NORMALIZE

#define LOAD_FACTORS                                                                                                \
    LINE("ldm %[v], {r4, r5, r6, r8}")                                                                              \
    LINE("vldmia r5, {s0-s7}") LINE("vldmia r6, {s16-s23}")                                                         \
    OP_4("vmul", s16, s17, s18, s19, s0, s1, s2, s3) OP_4("vmul", s20, s21, s22, s23, s4, s5, s6, s7)
#define NORMALIZE_PIXEL                                                                                             \
    LOAD_STEP(x, "s0-s7", step)                                                                                     \
    OP_8("vsub", s8, s9, s10, s11, s12, s13, s14, s15)                                                              \
    OP_8("vmul", s16, s17, s18, s19, s20, s21, s22, s23)                                                            \
    OP_8("vadd", s24, s25, s26, s27, s28, s29, s30, s31)
#define STORE_PIXEL LINE("vstmia %[y], {s0-s7}") LINE("add %[y], %[step]")

/* Stores 4 registers, with negative values as 0. NaN is positive here, so the
 * sign alone decides. */
#define RECTIFY(r) LINE("bic " #r ", " #r ", " #r ", asr #31")
#define STORE_RECTIFIED(a, b, c, d)                                                                                 \
    LINE("vmov r4, r5, " #a ", " #b) LINE("vmov r6, r8, " #c ", " #d)                                               \
    RECTIFY(r4) RECTIFY(r5) RECTIFY(r6) RECTIFY(r8) LINE("stmia %[y]!, {r4, r5, r6, r8}")

/* Between these two, operations return NaN as 0x7fc00000. */
#define DEFAULT_NAN LINE("vmrs %[mode], fpscr") LINE("orr r4, %[mode], #0x2000000") LINE("vmsr fpscr, r4")
#define USUAL_NAN LINE("vmsr fpscr, %[mode]")

TILE normalize_8(const float *x, float *y, uint32_t n, uint32_t step, const gm_channel_vectors *v)
{
    __asm__ volatile(LOAD_FACTORS LINE("vldmia r4, {s8-s15}") LINE("vldmia r8, {s24-s31}")
                     FOR_PIXELS(NORMALIZE_PIXEL STORE_PIXEL)
                     : [x] "+r"(x), [y] "+r"(y), [n] "+r"(n)
                     : [step] "r"(step), [v] "r"(v)
                     : CORE, CHANGED);
}

TILE normalize_relu_8(const float *x, float *y, uint32_t n, uint32_t step, const gm_channel_vectors *v)
{
    uint32_t mode;
    __asm__ volatile(LOAD_FACTORS LINE("vldmia r4, {s8-s15}") LINE("vldmia r8, {s24-s31}")
                     DEFAULT_NAN
                     FOR_PIXELS(NORMALIZE_PIXEL STORE_RECTIFIED(s0, s1, s2, s3) STORE_RECTIFIED(s4, s5, s6, s7)
                                LINE("add %[y], %[rest]"))
                     USUAL_NAN
                     : [x] "+r"(x), [y] "+r"(y), [n] "+r"(n), [mode] "=&r"(mode)
                     : [step] "r"(step), [rest] "r"(step - 32), [v] "r"(v)
                     : CORE, CHANGED);
}

TILE scale_8(const float *x, float *y, uint32_t n, uint32_t step, const gm_channel_vectors *v)
{
    __asm__ volatile(LOAD_FACTORS
                     FOR_PIXELS(LOAD_STEP(x, "s0-s7", step) OP_8("vmul", s16, s17, s18, s19, s20, s21, s22, s23)
                                STORE_PIXEL)
                     : [x] "+r"(x), [y] "+r"(y), [n] "+r"(n)
                     : [step] "r"(step), [v] "r"(v)
                     : CORE, CHANGED);
}

#if GM_ARCH_HELIUM
/* With Helium until a subnormal occurs. */
#define DEFINE_OF_8(name)                                                                                           \
    static void name##_of_8(const float *x, float *y, uint32_t n, uint32_t step, const gm_channel_vectors *v)       \
    {                                                                                                               \
        uint32_t left = gm_helium_##name(x, y, n, step, v), done = (n - left) * (step / 4);                         \
        if (left > 0) {                                                                                             \
            name##_8(x + done, y + done, left, step, v);                                                            \
        }                                                                                                           \
    }

DEFINE_OF_8(normalize)
DEFINE_OF_8(normalize_relu)
DEFINE_OF_8(scale)
#else
#define normalize_of_8 normalize_8
#define normalize_relu_of_8 normalize_relu_8
#define scale_of_8 scale_8
#endif

uint32_t gm_normalize_across(const struct gm_session *session, const gm_insn_normalize *insn)
{
    const float *x = gm_f32(session, insn->x);
    float *y = gm_f32_out(session, insn->y);
    gm_channel_vectors v = { gm_f32_optional(session, insn->mean), gm_f32(session, insn->inv_std),
                             gm_f32(session, insn->scale), gm_f32_optional(session, insn->bias) };
    int whole = v.mean && v.bias, bare = !v.mean && !v.bias && !insn->activation;
    uint32_t c = 0, step = 4 * insn->channels;
    for (; (whole || bare) && insn->channels - c >= 8; c += 8) {
        if (bare) {
            scale_of_8(x + c, y + c, insn->outer, step, &v);
        } else if (insn->activation) {
            normalize_relu_of_8(x + c, y + c, insn->outer, step, &v);
        } else {
            normalize_of_8(x + c, y + c, insn->outer, step, &v);
        }
        v.inv_std += 8, v.scale += 8;
        v.mean = whole ? v.mean + 8 : v.mean, v.bias = whole ? v.bias + 8 : v.bias;
    }
    return c;
}

#endif

#if GM_WITH_NORMALIZE_SUMS

/* No registers are left for products, which replace the differences. */
TILE sums_8(const float *dy, const float *x, uint32_t n, uint32_t rest, const gm_channel_sums *v)
{
    __asm__ volatile(ZERO_8(s16, s17, s18, s19, s20, s21, s22, s23) ZERO_8(s24, s25, s26, s27, s28, s29, s30, s31)
                     LINE("ldm %[v], {r4, r5, r6, r8}") LINE("vldmia r4, {s8-s15}")
                     FOR_PIXELS(LOAD(dy, "s0-s3") LOAD(x, "s4-s7")
                                OP_4("vsub", s4, s5, s6, s7, s8, s9, s10, s11)
                                OP_4("vadd", s16, s17, s18, s19, s0, s1, s2, s3)
                                MAC_2_BY(s4, s5, s24, s0, s4, s25, s1, s5) MAC_2_BY(s6, s7, s26, s2, s6, s27, s3, s7)
                                LOAD(dy, "s0-s3") LOAD(x, "s4-s7")
                                OP_4("vsub", s4, s5, s6, s7, s12, s13, s14, s15)
                                OP_4("vadd", s20, s21, s22, s23, s0, s1, s2, s3)
                                MAC_2_BY(s4, s5, s28, s0, s4, s29, s1, s5) MAC_2_BY(s6, s7, s30, s2, s6, s31, s3, s7)
                                LINE("add %[dy], %[rest]") LINE("add %[x], %[rest]"))
                     LINE("vldmia r5, {s0-s7}")
                     OP_4("vmul", s24, s25, s26, s27, s0, s1, s2, s3) OP_4("vmul", s28, s29, s30, s31, s4, s5, s6, s7)
                     LINE("vstmia r6, {s24-s31}") LINE("vstmia r8, {s16-s23}")
                     : [dy] "+r"(dy), [x] "+r"(x), [n] "+r"(n)
                     : [rest] "r"(rest), [v] "r"(v)
                     : CORE, CHANGED);
}

uint32_t gm_normalize_sums_across(const struct gm_session *session, const gm_insn_normalize_sums *insn)
{
    const float *dy = gm_f32(session, insn->dy), *x = gm_f32(session, insn->x);
    gm_channel_sums v = { gm_f32(session, insn->mean), gm_f32(session, insn->inv_std),
                          gm_f32_out(session, insn->dscale), gm_f32_out(session, insn->dbias) };
    uint32_t c = 0;
    for (; insn->channels - c >= 8; c += 8) {
        if (!gm_helium_normalize_sums(dy + c, x + c, insn->outer, 4 * insn->channels, &v)) {
            sums_8(dy + c, x + c, insn->outer, 4 * insn->channels - 32, &v);
        }
        v.mean += 8, v.inv_std += 8, v.dscale += 8, v.dbias += 8;
    }
    return c;
}

#endif

#if GM_WITH_NORMALIZE_GRAD

/* numbers: mean, factor, part and -slope of 4 channels. */
TILE gradient_4(const float *dy, const float *x, float *dx, uint32_t n, uint32_t step, const float numbers[16])
{
    __asm__ volatile(LINE("vldmia %[numbers], {s8-s23}")
                     FOR_PIXELS(LOAD_STEP(dy, "s0-s3", step) LOAD_STEP(x, "s4-s7", step)
                                OP_4("vsub", s4, s5, s6, s7, s8, s9, s10, s11)
                                OP_4("vsub", s0, s1, s2, s3, s16, s17, s18, s19)
                                MAC_2(s0, s4, s20, s1, s5, s21) MAC_2(s2, s6, s22, s3, s7, s23)
                                OP_4("vmul", s0, s1, s2, s3, s12, s13, s14, s15)
                                LINE("vstmia %[dx], {s0-s3}") LINE("add %[dx], %[step]"))
                     : [dy] "+r"(dy), [x] "+r"(x), [dx] "+r"(dx), [n] "+r"(n)
                     : [step] "r"(step), [numbers] "r"(numbers)
                     : CHANGED);
}

uint32_t gm_normalize_grad_across(const struct gm_session *session, const gm_insn_normalize_grad *insn)
{
    const float *dy = gm_f32(session, insn->dy), *x = gm_f32(session, insn->x), *mean = gm_f32(session, insn->mean);
    const float *inv_std = gm_f32(session, insn->inv_std), *scale = gm_f32(session, insn->scale);
    const float *dscale = gm_f32(session, insn->dscale), *dbias = gm_f32(session, insn->dbias);
    float *dx = gm_f32_out(session, insn->dx), numbers[16], n = (float)insn->outer;
    uint32_t c = 0;
    for (; insn->channels - c >= 4; c += 4) {
        for (uint32_t i = 0, of = c; i < 4; i++, of++) {
            numbers[i] = mean[of], numbers[4 + i] = scale[of] * inv_std[of];
            numbers[8 + i] = dbias[of] / n, numbers[12 + i] = -(inv_std[of] * (dscale[of] / n));
        }
        gradient_4(dy + c, x + c, dx + c, insn->outer, 4 * insn->channels, numbers);
    }
    return c;
}

#endif

#endif
