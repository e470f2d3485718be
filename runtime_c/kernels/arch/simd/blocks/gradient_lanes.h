/* 16-bit gradients, made GM_LANES at a time. */
#ifndef GM_SIMD_GRADIENT_LANES_H
#define GM_SIMD_GRADIENT_LANES_H

#include "../../../gradient_s16.h"
#include "lanes.h"

#if GM_ARCH_SIMD_S8

/* The destination of lanes. */
typedef struct gm_lanes_made {
    gm_gradient_s16 *made;
    int16_t *to;          /* NULL: only finds the largest value */
    gm_int_lanes largest; /* bits, as those of made */
} gm_lanes_made;

/* gm_passes() for GM_LANES adjacent values. */
GM_SIMD_INLINE gm_int_lanes gm_lanes_that_pass(const gm_clamp_mask *mask, size_t at)
{
    gm_int_lanes passes = (gm_int_lanes){0} - 1;
    if (mask->q != NULL) {
        gm_int_lanes q = gm_lanes_of_s8(mask->q + at);
        passes = (q > mask->low) & (q < mask->high);
    }
    if (mask->bits != NULL) {
        uint32_t bytes = mask->bits[at / 8] | (uint32_t)mask->bits[(at + GM_LANES - 1) / 8] << 8;
        gm_int_lanes lane;
        for (uint32_t i = 0; i < GM_LANES; i++) {
            lane[i] = (int32_t)(1u << i);
        }
        passes = passes & (((int32_t)(bytes >> at % 8) & lane) != 0);
    }
    return passes;
}

/* Returns GM_LANES adjacent values of a gradient in units of 2^exponent. */
GM_SIMD_INLINE gm_float_lanes gm_lanes_of_s16(const int16_t *p)
{
    gm_short_lanes numbers;
    memcpy(&numbers, p, sizeof numbers);
    return __builtin_convertvector(numbers, gm_float_lanes);
}

/* gm_make() for GM_LANES adjacent values. */
GM_SIMD_INLINE void gm_make_lanes(gm_lanes_made *m, gm_float_lanes value, size_t at)
{
    gm_int_lanes bits = (gm_int_lanes)value & 0x7fffffff, larger = bits > m->largest;
    m->largest = (larger & bits) | (~larger & m->largest);
    if (m->to != NULL) {
        gm_float_lanes q = value * gm_lanes_splat(m->made->inverse);
        q = gm_lanes_at_most(q, gm_lanes_splat(m->made->limit));
        q = gm_lanes_at_least(q, gm_lanes_splat(-m->made->limit));
        gm_short_lanes numbers = __builtin_convertvector(gm_lanes_round(q), gm_short_lanes);
        memcpy(m->to + at, &numbers, sizeof numbers);
    }
}

/* Merges the largest value of the vectors into that of the scalars. */
static inline void gm_see_lanes(const gm_lanes_made *m)
{
    for (uint32_t i = 0; i < GM_LANES; i++) {
        uint32_t bits = (uint32_t)m->largest[i];
        m->made->largest = bits > m->made->largest ? bits : m->made->largest;
    }
}

#endif
#endif
