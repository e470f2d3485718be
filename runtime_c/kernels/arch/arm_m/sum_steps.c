/* Steps of sum_steps.h. */
#include "sum_steps.h"

#include "blocks/scaled.h"

#if GM_ARCH_SUM_STEPS

/* How sums of a channel become steps: 2^16 step = sum significand 2^-(32 + shift). */
typedef struct sum_steps {
    const gm_stored_update *u;
    int32_t significand;
    uint32_t shift; /* 0 .. 31, or more: then only float arithmetic can make the steps */
    uint32_t doubt; /* how far 2^16 step, plus its rounding, may be from that of float arithmetic, within the limit */
    float factor, unit;
} sum_steps;

int gm_suits_sum_steps(const gm_stored_update *u)
{
    return gm_is_plain_sgd(u->rule) && u->bytes <= 2 && gm_suits_steps(u);
}

/* A positive number: significand 2^(exponent - 30). */
typedef struct whole_number {
    uint32_t significand; /* 2^30 .. 2^31 */
    int32_t exponent;
} whole_number;

static whole_number whole_number_of(uint32_t bits)
{
    return (whole_number){(bits << 8 | 0x80000000u) >> 1, (int32_t)(bits >> 23) - 127};
}

/* Returns a / b, truncated after 30 digits, for numbers of 24 digits: 7 or 8 digits of the
 * quotient at a time. */
static whole_number quotient_of(whole_number a, whole_number b)
{
    uint32_t divisor = b.significand >> 7, rest = a.significand, quotient = 0;
    int32_t exponent = a.exponent - b.exponent;
    for (uint32_t i = 0; i < 4; i++, rest <<= 8) {
        uint32_t digits = rest / divisor;
        rest -= digits * divisor;
        quotient = (quotient << 8) + digits;
    }
    return quotient >> 31 ? (whole_number){quotient >> 1, exponent} : (whole_number){quotient, exponent - 1};
}

static int is_normal_and_positive(uint32_t bits)
{
    return (bits >> 23) - 1u < 254u;
}

/*
 * In float arithmetic, four roundings each change a step by at most 2^-24 of it, and a
 * fifth changes 2^16 step by 1/2. Here truncation loses less than 2, and 2^-28 of the step.
 * Beyond the limit none of that matters. If a float quotient might overflow or underflow,
 * floats make the steps.
 */
static sum_steps sum_steps_of(const gm_stored_update *u, float factor, float unit)
{
    uint32_t a = gm_bits_of(factor), b = gm_bits_of(u->lr), c = gm_bits_of(unit);
    whole_number scale = whole_number_of(a), rate = quotient_of(whole_number_of(b), whole_number_of(c));
    int are_usual = is_normal_and_positive(a) && is_normal_and_positive(b) && is_normal_and_positive(c) &&
                    rate.exponent > -125 && rate.exponent < 126;
    return (sum_steps){u, (int32_t)((uint64_t)scale.significand * rate.significand >> 31),
                       are_usual ? (uint32_t)(-19 - scale.exponent - rate.exponent) : UINT32_MAX,
                       4 + ((uint32_t)u->limit + 1) / 32, factor, unit};
}

__attribute__((noinline)) static void take_step_by_floats(const sum_steps *s, int32_t sum, uint32_t at)
{
    float gradient = (float)sum * s->factor;
    gm_update_stored(s->u, &gradient, 1.0f, s->unit, at, 1);
}

/* Returns the element after a step with a 16-bit random number r, or after the same step
 * by float arithmetic. */
static inline int32_t after_sum_step(const gm_stored_update *u, const sum_steps *s, int32_t limit, int32_t sum, uint32_t at,
                                     uint32_t r)
{
    uint32_t low;
    int32_t moved = (gm_wide_product(sum, s->significand, &low) >> s->shift) + (int32_t)r, step = moved >> 16;
    if (((uint32_t)moved + s->doubt) << 16 < s->doubt << 17) {
        take_step_by_floats(s, sum, at);
        return gm_stored_element(u, at);
    }
    if ((uint32_t)(step + limit) > 2 * (uint32_t)limit) {
        step = step < 0 ? -limit : limit;
    }
    int32_t q = gm_stored_element(u, at) - step;
    if ((uint32_t)(q - u->low) > (uint32_t)(u->high - u->low)) {
        return q < u->low ? u->low : u->high;
    }
    return q;
}

/* Element `at`, and the next one, which share a random word. */
static inline void take_two_steps(const gm_stored_update *u, const sum_steps *s, int32_t limit, const int32_t *sums,
                                  uint32_t at)
{
    uint32_t word = gm_random_pair(u->random, at / 2);
    gm_store_element(u, at, after_sum_step(u, s, limit, sums[0], at, word & 0xffffu));
    gm_store_element(u, at + 1, after_sum_step(u, s, limit, sums[1], at + 1, word >> 16));
}

static inline void take_one_step(const gm_stored_update *u, const sum_steps *s, int32_t limit, int32_t sum, uint32_t at)
{
    uint32_t word = gm_random_pair(u->random, at / 2);
    gm_store_element(u, at, after_sum_step(u, s, limit, sum, at, at % 2 ? word >> 16 : word & 0xffffu));
}

/* Not on the smallest boards: their stack has no room for it. */
#if defined(__thumb2__)
#define BYTES_IN_A_LOOP_OF_THEIR_OWN 1
#else
#define BYTES_IN_A_LOOP_OF_THEIR_OWN 0
#endif

/* bytes: per element, a constant if each width has a loop of its own. */
static inline __attribute__((always_inline)) void take_sum_steps(const sum_steps *s, const int32_t *sums, uint32_t first,
                                                                 uint32_t n, const uint32_t bytes)
{
    gm_stored_update own = *s->u; /* its address does not escape, so no store to an element can change it */
    int32_t limit = (int32_t)own.limit;
    uint32_t at = first, end = first + n;
    own.bytes = bytes;
    if (at % 2 > 0 && at != end) {
        take_one_step(&own, s, limit, *sums++, at++);
    }
    for (; end - at >= 2; at += 2, sums += 2) {
        take_two_steps(&own, s, limit, sums, at);
    }
    if (at != end) {
        take_one_step(&own, s, limit, *sums, at);
    }
}

/* The same for steps that are too long, or too short, for integers: the
 * gradients replace the sums. */
static void update_by_gradients(const sum_steps *s, int32_t *sums, uint32_t first, uint32_t n)
{
    float *gradients = (float *)(void *)sums;
    for (uint32_t i = 0; i < n; i++) {
        gradients[i] = gm_sum_times(sums[i], s->factor);
    }
    gm_update_stored(s->u, gradients, 1.0f, s->unit, first, n);
}

void gm_update_by_sums(const gm_stored_update *u, int32_t *sums, float factor, float unit, uint32_t first, uint32_t n)
{
    const sum_steps s = sum_steps_of(u, factor, unit);
    if (s.shift > 31) {
        update_by_gradients(&s, sums, first, n);
    } else if (BYTES_IN_A_LOOP_OF_THEIR_OWN && u->bytes == 1) {
        take_sum_steps(&s, sums, first, n, 1);
    } else {
        take_sum_steps(&s, sums, first, n, BYTES_IN_A_LOOP_OF_THEIR_OWN ? 2 : u->bytes);
    }
}

#endif
