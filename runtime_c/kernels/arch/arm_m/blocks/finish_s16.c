/* The last step of gradients, of finish_s16.h. */
#include "../../../../generated/instructions/conv_grad_x_s16.h"
#include "finish_s16.h"

#include "dsp.h"
#include "registers.h"

#if GM_ARCH_CONV_GRAD_X_S16

static uint32_t four_times(int32_t byte)
{
    return ((uint32_t)byte & 0xffu) * 0x01010101u;
}

gm_finish_s16 gm_finish_of(const struct gm_session *session, const gm_insn_conv_grad_x_s16 *insn,
                           const gm_gradient_s16 *made, int16_t *dx)
{
    const gm_clamp_mask mask = GM_CLAMP_MASK(session, insn);
    int32_t limit = (int32_t)made->limit;
    int has_addend = insn->addend != GM_NONE && insn->addend_exponent != GM_NONE;
    gm_finish_s16 finish = {
        .addend = has_addend ? gm_i16(session, insn->addend) : NULL,
        .scale = gm_f32_optional(session, insn->scale),
        .dx = dx,
        .unit = gm_power_of_two(gm_exponent_of(session, insn->dy_exponent).exponent),
        .addend_unit = has_addend ? gm_power_of_two(gm_exponent_of(session, insn->addend_exponent).exponent) : 0.0f,
        .inverse = made->inverse,
        .mask = mask,
        .limit = limit,
        .least = four_times(mask.low + 1),
        .most = four_times(mask.high - 1),
        .limits = gm_pair(limit, limit),
        .minus_limits = gm_pair(-limit, -limit),
        .by_fours = dx && (mask.q == NULL || (mask.low < INT8_MAX && mask.high > INT8_MIN)),
        .largest = made->largest,
    };
#if !GM_ARCH_DSP
    gm_prepare_finish(&finish, insn->groups * insn->in_channels);
#endif
    return finish;
}

#if GM_ARCH_DSP

/*
 * Four adjacent channels, 73 machine instructions, with an addend 91: zeroes values whose mask byte
 * is 0, then finds the largest.
 */
#define EACH_OF_FOUR(WHAT) WHAT(s0, s4, a, 0) WHAT(s1, s5, b, 8) WHAT(s2, s6, c, 16) WHAT(s3, s7, d, 24)
#define TO_SCALED(sum, scale, number, bit) LINE("vcvt.f32.s32 " #sum ", " #sum) LINE("vmul.f32 " #sum ", " #sum ", %[unit]")
#define PLUS_ADDEND                                                                                         \
    LINE("ldrsh %[a], [%[addend]]") LINE("ldrsh %[b], [%[addend], #2]")                                     \
    LINE("ldrsh %[c], [%[addend], #4]") LINE("ldrsh %[d], [%[addend], #6]")                                 \
    LINE("vmov s4, s5, %[a], %[b]") LINE("vmov s6, s7, %[c], %[d]")                                         \
    EACH_OF_FOUR(ADDEND_TO_SCALED) EACH_OF_FOUR(PLUS_SCALED)
#define ADDEND_TO_SCALED(sum, with, number, bit)                                                            \
    LINE("vcvt.f32.s32 " #with ", " #with) LINE("vmul.f32 " #with ", " #with ", %[addend_unit]")
#define PLUS_SCALED(sum, with, number, bit) LINE("vadd.f32 " #sum ", " #sum ", " #with)
#define TIMES_SCALE(sum, scale, number, bit) LINE("vmul.f32 " #sum ", " #sum ", " #scale)
#define MASKED(sum, scale, number, bit) LINE("sbfx %[t], %[mask], #" #bit ", #8") LINE("and %[" #number "], %[t]")
#define SEE(sum, scale, number, bit)                                                                        \
    LINE("bic %[t], %[" #number "], #0x80000000") LINE("cmp %[t], %[largest]")                              \
    LINE("it hi") LINE("movhi %[largest], %[t]")
#define ROUND(sum, scale, number, bit)                                                                      \
    LINE("vmul.f32 " #sum ", " #sum ", %[inverse]") LINE("vcvtr.s32.f32 " #sum ", " #sum)
#define SATURATE(sum, scale, number, bit) LINE("ssat %[" #number "], #16, %[" #number "]")
#define WITHIN(a, b)                                                                                        \
    LINE("pkhbt %[" #a "], %[" #a "], %[" #b "], lsl #16")                                                  \
    LINE("ssub16 %[t], %[limits], %[" #a "]") LINE("sel %[" #a "], %[" #a "], %[limits]")                   \
    LINE("ssub16 %[t], %[" #a "], %[minus_limits]") LINE("sel %[" #a "], %[" #a "], %[minus_limits]")

/* Returns 255 in each byte whose value is between the bounds, else 0. */
static inline uint32_t four_between(const gm_finish_s16 *f, uint32_t q)
{
    uint32_t mask = UINT32_MAX, t;
    __asm__(LINE("ssub8 %[t], %[q], %[least]") LINE("sel %[mask], %[mask], %[zero]")
            LINE("ssub8 %[t], %[most], %[q]") "sel %[mask], %[mask], %[zero]"
            : [mask] "+r"(mask), [t] "=&r"(t)
            : [q] "r"(q), [least] "r"(f->least), [most] "r"(f->most), [zero] "r"(0)
            : "cc");
    return mask;
}

/* Returns 255 in each byte whose bit, among the four from `at` on, is 1, else 0. */
static inline uint32_t four_bits(const uint8_t *bits, uint32_t at)
{
    uint32_t both = bits[at / 8] | (uint32_t)bits[(at + 3) / 8] << 8;
    return (((both >> at % 8 & 15u) * 0x00204081u) & 0x01010101u) * 255u;
}

/* Returns 255 in each byte whose value passes the mask, else 0. */
static inline uint32_t four_that_pass(const gm_finish_s16 *f, uint32_t at)
{
    uint32_t between = f->mask.q ? four_between(f, gm_four_at(f->mask.q + at)) : UINT32_MAX;
    return f->mask.bits ? between & four_bits(f->mask.bits, at) : between;
}

__attribute__((noinline)) static void finish_four(gm_finish_s16 *f, const uint32_t *sums, const float *scale, uint32_t mask,
                                                  uint32_t at)
{
    uint32_t a, b, c, d, t, largest = f->largest;
    const int16_t *addend = f->addend ? f->addend + at : NULL;
    int16_t *dx = f->dx + at;
    __asm__ volatile(LINE("vldmia %[sums], {s0-s3}") EACH_OF_FOUR(TO_SCALED)
                     LINE("cmp %[addend], #0") LINE("beq 2f")
                     PLUS_ADDEND
                     "2:\n\t"
                     LINE("cmp %[scale], #0") LINE("beq 1f")
                     LINE("vldmia %[scale], {s4-s7}") EACH_OF_FOUR(TIMES_SCALE)
                     "1:\n\t"
                     LINE("vmov %[a], %[b], s0, s1") LINE("vmov %[c], %[d], s2, s3")
                     EACH_OF_FOUR(MASKED) EACH_OF_FOUR(SEE)
                     LINE("vmov s0, s1, %[a], %[b]") LINE("vmov s2, s3, %[c], %[d]")
                     EACH_OF_FOUR(ROUND)
                     LINE("vmov %[a], %[b], s0, s1") LINE("vmov %[c], %[d], s2, s3")
                     EACH_OF_FOUR(SATURATE)
                     : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [t] "=&r"(t), [largest] "+r"(largest)
                     : [sums] "r"(sums), [scale] "r"(scale), [mask] "r"(mask), [addend] "r"(addend), [unit] "t"(f->unit),
                       [addend_unit] "t"(f->addend_unit), [inverse] "t"(f->inverse)
                     : "cc", "memory", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7");
    __asm__(WITHIN(a, b) WITHIN(c, d)
            : [a] "+r"(a), [c] "+r"(c), [t] "=&r"(t)
            : [b] "r"(b), [d] "r"(d), [limits] "r"(f->limits), [minus_limits] "r"(f->minus_limits)
            : "cc");
    __builtin_memcpy(dx, &a, sizeof a);
    __builtin_memcpy(dx + 2, &c, sizeof c);
    f->largest = largest;
}

/* Returns the nearest integer, ties to even. */
static inline int32_t nearest_integer(float x)
{
    int32_t result;
    __asm__("vcvtr.s32.f32 %1, %1\n\tvmov %0, %1" : "=r"(result), "+t"(x));
    return result;
}

static inline int32_t within(int32_t x, int32_t limit)
{
    x = x < limit ? x : limit;
    return x > -limit ? x : -limit;
}

void gm_finish_channels(gm_finish_s16 *finish, const uint32_t *sums, uint32_t n, uint32_t at, uint32_t step,
                        uint32_t channel)
{
    const gm_finish_s16 *f = finish;
    if (n == 4 && step == 1 && f->by_fours) {
        finish_four(finish, sums, f->scale ? f->scale + channel : NULL, four_that_pass(f, at), at);
        return;
    }
    uint32_t largest = f->largest;
    for (uint32_t i = 0; i < n; i++, at += step) {
        int32_t result = 0;
        if (gm_passes(&f->mask, at)) {
            float value = gm_value_of_sum(f, sums[i], at, channel + i);
            uint32_t bits = gm_bits_of(value) & 0x7fffffffu;
            largest = bits > largest ? bits : largest;
            result = within(nearest_integer(value * f->inverse), f->limit);
        }
        if (f->dx != NULL) {
            f->dx[at] = (int16_t)result;
        }
    }
    finish->largest = largest;
}

#endif

#endif
