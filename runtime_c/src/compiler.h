/*
 * What every source of the runtime requires of the compiler's arithmetic: binary32, rounded to
 * nearest even after each operation, in source order.
 *
 * Flags that would change this are refused here if the compiler defines a macro for them. gm_open()
 * detects the others, and a processor set to another rounding mode (arithmetic.c).
 */
#ifndef GM_COMPILER_H
#define GM_COMPILER_H

#include <float.h>

/* A product and a sum must not become one operation, unless the source asks for it (GM_MAC). */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

/* 16: _Float16 is evaluated as such, and float as with 0. */
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error "float arithmetic must round to binary32: on 32-bit x86 compile with -msse2 -mfpmath=sse"
#endif

#if defined(__FAST_MATH__) || defined(_M_FP_FAST) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ != 0)
#error "-Ofast, -ffast-math and /fp:fast change the bits: compile these sources with -O2, or add -fno-fast-math"
#endif
#if defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error "-funsafe-math-optimizations and its parts change the bits: add -fno-unsafe-math-optimizations"
#endif

#endif
