/*
 * Elementary functions in binary32. Their bits are the same on every target of one numerics profile
 * (docs/NUMERICS.md).
 *
 * They use only +, -, *, / and conversions, which IEEE-754 rounds to nearest even, in the order of
 * numerics.c.
 */
#ifndef GM_NUMERICS_H
#define GM_NUMERICS_H

#include <stdint.h>
#include <string.h>

#include "gm_config.h"
#include "compiler.h"

/* Microsoft's compiler lacks gcc's builtins. clang-cl has them. */
#if defined(_MSC_VER) && !defined(__clang__)
#define GM_MSVC 1
#include "msvc.h"
#else
#define GM_MSVC 0
#endif

/* ---- Multiply-accumulate --------------------------------------------------------------------- */

/* acc + a b, rounded once in the fused profile and twice in the strict one. */
#if GM_FUSED && GM_MSVC
#define GM_MAC(acc, a, b) gm_msvc_mac((acc), (a), (b))
#elif GM_FUSED
#if !(defined(__ARM_FEATURE_FMA) || defined(__FMA__) || defined(__aarch64__) || defined(__riscv_flen))
#error "GM_FUSED needs a fused multiply-add instruction: x86 -mfma, Arm VFPv4 or later, RISC-V F"
#endif
#define GM_MAC(acc, a, b) __builtin_fmaf((a), (b), (acc))
#else
#define GM_MAC(acc, a, b) ((acc) + (a) * (b))
#endif

/* ---- Bits ------------------------------------------------------------------------------------ */

/* Uses the builtin, because -ffreestanding makes memcpy() a call. */
#if GM_MSVC
#define GM_COPY_WORD(to, from) memcpy((to), (from), 4)
#else
#define GM_COPY_WORD(to, from) __builtin_memcpy((to), (from), 4)
#endif

/* Marks functions of an instruction or two. WebAssembly modules are optimized for size so strongly
 * that even these would be calls. */
#if defined(__wasm__)
#define GM_SHORT __attribute__((always_inline)) static inline
#else
#define GM_SHORT static inline
#endif

/* Returns the bits of a float. */
GM_SHORT uint32_t gm_bits_of(float x)
{
    uint32_t bits;
    GM_COPY_WORD(&bits, &x);
    return bits;
}

/* Returns the float of some bits. */
GM_SHORT float gm_float_of(uint32_t bits)
{
    float x;
    GM_COPY_WORD(&x, &bits);
    return x;
}

/* gm_is_positive() is x > 0, and gm_is_negative() is x < 0; both are 0 for NaN. On some targets
 * they compare bits, which is faster: without an FPU comparing floats is a call, and with one a
 * Cortex-M moves flags. */
#if (defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M') || (defined(__riscv) && !defined(__riscv_flen))
GM_SHORT int gm_is_positive(float x)
{
    return gm_bits_of(x) - 1u < 0x7f800000u;
}

GM_SHORT int gm_is_negative(float x)
{
    return gm_bits_of(x) - 0x80000001u < 0x7f800000u;
}
#else
GM_SHORT int gm_is_positive(float x)
{
    return x > 0.0f;
}

GM_SHORT int gm_is_negative(float x)
{
    return x < 0.0f;
}
#endif

/* The start of a sum: -0 + x is x for every x, so the first product stays unchanged. */
#define GM_EMPTY_SUM (-0.0f)

#define GM_INFINITY gm_float_of(0x7F800000u)

/* Returns |x|. The sign of a NaN is cleared too. */
static inline float gm_abs(float x)
{
    return gm_float_of(gm_bits_of(x) & 0x7fffffffu);
}

/* Returns 2^n for -126 <= n <= 127. */
static inline float gm_power_of_two(int32_t n)
{
    return gm_float_of((uint32_t)(n + 127) << 23);
}

/* ---- Square root, correctly rounded ---------------------------------------------------------- */

/* 1 if the target has a binary32 square root instruction. */
#ifndef GM_HARDWARE_SQRT
#if (defined(__ARM_FP) && (__ARM_FP & 4)) || defined(__SSE__) || defined(__aarch64__) || defined(__riscv_flen) || \
    defined(__wasm__) || GM_MSVC
#define GM_HARDWARE_SQRT 1
#else
#define GM_HARDWARE_SQRT 0
#endif
#endif

#if GM_HARDWARE_SQRT && GM_MSVC
#define gm_sqrt(x) gm_msvc_sqrt(x)
#elif GM_HARDWARE_SQRT && !defined(__NO_MATH_ERRNO__) && !defined(_MSC_VER)
#include "sqrt_instruction.h"
#elif GM_HARDWARE_SQRT
#define gm_sqrt(x) __builtin_sqrtf(x)
#else
float gm_sqrt(float x);

/* Returns the square root of radicand 2^22, rounded to 24 bits. radicand: even, from 2^24 to below 2^26. */
uint32_t gm_root(uint32_t radicand);
#endif

/* ---- Functions; the bounds hold in both profiles --------------------------------------------- */

/* The largest errors in units in the last place of the binary32 result, which
 * tests/c/runtime/numerics_test.c asserts. */
#define GM_EXP_MAX_ULP 1.25
#define GM_EXPM1_MAX_ULP 1.5        /* x <= 0 */
#define GM_EXPM1_ABOVE_MAX_ULP 1.75 /* x > 0 */
#define GM_LOG_MAX_ULP 1.0
#define GM_LOG1P_MAX_ULP 1.5
#define GM_TANH_MAX_ULP 2.0
#define GM_SIGMOID_MAX_ULP 2.5
#define GM_ERF_MAX_ULP 2.0
#define GM_SIN_MAX_ULP 2.0
#define GM_COS_MAX_ULP 2.0
#define GM_ATAN_MAX_ULP 2.5

/* In all of these functions, NaN gives NaN. */

/* Returns exp(x): +inf above 88.7228, subnormal below -87.3365, 0 below -103.9721. */
float gm_exp(float x);

/* Returns exp(x) - 1: +inf above 88.7228. */
float gm_expm1(float x);

/* Returns the natural logarithm: -inf at 0, NaN below 0. */
float gm_log(float x);

/* Returns log(1 + x). x: at least 0. */
float gm_log1p(float x);

/* Returns the hyperbolic tangent. */
float gm_tanh(float x);

/* Returns 1 / (1 + exp(-x)). The bound holds in both tails. */
float gm_sigmoid(float x);

/* Returns the error function. */
float gm_erf(float x);

/* Return sine and cosine of x in radians, of any size, or NaN for infinite x. */
float gm_sin(float x);
float gm_cos(float x);

/* Returns the arc tangent in radians. */
float gm_atan(float x);

/* Returns the nearest integer, ties to even. */
float gm_round(float x);

/* Returns a - b trunc(a / b) exactly, with the sign of a, or NaN for infinite a and for b = 0. */
float gm_fmod(float a, float b);

#endif
