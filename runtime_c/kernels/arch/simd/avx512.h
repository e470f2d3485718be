/* Rows of GM_TILE_COLUMNS floats in one register each, for x86-64 with AVX-512, in the kernels that
 * benefit: matrix products and weight gradients. They read the panels of AVX2, which does the rest,
 * and are bitwise equal to it. */
#ifndef GM_SIMD_AVX512_H
#define GM_SIMD_AVX512_H

#include "simd.h"
#include "vector.h"

#if GM_ARCH_AVX512

#define GM_SIMD_TARGET_512 __attribute__((target("avx2,fma,avx512f")))
#define GM_SIMD_INLINE_512 static inline __attribute__((always_inline)) GM_SIMD_TARGET_512

/* Rows of a tile: their sums hide the latency of a multiply-add in two units, and their addresses
 * stay in registers. */
#define GM_TILE_ROWS_512 8u

typedef __m512 gm_wide;

GM_SIMD_INLINE_512 gm_wide gm_wide_load(const float *p)
{
    return _mm512_loadu_ps(p);
}

GM_SIMD_INLINE_512 void gm_wide_store(float *p, gm_wide v)
{
    _mm512_storeu_ps(p, v);
}

GM_SIMD_INLINE_512 gm_wide gm_wide_splat(float x)
{
    return _mm512_set1_ps(x);
}

/* acc + a b, rounded as GM_MAC rounds. */
GM_SIMD_INLINE_512 gm_wide gm_wide_mac(gm_wide acc, gm_wide a, gm_wide b)
{
#if GM_FUSED
    return _mm512_fmadd_ps(a, b, acc);
#else
    return _mm512_add_ps(acc, _mm512_mul_ps(a, b));
#endif
}

GM_SIMD_INLINE_512 gm_wide gm_wide_add(gm_wide a, gm_wide b)
{
    return _mm512_add_ps(a, b);
}

/* gm_vec_relu() */
GM_SIMD_INLINE_512 gm_wide gm_wide_relu(gm_wide v)
{
    return _mm512_max_ps(_mm512_setzero_ps(), v);
}

/* gm_tile_mac_even() for one wide row of b. */
GM_SIMD_INLINE_512 void gm_wide_tile_mac_even(gm_wide *sums, const float *a, size_t row_step, size_t a_step,
                                              const float *b, size_t b_step, size_t count, uint32_t rows)
{
    const char *four[4];
    size_t step = row_step * sizeof(float), thrice = 3 * step;
    GM_UNROLL
    for (uint32_t q = 0; q < (rows + 3) / 4; q++) {
        four[q] = (const char *)(a + 4 * q * row_step);
    }
    __asm__("" : "+r"(thrice)); /* else the compiler computes it each time */
    for (; count > 0; count--) {
        gm_wide column = gm_wide_load(b);
        GM_UNROLL
        for (uint32_t r = 0; r < rows; r++) {
            size_t at = r % 4 == 3 ? thrice : r % 4 * step;
            sums[r] = gm_wide_mac(sums[r], gm_wide_splat(*(const float *)(const void *)(four[r / 4] + at)), column);
        }
        GM_UNROLL
        for (uint32_t q = 0; q < (rows + 3) / 4; q++) {
            four[q] += a_step * sizeof(float);
            __asm__("" : "+r"(four[q])); /* else each row has an address of its own again */
        }
        b += b_step;
    }
}

/* gm_tile_mac_at() for wide rows. */
GM_SIMD_INLINE_512 void gm_wide_tile_mac_at(gm_wide *sums, const float *const *a, size_t at, size_t a_step,
                                            const float *b, size_t b_step, size_t count, uint32_t rows)
{
    at *= sizeof(float), a_step *= sizeof(float);
    for (; count > 0; count--) {
        gm_wide column = gm_wide_load(b);
        GM_UNROLL
        for (uint32_t r = 0; r < rows; r++) {
            gm_wide value = gm_wide_splat(*(const float *)(const void *)((const char *)a[r] + at));
            sums[r] = gm_wide_mac(sums[r], value, column);
        }
        at += a_step;
        b += b_step;
        __asm__("" : "+r"(at)); /* else the compiler advances all addresses, and runs out of registers for them */
    }
}

#endif
#endif
