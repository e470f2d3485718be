/* Steps of stored integers with vectors: for 8 and 16 bits, if 2^16 times the longest step
 * is a 31-bit integer. */
#include "../../optimizers/stored_update.h"
#include "blocks/lanes.h"
#include "s8.h"
#include "simd.h"

#if GM_ARCH_SIMD_S8 && GM_WITH_STORED_UPDATES

#define LONGEST_OF_LANES 0x1p14f

/* The parameters of a step, in all lanes. */
typedef struct lane_steps {
    gm_float_lanes rate, limit;
    gm_int_lanes low, high;
} lane_steps;

/* Returns 16-bit random numbers for the elements from index `at` on: halves of gm_random_pair(). */
GM_SIMD_INLINE gm_int_lanes random_lanes(gm_random random, uint32_t at)
{
    gm_word_lanes number;
    GM_UNROLL
    for (uint32_t i = 0; i < GM_LANES; i++) {
        number[i] = i;
    }
    number += at;
    gm_word_lanes word = (number >> 1) + random.stream_key, odd = 0 - (number & 1);
    GM_MIX(word);
    return (gm_int_lanes)(((word >> 16) & odd) | (word & 0xffffu & ~odd));
}

/* gm_round() for values up to 2^30; NaN gives 0. From 2^23 on all floats are integers. */
GM_SIMD_INLINE gm_int_lanes rounded_lanes(gm_float_lanes x)
{
    gm_float_lanes shift = (gm_float_lanes)(((gm_int_lanes)x & INT32_MIN) | 0x4b000000); /* 2^23, with the sign of x */
    gm_int_lanes has_fraction = (x < 0x1p23f) & (x > -0x1p23f);
    gm_float_lanes nearest = gm_lanes_choose(has_fraction, (x + shift) - shift, x);
    return __builtin_convertvector((gm_float_lanes)((gm_int_lanes)nearest & (x == x)), gm_int_lanes);
}

/* Returns the steps in whole units, rounded at random. */
GM_SIMD_INLINE gm_int_lanes whole_steps(const lane_steps *s, gm_float_lanes step, gm_int_lanes random)
{
    gm_float_lanes x = step * s->rate;
    x = gm_lanes_choose(x > s->limit, s->limit, x);
    x = gm_lanes_choose(x < -s->limit, -s->limit, x);
    return (rounded_lanes(x * 0x1p16f) + random) >> 16;
}

GM_SIMD_INLINE gm_int_lanes bounded_lanes(const lane_steps *s, gm_int_lanes q)
{
    gm_int_lanes below = q<s->low, above = q> s->high;
    return (below & s->low) | (~below & ((above & s->high) | (~above & q)));
}

GM_SIMD_INLINE void step_byte_lanes(const lane_steps *s, uint8_t *p, gm_float_lanes step, gm_int_lanes random)
{
    gm_lanes_to_s8(p, bounded_lanes(s, gm_lanes_of_s8(p) - whole_steps(s, step, random)));
}

GM_SIMD_INLINE void step_half_lanes(const lane_steps *s, uint8_t *p, gm_float_lanes step, gm_int_lanes random)
{
    gm_short_lanes stored;
    memcpy(&stored, p, sizeof stored);
    gm_int_lanes q = __builtin_convertvector(stored, gm_int_lanes) - whole_steps(s, step, random);
    stored = __builtin_convertvector(bounded_lanes(s, q), gm_short_lanes);
    memcpy(p, &stored, sizeof stored);
}

static GM_SIMD_TARGET uint32_t step_lanes(const gm_stored_update *u, const float *step, float rate, uint32_t first,
                                          uint32_t n)
{
    lane_steps s = {gm_lanes_splat(rate), gm_lanes_splat(u->limit), (gm_int_lanes){0} + u->low,
                    (gm_int_lanes){0} + u->high};
    uint32_t i = 0;
    for (; n - i >= GM_LANES; i += GM_LANES) {
        uint8_t *p = u->p + (size_t)(first + i) * u->bytes;
        gm_int_lanes random = random_lanes(u->random, first + i);
        if (u->bytes == 1) {
            step_byte_lanes(&s, p, gm_lanes_load(step + i), random);
        } else {
            step_half_lanes(&s, p, gm_lanes_load(step + i), random);
        }
    }
    return i;
}

uint32_t gm_simd_take_steps(const gm_stored_update *u, const float *step, float rate, uint32_t first, uint32_t n)
{
    int suits = u->bytes <= 2 && u->limit >= 0.0f && u->limit <= LONGEST_OF_LANES;
    return suits && n >= GM_LANES && gm_simd_runs() ? step_lanes(u, step, rate, first, n) : 0;
}

#endif
