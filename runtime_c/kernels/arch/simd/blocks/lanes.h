/* The compiler's own vectors, for kernels that compare and select, for which
 * vector.h has nothing. */
#ifndef GM_SIMD_LANES_H
#define GM_SIMD_LANES_H

#include "../vector.h"

#if GM_ARCH_SIMD_S8

typedef float gm_float_lanes __attribute__((vector_size(4 * GM_LANES)));
typedef int32_t gm_int_lanes __attribute__((vector_size(4 * GM_LANES)));
typedef uint32_t gm_word_lanes __attribute__((vector_size(4 * GM_LANES)));
typedef int16_t gm_short_lanes __attribute__((vector_size(2 * GM_LANES)));

GM_SIMD_INLINE gm_float_lanes gm_lanes_load(const float *p)
{
    gm_float_lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}

GM_SIMD_INLINE gm_int_lanes gm_lanes_of_words(const void *p)
{
    gm_int_lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* int8 conversions by vector.h, as gcc converts vectors of bytes one by one. Values that do not fit
 * lose their high bits. */
GM_SIMD_INLINE gm_int_lanes gm_lanes_of_s8(const void *p)
{
    return (gm_int_lanes)gm_words_of_s8(p);
}

GM_SIMD_INLINE void gm_lanes_to_s8(void *p, gm_int_lanes v)
{
    gm_vec_store_bytes(p, (gm_words)(v & 0xff));
}

GM_SIMD_INLINE gm_float_lanes gm_lanes_splat(float x)
{
    return x - (gm_float_lanes){0};
}

/* Selects a in lanes with a mask of ones, b in the others. */
GM_SIMD_INLINE gm_float_lanes gm_lanes_choose(gm_int_lanes mask, gm_float_lanes a, gm_float_lanes b)
{
    return (gm_float_lanes)((mask & (gm_int_lanes)a) | (~mask & (gm_int_lanes)b));
}

/* Returns x clamped to the bound; NaN becomes the bound that is applied first. */
GM_SIMD_INLINE gm_float_lanes gm_lanes_at_least(gm_float_lanes x, gm_float_lanes least)
{
    return gm_lanes_choose(x > least, x, least);
}

GM_SIMD_INLINE gm_float_lanes gm_lanes_at_most(gm_float_lanes x, gm_float_lanes most)
{
    return gm_lanes_choose(x < most, x, most);
}

/* Returns the nearest integers, ties to even. |x| < 2^22 */
GM_SIMD_INLINE gm_int_lanes gm_lanes_round(gm_float_lanes x)
{
    gm_float_lanes shift = gm_lanes_splat(0x1.8p23f);
    return (gm_int_lanes)(x + shift) - (gm_int_lanes)shift;
}

#endif
#endif
