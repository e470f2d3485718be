/* Elementary functions of GM_LANES values at once, with the operations of
 * ../../../../src/numerics.c in their order, so that each lane is bitwise equal to these. */
#ifndef GM_SIMD_FUNCTIONS_H
#define GM_SIMD_FUNCTIONS_H

#include "tile.h"

#if GM_ARCH_FUNCTIONS

/* The compiler's own vectors, which it can compare, shift and convert. */
typedef float gm_lanes_f32 __attribute__((vector_size(4 * GM_LANES)));
typedef int32_t gm_lanes_i32 __attribute__((vector_size(4 * GM_LANES)));

#define GM_LANES_OF(x) ((gm_lanes_f32)gm_vec_splat(x))

/* The first `count` values, at most GM_LANES. Lanes after them are 0, and not stored. */
GM_SIMD_INLINE gm_lanes_f32 gm_lanes_load_part(const float *from, uint32_t count)
{
    gm_vec v;
    gm_tile_load(&v, from, count, 1);
    return (gm_lanes_f32)v;
}

GM_SIMD_INLINE void gm_lanes_store_part(float *to, gm_lanes_f32 x, uint32_t count)
{
    gm_vec v = (gm_vec)x;
    gm_tile_store(to, &v, count, 1);
}

GM_SIMD_INLINE gm_lanes_f32 gm_lanes_mac(gm_lanes_f32 acc, gm_lanes_f32 a, gm_lanes_f32 b)
{
    return (gm_lanes_f32)gm_vec_mac((gm_vec)acc, (gm_vec)a, (gm_vec)b);
}

/* Selects a in lanes with a mask of ones, b in the others. */
GM_SIMD_INLINE gm_lanes_f32 gm_lanes_where(gm_lanes_i32 mask, gm_lanes_f32 a, gm_lanes_f32 b)
{
    return (gm_lanes_f32)((mask & (gm_lanes_i32)a) | (~mask & (gm_lanes_i32)b));
}

GM_SIMD_INLINE gm_lanes_f32 gm_lanes_abs(gm_lanes_f32 x)
{
    return (gm_lanes_f32)((gm_lanes_i32)x & 0x7fffffff);
}

/* Returns 2^n for -126 <= n <= 127. */
GM_SIMD_INLINE gm_lanes_f32 gm_lanes_power_of_two(gm_lanes_i32 n)
{
    return (gm_lanes_f32)((n + 127) << 23);
}

/* p z + c: a step of a polynomial. */
GM_SIMD_INLINE gm_lanes_f32 gm_lanes_step(float c, gm_lanes_f32 p, gm_lanes_f32 z)
{
    return gm_lanes_mac(GM_LANES_OF(c), p, z);
}

GM_SIMD_INLINE gm_lanes_f32 gm_lanes_expm1_reduced(gm_lanes_f32 r)
{
    gm_lanes_f32 q = gm_lanes_step(0x1.12398ep-7f, GM_LANES_OF(0x1.6a4d6p-10f), r);
    q = gm_lanes_step(0x1.5558bp-5f, q, r);
    q = gm_lanes_step(0x1.555492p-3f, q, r);
    q = gm_lanes_step(0x1.fffffcp-2f, q, r);
    return gm_lanes_mac(r, q, r * r);
}

GM_SIMD_INLINE gm_lanes_f32 gm_lanes_exp(gm_lanes_f32 x)
{
    const gm_lanes_f32 rounder = GM_LANES_OF(12582912.0f);
    gm_lanes_i32 above = x > GM_LANES_OF(88.8f), below = x < GM_LANES_OF(-104.0f), is_nan = x != x;
    gm_lanes_f32 finite = gm_lanes_where(above | below | is_nan, GM_LANES_OF(0.0f), x);
    gm_lanes_f32 shifted = gm_lanes_mac(rounder, finite, GM_LANES_OF(0x1.715476p+0f)), n = shifted - rounder;
    gm_lanes_f32 r = gm_lanes_mac(finite, n, GM_LANES_OF(-0.693359375f));
    r = gm_lanes_mac(r, n, GM_LANES_OF(0x1.bd0106p-13f));
    gm_lanes_i32 power = (gm_lanes_i32)shifted - (gm_lanes_i32)rounder, half = (power - (power >> 31)) >> 1;
    gm_lanes_f32 y = GM_LANES_OF(1.0f) + gm_lanes_expm1_reduced(r);
    y = y * gm_lanes_power_of_two(half) * gm_lanes_power_of_two(power - half);
    y = gm_lanes_where(below, GM_LANES_OF(0.0f), gm_lanes_where(above, GM_LANES_OF(GM_INFINITY), y));
    return gm_lanes_where(is_nan, x, y);
}

GM_SIMD_INLINE gm_lanes_f32 gm_lanes_sigmoid(gm_lanes_f32 x)
{
    const gm_lanes_f32 one = GM_LANES_OF(1.0f);
    gm_lanes_f32 z = gm_lanes_exp(-gm_lanes_abs(x));
    return gm_lanes_where(x < GM_LANES_OF(0.0f), z, one) / (one + z);
}

GM_SIMD_INLINE gm_lanes_f32 gm_lanes_tanh(gm_lanes_f32 x)
{
    const gm_lanes_f32 one = GM_LANES_OF(1.0f), two = GM_LANES_OF(2.0f);
    gm_lanes_f32 magnitude = gm_lanes_abs(x), z = x * x;
    gm_lanes_f32 p = gm_lanes_step(0x1.51f8cep-6f, GM_LANES_OF(-0x1.750ce2p-8f), z);
    p = gm_lanes_step(-0x1.b835a4p-5f, p, z);
    p = gm_lanes_step(0x1.1106f6p-3f, p, z);
    p = gm_lanes_step(-0x1.555532p-2f, p, z);
    gm_lanes_f32 t = one - two / (gm_lanes_exp(two * magnitude) + one);
    t = gm_lanes_where(x < GM_LANES_OF(0.0f), -t, t);
    return gm_lanes_where(magnitude < GM_LANES_OF(0.625f), gm_lanes_mac(x, p * z, x), t);
}

/* y (1 - y): the slope of a sigmoid whose value is y. */
GM_SIMD_INLINE gm_lanes_f32 gm_lanes_sigmoid_slope(gm_lanes_f32 y)
{
    return y * (GM_LANES_OF(1.0f) - y);
}

/* 1 - y^2: the slope of a tanh whose value is y. */
GM_SIMD_INLINE gm_lanes_f32 gm_lanes_tanh_slope(gm_lanes_f32 y)
{
    return gm_lanes_mac(GM_LANES_OF(1.0f), -y, y);
}

GM_SIMD_INLINE gm_lanes_f32 gm_lanes_erf(gm_lanes_f32 x)
{
    const gm_lanes_f32 one = GM_LANES_OF(1.0f);
    gm_lanes_f32 magnitude = gm_lanes_abs(x), z = x * x;
    gm_lanes_f32 near_zero = gm_lanes_step(-0x1.a3515ep-11f, GM_LANES_OF(0x1.4771fep-14f), z);
    near_zero = gm_lanes_step(0x1.53f224p-8f, near_zero, z);
    near_zero = gm_lanes_step(-0x1.b7f71ap-6f, near_zero, z);
    near_zero = gm_lanes_step(0x1.ce2ce6p-4f, near_zero, z);
    near_zero = gm_lanes_step(-0x1.81273ep-2f, near_zero, z);
    near_zero = gm_lanes_step(0x1.06eba8p-3f, near_zero, z);
    gm_lanes_f32 p = gm_lanes_step(-0x1.814ae6p-9f, GM_LANES_OF(0x1.85292p-13f), magnitude);
    p = gm_lanes_step(0x1.654172p-6f, p, magnitude);
    p = gm_lanes_step(-0x1.a60a4ap-4f, p, magnitude);
    p = gm_lanes_step(-0x1.46c588p-1f, p, magnitude);
    p = gm_lanes_step(-0x1.2085b2p+0f, p, magnitude);
    p = gm_lanes_step(-0x1.72e41ep-12f, p, magnitude);
    gm_lanes_f32 e = gm_lanes_where(magnitude >= GM_LANES_OF(4.0f), one, one - gm_lanes_exp(p));
    e = gm_lanes_where(x < GM_LANES_OF(0.0f), -e, e);
    return gm_lanes_where(magnitude < one, gm_lanes_mac(x, near_zero, x), e);
}

/* Runs BODY, which computes `value` from `x`, for all elements of a row. The last
 * vector may be partial. */
#define GM_FOR_LANES(from, to, n, BODY)                \
    for (uint32_t i = 0; i < (n); i += GM_LANES) {     \
        gm_vec loaded, stored;                         \
        gm_tile_load(&loaded, (from) + i, (n) - i, 1); \
        gm_lanes_f32 x = (gm_lanes_f32)loaded, value;  \
        BODY stored = (gm_vec)value;                   \
        gm_tile_store((to) + i, &stored, (n) - i, 1);  \
    }

#endif
#endif
