/* vector.h for x86-64 with AVX2, and with FMA in the fused profile. */
#ifndef GM_SIMD_AVX2_H
#define GM_SIMD_AVX2_H

#if defined(__x86_64__)

#  include <immintrin.h> /* indented: the amalgamation leaves it under its condition */

#if GM_FUSED
#define GM_SIMD_TARGET __attribute__((target("avx2,fma")))
#else
#define GM_SIMD_TARGET __attribute__((target("avx2")))
#endif
#define GM_SIMD_INLINE static inline __attribute__((always_inline)) GM_SIMD_TARGET

#define GM_LANES 8u
#define GM_TILE_ROWS 4u
#define GM_TILE_VECTORS 2u
#define GM_TILE_PIXELS 6u
#define GM_ROW_VECTORS 8u
#define GM_PANEL_FLOATS 16384u
#define GM_PAIR_ROWS_OF_TILE 6u

typedef __m256 gm_vec;
typedef __m256i gm_words;
typedef __m256i gm_pairs;

GM_SIMD_INLINE gm_vec gm_vec_load(const float *p)
{
    return _mm256_loadu_ps(p);
}

GM_SIMD_INLINE void gm_vec_store(float *p, gm_vec v)
{
    _mm256_storeu_ps(p, v);
}

GM_SIMD_INLINE __m256i gm_vec_lanes_below(uint32_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

GM_SIMD_INLINE gm_vec gm_vec_load_part(const float *p, uint32_t n)
{
    return _mm256_maskload_ps(p, gm_vec_lanes_below(n));
}

GM_SIMD_INLINE void gm_vec_store_part(float *p, gm_vec v, uint32_t n)
{
    _mm256_maskstore_ps(p, gm_vec_lanes_below(n), v);
}

GM_SIMD_INLINE gm_vec gm_vec_splat(float x)
{
    return _mm256_set1_ps(x);
}

GM_SIMD_INLINE gm_vec gm_vec_add(gm_vec a, gm_vec b)
{
    return _mm256_add_ps(a, b);
}

GM_SIMD_INLINE gm_vec gm_vec_sub(gm_vec a, gm_vec b)
{
    return _mm256_sub_ps(a, b);
}

GM_SIMD_INLINE gm_vec gm_vec_mul(gm_vec a, gm_vec b)
{
    return _mm256_mul_ps(a, b);
}

GM_SIMD_INLINE gm_vec gm_vec_div(gm_vec a, gm_vec b)
{
    return _mm256_div_ps(a, b);
}

GM_SIMD_INLINE gm_vec gm_vec_sqrt(gm_vec v)
{
    return _mm256_sqrt_ps(v);
}

GM_SIMD_INLINE gm_vec gm_vec_mac(gm_vec acc, gm_vec a, gm_vec b)
{
#if GM_FUSED
    return _mm256_fmadd_ps(a, b, acc);
#else
    return _mm256_add_ps(acc, _mm256_mul_ps(a, b));
#endif
}

/* The instruction returns its second operand if one is NaN or both are 0. */
GM_SIMD_INLINE gm_vec gm_vec_relu(gm_vec v)
{
    return _mm256_max_ps(_mm256_setzero_ps(), v);
}

GM_SIMD_INLINE void gm_vec_transpose(gm_vec *t)
{
    gm_vec a0 = _mm256_unpacklo_ps(t[0], t[1]), a1 = _mm256_unpackhi_ps(t[0], t[1]);
    gm_vec a2 = _mm256_unpacklo_ps(t[2], t[3]), a3 = _mm256_unpackhi_ps(t[2], t[3]);
    gm_vec a4 = _mm256_unpacklo_ps(t[4], t[5]), a5 = _mm256_unpackhi_ps(t[4], t[5]);
    gm_vec a6 = _mm256_unpacklo_ps(t[6], t[7]), a7 = _mm256_unpackhi_ps(t[6], t[7]);
    gm_vec b0 = _mm256_shuffle_ps(a0, a2, 0x44), b1 = _mm256_shuffle_ps(a0, a2, 0xEE);
    gm_vec b2 = _mm256_shuffle_ps(a1, a3, 0x44), b3 = _mm256_shuffle_ps(a1, a3, 0xEE);
    gm_vec b4 = _mm256_shuffle_ps(a4, a6, 0x44), b5 = _mm256_shuffle_ps(a4, a6, 0xEE);
    gm_vec b6 = _mm256_shuffle_ps(a5, a7, 0x44), b7 = _mm256_shuffle_ps(a5, a7, 0xEE);
    t[0] = _mm256_permute2f128_ps(b0, b4, 0x20), t[1] = _mm256_permute2f128_ps(b1, b5, 0x20);
    t[2] = _mm256_permute2f128_ps(b2, b6, 0x20), t[3] = _mm256_permute2f128_ps(b3, b7, 0x20);
    t[4] = _mm256_permute2f128_ps(b0, b4, 0x31), t[5] = _mm256_permute2f128_ps(b1, b5, 0x31);
    t[6] = _mm256_permute2f128_ps(b2, b6, 0x31), t[7] = _mm256_permute2f128_ps(b3, b7, 0x31);
}

/* Two half rows, loaded side by side. */
GM_SIMD_INLINE gm_vec gm_vec_load_halves(const float *low, const float *high)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}

/* t[i][c] = rows[c][i]: gm_vec_transpose() of GM_LANES rows, with a third fewer shuffles. */
#define GM_VEC_LOADS_TRANSPOSED
GM_SIMD_INLINE void gm_vec_load_transposed(gm_vec *t, const float *const *rows)
{
    for (uint32_t half = 0; half < GM_LANES; half += 4) {
        gm_vec r0 = gm_vec_load_halves(rows[0] + half, rows[4] + half);
        gm_vec r1 = gm_vec_load_halves(rows[1] + half, rows[5] + half);
        gm_vec r2 = gm_vec_load_halves(rows[2] + half, rows[6] + half);
        gm_vec r3 = gm_vec_load_halves(rows[3] + half, rows[7] + half);
        gm_vec a0 = _mm256_unpacklo_ps(r0, r1), a1 = _mm256_unpackhi_ps(r0, r1);
        gm_vec a2 = _mm256_unpacklo_ps(r2, r3), a3 = _mm256_unpackhi_ps(r2, r3);
        t[half] = _mm256_shuffle_ps(a0, a2, 0x44), t[half + 1] = _mm256_shuffle_ps(a0, a2, 0xEE);
        t[half + 2] = _mm256_shuffle_ps(a1, a3, 0x44), t[half + 3] = _mm256_shuffle_ps(a1, a3, 0xEE);
    }
}

GM_SIMD_INLINE gm_words gm_vec_load_bytes(const uint8_t *p)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p));
}

GM_SIMD_INLINE void gm_vec_store_bytes(uint8_t *p, gm_words v)
{
    __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    _mm_storel_epi64((__m128i *)(void *)p, _mm_packus_epi16(words, words));
}

GM_SIMD_INLINE gm_words gm_words_of_s8(const int8_t *p)
{
    return _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p));
}

GM_SIMD_INLINE gm_words gm_words_load(const void *p)
{
    return _mm256_loadu_si256(p);
}

GM_SIMD_INLINE void gm_words_store(void *p, gm_words v)
{
    _mm256_storeu_si256(p, v);
}

GM_SIMD_INLINE gm_pairs gm_pairs_load(const int16_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

GM_SIMD_INLINE gm_pairs gm_pairs_splat(const int16_t *p)
{
    int32_t pair;
    memcpy(&pair, p, sizeof pair);
    return _mm256_set1_epi32(pair);
}

GM_SIMD_INLINE gm_words gm_pairs_mac(gm_words acc, gm_pairs a, gm_pairs b)
{
    return _mm256_add_epi32(acc, _mm256_madd_epi16(a, b));
}

GM_SIMD_INLINE void gm_pairs_store(int16_t *p, gm_pairs v)
{
    _mm256_storeu_si256((__m256i *)(void *)p, v);
}

GM_SIMD_INLINE gm_pairs gm_pairs_of_bytes(const int8_t *first, const int8_t *second, int32_t zero)
{
    __m128i a = _mm_loadl_epi64((const __m128i *)(const void *)first);
    __m128i b = _mm_loadl_epi64((const __m128i *)(const void *)second);
    return _mm256_sub_epi16(_mm256_cvtepi8_epi16(_mm_unpacklo_epi8(a, b)), _mm256_set1_epi16((int16_t)zero));
}

GM_SIMD_INLINE void gm_numbers_of_bytes(int16_t *to, const int8_t *p, int32_t zero)
{
    __m128i numbers = _mm_cvtepi8_epi16(_mm_loadl_epi64((const __m128i *)(const void *)p));
    _mm_storeu_si128((__m128i *)(void *)to, _mm_sub_epi16(numbers, _mm_set1_epi16((int16_t)zero)));
}

GM_SIMD_INLINE gm_pairs gm_pairs_of_numbers(const int16_t *first, const int16_t *second)
{
    __m128i a = _mm_loadu_si128((const __m128i *)(const void *)first);
    __m128i b = _mm_loadu_si128((const __m128i *)(const void *)second);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_unpacklo_epi16(a, b)), _mm_unpackhi_epi16(a, b), 1);
}

#endif
#endif
