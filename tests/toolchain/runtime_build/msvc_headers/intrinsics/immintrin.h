/* The intrinsics that the runtime uses with Microsoft's compiler. clang's own header is long, and for clang. */
#ifndef MSVC_HEADERS_IMMINTRIN_H
#define MSVC_HEADERS_IMMINTRIN_H

typedef struct {
    float lanes[4];
} __m128;

__m128 _mm_set_ss(float x);
__m128 _mm_sqrt_ss(__m128 x);
__m128 _mm_fmadd_ss(__m128 a, __m128 b, __m128 acc);
float _mm_cvtss_f32(__m128 x);

#endif
