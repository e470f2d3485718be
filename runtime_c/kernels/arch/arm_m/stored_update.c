/*
 * Steps of stored integers on Cortex-M, with an integer limit: then a step can be
 * clamped after rounding.
 *
 * With the DSP extension, four elements at once: 13.25 machine instructions per int8 weight, 14.25
 * per 16-bit master.
 */
#include "sum_steps.h"

#include "../../../src/numerics.h"
#include "blocks/dsp.h"
#include "blocks/registers.h"

#if GM_ARCH_STORED_STEPS

#if GM_ARCH_DSP

/* Bounds of two or four elements in each word. */
typedef struct step_bounds {
    uint32_t limit, minus_limit, high, low;
} step_bounds;

/* Replicates a value to each byte, or each half, of a word. */
static uint32_t in_each_lane(int32_t x, uint32_t bytes)
{
    return bytes == 1 ? ((uint32_t)x & 0xffu) * 0x01010101u : ((uint32_t)x & 0xffffu) * 0x00010001u;
}

static step_bounds step_bounds_of(const gm_stored_update *u)
{
    int32_t limit = (int32_t)u->limit;
    return (step_bounds){in_each_lane(limit, u->bytes), in_each_lane(-limit, u->bytes), in_each_lane(u->high, u->bytes),
                         in_each_lane(u->low, u->bytes)};
}

/*
 * One loop is four elements:
 *
 *     a, b, c, d = 2^16 rate g, rounded, at most 2^30        s4   2^16 rate
 *     x = the random word of a and b; a += its low half; b += its high half; c and d likewise
 *     steps = the upper halves of a, b, c, d, at most limit
 *     p = p - steps, from low to high
 */
#define EACH_STEP(WHAT) WHAT(s0, a) WHAT(s1, b) WHAT(s2, c) WHAT(s3, d)
#define TO_STEP(g, number) LINE("vmul.f32 " #g ", " #g ", s4") LINE("vcvtr.s32.f32 " #g ", " #g)
#define CUT_STEP(g, number) LINE("ssat %[" #number "], #31, %[" #number "]")
#define ROUND_AT_RANDOM(first, second) \
    LINE("eor %[x], %[key], %[key], lsr #16") LINE("mul %[x], %[x], %[mix1]") \
    LINE("eor %[x], %[x], %[x], lsr #15") LINE("mul %[x], %[x], %[mix2]") \
    LINE("eor %[x], %[x], %[x], lsr #16") LINE("add %[key], #1") \
    LINE("uxtah %[" #first "], %[" #first "], %[x]") LINE("add %[" #second "], %[" #second "], %[x], lsr #16")
/* Clamps to at most `most`, at least `least`; clobbers x. */
#define CUT_WORD(size, number, most, least) \
    LINE("ssub" #size " %[x], %[" #most "], %[" #number "]") LINE("sel %[" #number "], %[" #number "], %[" #most "]") \
    LINE("ssub" #size " %[x], %[" #number "], %[" #least "]") LINE("sel %[" #number "], %[" #number "], %[" #least "]")
#define FOUR_STEPS \
    LINE("vldmia %[g]!, {s0-s3}") EACH_STEP(TO_STEP) \
    LINE("vmov %[a], %[b], s0, s1") LINE("vmov %[c], %[d], s2, s3") EACH_STEP(CUT_STEP) \
    ROUND_AT_RANDOM(a, b) ROUND_AT_RANDOM(c, d)

#define FOUR_BYTES \
    FOUR_STEPS \
    LINE("pkhtb %[c], %[c], %[a], asr #16") LINE("pkhtb %[d], %[d], %[b], asr #16") \
    LINE("ssat16 %[c], #8, %[c]") LINE("ssat16 %[d], #8, %[d]") \
    LINE("uxtb16 %[c], %[c]") LINE("uxtb16 %[d], %[d]") LINE("orr %[c], %[c], %[d], lsl #8") \
    LINE("ldrd %[a], %[b], [%[bounds]]") CUT_WORD(8, c, a, b) \
    LINE("ldr %[d], [%[p]]") LINE("ldrd %[a], %[b], [%[bounds], #8]") \
    LINE("qsub8 %[c], %[d], %[c]") CUT_WORD(8, c, a, b) \
    LINE("str %[c], [%[p]], #4")

#define TWO_HALVES(steps) \
    LINE("ldr %[x], [%[p]]") LINE("qsub16 %[" #steps "], %[x], %[" #steps "]") CUT_WORD(16, steps, a, c) \
    LINE("str %[" #steps "], [%[p]], #4")
#define FOUR_HALVES \
    FOUR_STEPS \
    LINE("pkhtb %[b], %[b], %[a], asr #16") LINE("pkhtb %[d], %[d], %[c], asr #16") \
    LINE("ldrd %[a], %[c], [%[bounds]]") CUT_WORD(16, b, a, c) CUT_WORD(16, d, a, c) \
    LINE("ldrd %[a], %[c], [%[bounds], #8]") TWO_HALVES(b) TWO_HALVES(d)

/* Defines a function that takes the steps of all g up to the end; their number is
 * a multiple of four. */
#define DEFINE_STEPS(name, FOUR) \
    TILE name(uint8_t *p, const float *g, const float *end, float rate, uint32_t key, const step_bounds *bounds) \
    { \
        uint32_t a, b, c, d, x; \
        __asm__ volatile(LINE("vmov s4, %[rate]") \
                         "1:\n\t" \
                         FOUR \
                         LINE("cmp %[g], %[end]") LINE("bne 1b") \
                         : [p] "+r"(p), [g] "+r"(g), [key] "+r"(key), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), \
                           [d] "=&r"(d), [x] "=&r"(x) \
                         : [end] "r"(end), [mix1] "r"(GM_MIX_1), [mix2] "r"(GM_MIX_2), [bounds] "r"(bounds), \
                           [rate] "t"(rate) \
                         : "cc", "memory", "s0", "s1", "s2", "s3", "s4"); \
    }
DEFINE_STEPS(step_bytes, FOUR_BYTES)
DEFINE_STEPS(step_halves, FOUR_HALVES)

/* 2^16 rate is exact if it is finite, so its product with a gradient has the same digits. */
uint32_t gm_arm_take_steps(const gm_stored_update *u, const float *step, float rate, uint32_t first, uint32_t n)
{
    float fixed = rate * 0x1p16f;
    if (n < 4 || first % 2 > 0 || !gm_suits_steps(u) || !(gm_abs(fixed) < GM_INFINITY)) {
        return 0;
    }
    const step_bounds bounds = step_bounds_of(u);
    uint32_t done = n & ~3u, key = u->random.stream_key + first / 2;
    if (u->bytes == 1) { /* not through a pointer: every possible callee would count towards this function's stack */
        step_bytes(u->p + first, step, step + done, fixed, key, &bounds);
    } else {
        step_halves(u->p + 2 * first, step, step + done, fixed, key, &bounds);
    }
    return done;
}

#else

/* A rate, for products with gradients without float arithmetic. */
typedef struct integer_rate {
    uint32_t significand; /* the highest bit is set */
    uint32_t exponent;    /* as in the float's bits */
} integer_rate;

/* Returns 2^16 |g rate|, rounded down, and INT32_MAX from 2^30 on. */
static int32_t fixed_product(const integer_rate *rate, uint32_t g)
{
    uint32_t exponent = rate->exponent + (g >> 23 & 0xffu);
    if (exponent <= 268 - 32) {
        return 0;
    }
    uint32_t product = (uint32_t)((uint64_t)(g << 8 | 0x80000000u) * rate->significand >> 32);
    return exponent < 268 && product >> (268 - exponent) < 1u << 30 ? (int32_t)(product >> (268 - exponent)) : INT32_MAX;
}

/*
 * Takes the step of one element, with a random number r. Returns 0, and does nothing, if 2^16 times
 * the step, plus r, is so close to a multiple of 2^16 that roundings decide: that of the float
 * product is at most 2^-24 of it, and each of the other two at most 1.
 */
static int take_integer_step(const gm_stored_update *u, uint32_t at, int32_t t, uint32_t is_negative, uint32_t r)
{
    int32_t limit = (int32_t)u->limit, doubt = 2 + (t >> 24);
    t = t > (limit << 16) + doubt ? limit << 16 : t;
    int32_t sum = (is_negative ? -t : t) + (int32_t)r, step = sum >> 16;
    if ((sum & 0xffff) < doubt || (sum & 0xffff) > 0xffff - doubt) {
        return 0;
    }
    step = step < -limit ? -limit : step > limit ? limit : step;
    int64_t q = (int64_t)gm_stored_element(u, at) - step;
    gm_store_element(u, at, q < u->low ? u->low : q > u->high ? u->high : (int32_t)q);
    return 1;
}

uint32_t gm_arm_take_steps(const gm_stored_update *u, const float *step, float rate, uint32_t first, uint32_t n)
{
    uint32_t bits = gm_bits_of(rate), exponent = bits >> 23 & 0xffu, i = 0;
    if (!gm_suits_steps(u) || exponent < 2 || exponent > 127 + 63) {
        return 0;
    }
    const integer_rate factor = {bits << 8 | 0x80000000u, exponent};
    for (; i < n; i++) {
        uint32_t g = gm_bits_of(step[i]), is_finite = (g & 0x7f800000u) != 0x7f800000u;
        uint32_t word = gm_random_pair(u->random, (first + i) >> 1), r = (first + i) & 1u ? word >> 16 : word & 0xffffu;
        if (!is_finite || !take_integer_step(u, first + i, fixed_product(&factor, g), (g ^ bits) >> 31, r)) {
            break;
        }
    }
    return i;
}

#endif
#endif
