/* vector.h for WebAssembly without vectors: one lane, so that the same tiles stay in registers. */
#ifndef GM_SIMD_SCALAR_H
#define GM_SIMD_SCALAR_H

#if GM_ARCH_SCALAR

#define GM_SIMD_TARGET
#define GM_SIMD_INLINE static inline __attribute__((always_inline))

#define GM_LANES 1u
#define GM_TILE_ROWS 4u
#define GM_TILE_VECTORS 2u
#define GM_TILE_PIXELS 4u
#define GM_ROW_VECTORS 8u
#define GM_PANEL_FLOATS 4096u

typedef float gm_vec;
typedef int32_t gm_words;

GM_SIMD_INLINE gm_vec gm_vec_load(const float *p)
{
    return *p;
}

GM_SIMD_INLINE void gm_vec_store(float *p, gm_vec v)
{
    *p = v;
}

GM_SIMD_INLINE gm_vec gm_vec_load_part(const float *p, uint32_t n)
{
    (void)n;
    return *p;
}

GM_SIMD_INLINE void gm_vec_store_part(float *p, gm_vec v, uint32_t n)
{
    (void)n;
    *p = v;
}

GM_SIMD_INLINE gm_vec gm_vec_splat(float x)
{
    return x;
}

GM_SIMD_INLINE gm_vec gm_vec_add(gm_vec a, gm_vec b)
{
    return a + b;
}

GM_SIMD_INLINE gm_vec gm_vec_sub(gm_vec a, gm_vec b)
{
    return a - b;
}

GM_SIMD_INLINE gm_vec gm_vec_mul(gm_vec a, gm_vec b)
{
    return a * b;
}

GM_SIMD_INLINE gm_vec gm_vec_div(gm_vec a, gm_vec b)
{
    return a / b;
}

GM_SIMD_INLINE gm_vec gm_vec_sqrt(gm_vec v)
{
    return gm_sqrt(v);
}

GM_SIMD_INLINE gm_vec gm_vec_mac(gm_vec acc, gm_vec a, gm_vec b)
{
    return GM_MAC(acc, a, b);
}

GM_SIMD_INLINE gm_vec gm_vec_relu(gm_vec v)
{
    return gm_chosen(gm_is_negative(v), 0.0f, v);
}

GM_SIMD_INLINE void gm_vec_transpose(gm_vec *t)
{
    (void)t;
}

GM_SIMD_INLINE gm_words gm_vec_load_bytes(const uint8_t *p)
{
    return *p;
}

GM_SIMD_INLINE void gm_vec_store_bytes(uint8_t *p, gm_words v)
{
    *p = (uint8_t)v;
}

#endif
#endif
