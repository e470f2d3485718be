/* vector.h for AArch64, whose NEON rounds to nearest and keeps subnormals; 32-bit Arm's does
 * not. */
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

typedef float32x4_t gm_vec;
typedef uint32x4_t gm_words;

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

#endif
#endif
