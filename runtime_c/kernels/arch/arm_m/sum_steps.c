/* Steps of sum_steps.h. */
#include "sum_steps.h"

#include "blocks/scaled.h"

#if GM_ARCH_SUM_STEPS

/* How sums of a channel become steps: 2^16 step = sum significand 2^-(32 + shift). */
typedef struct sum_steps {
    const gm_stored_update *u;
    int32_t significand;
    uint32_t shift; /* 0 .. 31, or more: only float arithmetic makes these steps */
    uint32_t doubt; /* how far 2^16 step, plus what rounds it, may be from that of float arithmetic, within the limit */
    float factor, unit;
} sum_steps;

int gm_suits_sum_steps(const gm_stored_update *u)
{
    const gm_rule_sgd *rule = (const void *)u->rule;
    return rule->kind == GM_RULE_SGD && rule->weight_decay == 0.0f && gm_suits_steps(u);
}

/* Returns 2^30 .. 2^31: a float number but for its exponent. */
static int64_t significand_of(uint32_t bits)
{
    return (bits << 8 | 0x80000000u) >> 1;
}

/*
 * Of float arithmetic, three roundings each change a step by at most 2^-24 of it, and a fourth 2^16 step by 1/2. Here
 * less than 2 are cut off, and 2^-29 of it. Beyond the limit all of that is no matter.
 */
static sum_steps sum_steps_of(const gm_stored_update *u, float factor, float unit)
{
    uint32_t a = gm_bits_of(factor), b = gm_bits_of(u->lr / unit), shift = 235 - (a >> 23) - (b >> 23);
    int are_normal = (a >> 23) - 1 < 254 && (b >> 23) - 1 < 254;
    return (sum_steps){u, (int32_t)(significand_of(a) * significand_of(b) >> 31), are_normal ? shift : UINT32_MAX,
                       4 + ((uint32_t)u->limit + 1) / 64, factor, unit};
}

__attribute__((noinline)) static void take_step_by_floats(const sum_steps *s, int32_t sum, uint32_t at)
{
    float gradient = (float)sum * s->factor;
    gm_update_stored(s->u, &gradient, 1.0f, s->unit, at, 1);
}

/* Returns the element after a step with a random number r of 16 bits, or after the same step by float arithmetic. */
static inline int32_t after_sum_step(const gm_stored_update *u, const sum_steps *s, int32_t limit, int32_t sum, uint32_t at,
                                     uint32_t r)
{
    uint32_t low;
    int32_t moved = (gm_wide_product(sum, s->significand, &low) >> s->shift) + (int32_t)r, step = moved >> 16;
    if ((((uint32_t)moved + s->doubt) & 0xffffu) < 2 * s->doubt) {
        take_step_by_floats(s, sum, at);
        return gm_stored_element(u, at);
    }
    step = step < -limit ? -limit : step;
    int32_t q = gm_stored_element(u, at) - (step > limit ? limit : step);
    q = q < u->low ? u->low : q;
    return q > u->high ? u->high : q;
}

/* Element number `at`, and the next one, which share a random word. */
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

/* The same of steps that are too long, or too short, for integers: the gradients take the place of the sums. */
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
    const gm_stored_update own = *u; /* whose address nobody has, so that no store to an element can change it */
    int32_t limit = (int32_t)own.limit;
    uint32_t i = 0;
    if (s.shift > 31) {
        update_by_gradients(&s, sums, first, n);
        return;
    }
    for (; i < n && (first + i) % 2 > 0; i++) {
        take_one_step(&own, &s, limit, sums[i], first + i);
    }
    for (; n - i >= 2; i += 2) {
        take_two_steps(&own, &s, limit, sums + i, first + i);
    }
    for (; i < n; i++) {
        take_one_step(&own, &s, limit, sums[i], first + i);
    }
}

#endif
