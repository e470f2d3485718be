/* vector.h for AArch64, whose NEON rounds to nearest and keeps subnormals; that of
 * 32-bit Arm does not. */
#ifndef GM_SIMD_NEON_H
#define GM_SIMD_NEON_H

#if defined(__aarch64__)

#  include <arm_neon.h> /* indented: the amalgamation leaves it under its condition */

#define GM_SIMD_TARGET
#define GM_SIMD_INLINE static inline __attribute__((always_inline))

#define GM_LANES 4u
#define GM_TILE_ROWS 4u
#define GM_TILE_VECTORS 4u
#define GM_TILE_PIXELS 6u
#define GM_ROW_VECTORS 8u
#define GM_PANEL_FLOATS 16384u
#define GM_PAIR_ROWS_OF_TILE 4u

typedef float32x4_t gm_vec;
typedef uint32x4_t gm_words;
typedef int16x4x2_t gm_pairs; /* the first values of the pairs, and the second ones */

GM_SIMD_INLINE gm_vec gm_vec_load(const float *p)
{
    return vld1q_f32(p);
}

GM_SIMD_INLINE void gm_vec_store(float *p, gm_vec v)
{
    vst1q_f32(p, v);
}

GM_SIMD_INLINE gm_vec gm_vec_splat(float x)
{
    return vdupq_n_f32(x);
}

GM_SIMD_INLINE gm_vec gm_vec_add(gm_vec a, gm_vec b)
{
    return vaddq_f32(a, b);
}

GM_SIMD_INLINE gm_vec gm_vec_sub(gm_vec a, gm_vec b)
{
    return vsubq_f32(a, b);
}

GM_SIMD_INLINE gm_vec gm_vec_mul(gm_vec a, gm_vec b)
{
    return vmulq_f32(a, b);
}

GM_SIMD_INLINE gm_vec gm_vec_div(gm_vec a, gm_vec b)
{
    return vdivq_f32(a, b);
}

GM_SIMD_INLINE gm_vec gm_vec_sqrt(gm_vec v)
{
    return vsqrtq_f32(v);
}

GM_SIMD_INLINE gm_vec gm_vec_mac(gm_vec acc, gm_vec a, gm_vec b)
{
#if GM_FUSED
    return vfmaq_f32(acc, a, b);
#else
    return vaddq_f32(acc, vmulq_f32(a, b));
#endif
}

GM_SIMD_INLINE gm_vec gm_vec_relu(gm_vec v)
{
    return vbslq_f32(vcltzq_f32(v), vdupq_n_f32(0.0f), v);
}

GM_SIMD_INLINE void gm_vec_transpose(gm_vec *t)
{
    float32x4_t a0 = vtrn1q_f32(t[0], t[1]), a1 = vtrn2q_f32(t[0], t[1]);
    float32x4_t a2 = vtrn1q_f32(t[2], t[3]), a3 = vtrn2q_f32(t[2], t[3]);
    t[0] = vcombine_f32(vget_low_f32(a0), vget_low_f32(a2));
    t[1] = vcombine_f32(vget_low_f32(a1), vget_low_f32(a3));
    t[2] = vcombine_f32(vget_high_f32(a0), vget_high_f32(a2));
    t[3] = vcombine_f32(vget_high_f32(a1), vget_high_f32(a3));
}

GM_SIMD_INLINE gm_words gm_vec_load_bytes(const uint8_t *p)
{
    uint32_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    return vmovl_u16(vget_low_u16(vmovl_u8(vcreate_u8(bytes))));
}

GM_SIMD_INLINE void gm_vec_store_bytes(uint8_t *p, gm_words v)
{
    uint16x4_t half = vmovn_u32(v);
    uint32_t bytes = vget_lane_u32(vreinterpret_u32_u8(vmovn_u16(vcombine_u16(half, half))), 0);
    memcpy(p, &bytes, sizeof bytes);
}

GM_SIMD_INLINE gm_words gm_words_of_s8(const int8_t *p)
{
    uint32_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    return vreinterpretq_u32_s32(vmovl_s16(vget_low_s16(vmovl_s8(vcreate_s8(bytes)))));
}

GM_SIMD_INLINE gm_words gm_words_load(const void *p)
{
    return vld1q_u32(p);
}

GM_SIMD_INLINE void gm_words_store(void *p, gm_words v)
{
    vst1q_u32(p, v);
}

GM_SIMD_INLINE gm_pairs gm_pairs_load(const int16_t *p)
{
    return vld2_s16(p);
}

GM_SIMD_INLINE gm_pairs gm_pairs_splat(const int16_t *p)
{
    return vld2_dup_s16(p);
}

GM_SIMD_INLINE gm_words gm_pairs_mac(gm_words acc, gm_pairs a, gm_pairs b)
{
    int32x4_t first = vmlal_s16(vreinterpretq_s32_u32(acc), a.val[0], b.val[0]);
    return vreinterpretq_u32_s32(vmlal_s16(first, a.val[1], b.val[1]));
}

GM_SIMD_INLINE void gm_pairs_store(int16_t *p, gm_pairs v)
{
    vst2_s16(p, v);
}

GM_SIMD_INLINE int16x4_t gm_four_bytes(const int8_t *p, int32_t zero)
{
    uint32_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    return vsub_s16(vget_low_s16(vmovl_s8(vcreate_s8(bytes))), vdup_n_s16((int16_t)zero));
}

GM_SIMD_INLINE gm_pairs gm_pairs_of_bytes(const int8_t *first, const int8_t *second, int32_t zero)
{
    return (gm_pairs){{gm_four_bytes(first, zero), gm_four_bytes(second, zero)}};
}

GM_SIMD_INLINE void gm_numbers_of_bytes(int16_t *to, const int8_t *p, int32_t zero)
{
    vst1_s16(to, gm_four_bytes(p, zero));
}

GM_SIMD_INLINE gm_pairs gm_pairs_of_numbers(const int16_t *first, const int16_t *second)
{
    return (gm_pairs){{vld1_s16(first), vld1_s16(second)}};
}

#endif
#endif
