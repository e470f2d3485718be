/* vector.h for WebAssembly with simd128, whose profile is the strict one. */
#ifndef GM_SIMD_WASM_H
#define GM_SIMD_WASM_H

#if defined(__wasm_simd128__)

#  include <wasm_simd128.h> /* indented: the amalgamation leaves it under its condition */

#define GM_SIMD_TARGET
#define GM_SIMD_INLINE static inline __attribute__((always_inline))

#define GM_LANES 4u
#define GM_TILE_ROWS 4u
#define GM_TILE_VECTORS 2u
#define GM_TILE_PIXELS 4u
#define GM_ROW_VECTORS 8u
#define GM_PAIR_ROWS_OF_TILE 4u
#define GM_PANEL_FLOATS 4096u /* a page's stack is 64 KB by default */

typedef v128_t gm_vec;
typedef v128_t gm_words;
typedef v128_t gm_pairs;

GM_SIMD_INLINE gm_vec gm_vec_load(const float *p)
{
    return wasm_v128_load(p);
}

GM_SIMD_INLINE void gm_vec_store(float *p, gm_vec v)
{
    wasm_v128_store(p, v);
}

GM_SIMD_INLINE gm_vec gm_vec_splat(float x)
{
    return wasm_f32x4_splat(x);
}

GM_SIMD_INLINE gm_vec gm_vec_add(gm_vec a, gm_vec b)
{
    return wasm_f32x4_add(a, b);
}

GM_SIMD_INLINE gm_vec gm_vec_sub(gm_vec a, gm_vec b)
{
    return wasm_f32x4_sub(a, b);
}

GM_SIMD_INLINE gm_vec gm_vec_mul(gm_vec a, gm_vec b)
{
    return wasm_f32x4_mul(a, b);
}

GM_SIMD_INLINE gm_vec gm_vec_div(gm_vec a, gm_vec b)
{
    return wasm_f32x4_div(a, b);
}

GM_SIMD_INLINE gm_vec gm_vec_sqrt(gm_vec v)
{
    return wasm_f32x4_sqrt(v);
}

GM_SIMD_INLINE gm_vec gm_vec_mac(gm_vec acc, gm_vec a, gm_vec b)
{
    return wasm_f32x4_add(acc, wasm_f32x4_mul(a, b));
}

GM_SIMD_INLINE gm_vec gm_vec_relu(gm_vec v)
{
    return wasm_v128_andnot(v, wasm_f32x4_lt(v, wasm_f32x4_splat(0.0f)));
}

GM_SIMD_INLINE void gm_vec_transpose(gm_vec *t)
{
    gm_vec a0 = wasm_i32x4_shuffle(t[0], t[1], 0, 4, 1, 5), a1 = wasm_i32x4_shuffle(t[0], t[1], 2, 6, 3, 7);
    gm_vec a2 = wasm_i32x4_shuffle(t[2], t[3], 0, 4, 1, 5), a3 = wasm_i32x4_shuffle(t[2], t[3], 2, 6, 3, 7);
    t[0] = wasm_i32x4_shuffle(a0, a2, 0, 1, 4, 5), t[1] = wasm_i32x4_shuffle(a0, a2, 2, 3, 6, 7);
    t[2] = wasm_i32x4_shuffle(a1, a3, 0, 1, 4, 5), t[3] = wasm_i32x4_shuffle(a1, a3, 2, 3, 6, 7);
}

GM_SIMD_INLINE gm_words gm_vec_load_bytes(const uint8_t *p)
{
    return wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(p)));
}

GM_SIMD_INLINE void gm_vec_store_bytes(uint8_t *p, gm_words v)
{
    v128_t words = wasm_i16x8_narrow_i32x4(v, v);
    wasm_v128_store32_lane(p, wasm_u8x16_narrow_i16x8(words, words), 0);
}

GM_SIMD_INLINE gm_words gm_words_of_s8(const int8_t *p)
{
    return wasm_i32x4_extend_low_i16x8(wasm_i16x8_extend_low_i8x16(wasm_v128_load32_zero(p)));
}

GM_SIMD_INLINE gm_words gm_words_load(const void *p)
{
    return wasm_v128_load(p);
}

GM_SIMD_INLINE void gm_words_store(void *p, gm_words v)
{
    wasm_v128_store(p, v);
}

GM_SIMD_INLINE gm_pairs gm_pairs_load(const int16_t *p)
{
    return wasm_v128_load(p);
}

GM_SIMD_INLINE gm_pairs gm_pairs_splat(const int16_t *p)
{
    return wasm_v128_load32_splat(p);
}

GM_SIMD_INLINE gm_words gm_pairs_mac(gm_words acc, gm_pairs a, gm_pairs b)
{
    return wasm_i32x4_add(acc, wasm_i32x4_dot_i16x8(a, b));
}

GM_SIMD_INLINE void gm_pairs_store(int16_t *p, gm_pairs v)
{
    wasm_v128_store(p, v);
}

GM_SIMD_INLINE gm_pairs gm_pairs_of_bytes(const int8_t *first, const int8_t *second, int32_t zero)
{
    v128_t bytes = wasm_i8x16_shuffle(wasm_v128_load32_zero(first), wasm_v128_load32_zero(second), 0, 16, 1, 17, 2, 18,
                                      3, 19, 0, 0, 0, 0, 0, 0, 0, 0);
    return wasm_i16x8_sub(wasm_i16x8_extend_low_i8x16(bytes), wasm_i16x8_splat((int16_t)zero));
}

GM_SIMD_INLINE void gm_numbers_of_bytes(int16_t *to, const int8_t *p, int32_t zero)
{
    v128_t numbers = wasm_i16x8_extend_low_i8x16(wasm_v128_load32_zero(p));
    wasm_v128_store64_lane(to, wasm_i16x8_sub(numbers, wasm_i16x8_splat((int16_t)zero)), 0);
}

GM_SIMD_INLINE gm_pairs gm_pairs_of_numbers(const int16_t *first, const int16_t *second)
{
    return wasm_i16x8_shuffle(wasm_v128_load64_zero(first), wasm_v128_load64_zero(second), 0, 8, 1, 9, 2, 10, 3, 11);
}

#endif
#endif
