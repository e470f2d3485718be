/*
 * What numerics.h asks of Microsoft's compiler, for x86-64 and AArch64. Before Visual Studio 2022,
 * /fp:precise contracts products and sums, so the pragma forbids it.
 */
#ifndef GM_MSVC_H
#define GM_MSVC_H

#pragma fp_contract(off)

#if defined(_M_X64)

#  include <immintrin.h> /* indented: the amalgamation leaves it under its condition */

/* The compiler emits the instruction whatever /arch says. */
static inline float gm_msvc_mac(float acc, float a, float b)
{
    return _mm_cvtss_f32(_mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(acc)));
}

static inline float gm_msvc_sqrt(float x)
{
    return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x)));
}

#elif defined(_M_ARM64)

#  include <math.h>

static inline float gm_msvc_mac(float acc, float a, float b)
{
    return fmaf(a, b, acc);
}

static inline float gm_msvc_sqrt(float x)
{
    return sqrtf(x);
}

#else
#error "with Microsoft's compiler the runtime is for x86-64 and AArch64; compile with clang or gcc for others"
#endif

#endif
