#include "short_moments.h"

#include "../../src/image.h"
#include "../../src/numerics.h"

#if GM_WITH_SHORT_MOMENTS

#if !GM_WITH_INT8
#error "moments of two bytes need GM_WITH_INT8"
#endif

/* The number of parameters whose moments are float32 at a time. */
#define MOMENTS_AT_ONCE 32u

/* The random stream of float32 parameters' moments; deltas' moments use stream 2^32 - 3. */
#define STREAM_OF_MOMENTS 0xFFFFFFFCu

/* Returns x as bfloat16, rounded up or down at random by the lost fraction, so that the mean over
 * all r below 2^16 is x. No finite value becomes infinite. */
static uint16_t bfloat16_at_random(float x, uint32_t r)
{
    uint32_t bits = gm_bits_of(x), magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) {
        return 0x7FC0u;
    }
    return (uint16_t)(magnitude >= 0x7F7F0000u ? bits >> 16 : (bits + r) >> 16);
}

void gm_read_short_moments(const gm_short_moments *from, float *m, float *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        m[i] = gm_float_of((uint32_t)from->slot1[i] << 16);
        if (from->slot2 != NULL) {
            v[i] = gm_float_of((uint32_t)from->slot2[i] << 16);
        }
    }
}

void gm_keep_short_moments(const gm_short_moments *to, const float *m, const float *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t r = gm_random_pair(to->random, to->word + i);
        to->slot1[i] = bfloat16_at_random(m[i], r & 0xFFFFu);
        if (to->slot2 != NULL) {
            to->slot2[i] = bfloat16_at_random(v[i], r >> 16);
        }
    }
}

/* Returns the moments of the arguments. A random word has the index of the bfloat16 at the same
 * place, counted from the start of the arena. */
static gm_short_moments short_moments_of(const gm_rule_args *args)
{
    const gm_control *control = gm_control_of(args->session);
    size_t offset = (size_t)((uint8_t *)args->slot1 - args->session->arena);
    return (gm_short_moments){args->slot1, args->slot2,
                              gm_random_of(control->seed, control->optimizer_steps, STREAM_OF_MOMENTS),
                              (uint32_t)(offset / 2)};
}

/* Passes the moments of a few parameters at a time to the rule as float32. */
void gm_update_short_moments(const gm_rule_args *args)
{
    float m[MOMENTS_AT_ONCE], v[MOMENTS_AT_ONCE];
    const gm_rule_fn rule = gm_rules[*(const uint32_t *)args->rule & ~GM_MOMENTS_BF16];
    gm_short_moments moments = short_moments_of(args);
    gm_rule_args some = *args;
    some.slot1 = m, some.slot2 = v;
    for (uint32_t left = args->n; left > 0; left -= some.n) {
        some.n = left < MOMENTS_AT_ONCE ? left : MOMENTS_AT_ONCE;
        gm_read_short_moments(&moments, m, v, some.n);
        rule(&some);
        gm_keep_short_moments(&moments, m, v, some.n);
        some.g += some.n, some.p += some.n;
        moments.slot1 += some.n, moments.slot2 += moments.slot2 != NULL ? some.n : 0, moments.word += some.n;
    }
}

#endif
