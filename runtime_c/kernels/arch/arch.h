/*
 * The kernels that a processor has in a form of its own, in a folder here. GM_ARCH_<KERNEL> is 1 if
 * that form replaces the plain one in runtime_c/kernels; the two are bitwise equal.
 */
#ifndef GM_ARCH_H
#define GM_ARCH_H

#include "gm_config.h"

/* Cortex-M4F, M7, M33 and later: 32 single-precision registers, multiply-add, multi-register loads
 * and stores. In GNU assembly, whose operands need an optimizing compiler. */
#if GM_ARCH && defined(__GNUC__) && defined(__OPTIMIZE__) && defined(__thumb2__) && defined(__ARM_ARCH_PROFILE) && \
    __ARM_ARCH_PROFILE == 'M' && defined(__ARM_FP) && defined(__ARM_FEATURE_FMA)
#define GM_ARCH_ARM_M 1
#else
#define GM_ARCH_ARM_M 0
#endif

/* Any Cortex-M: products of int8 and int16, in packed panels in an instruction's scratch. With the
 * DSP extension and FPU (M4F, M7, M33, M55), one machine instruction does two of them. */
#if GM_ARCH && defined(__GNUC__) && defined(__OPTIMIZE__) && defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#define GM_ARCH_PAIRS 1
#else
#define GM_ARCH_PAIRS 0
#endif
#if GM_ARCH_PAIRS && defined(__ARM_FEATURE_DSP) && defined(__ARM_FP)
#define GM_ARCH_DSP 1
#else
#define GM_ARCH_DSP 0
#endif

/* Cortex-M55 and later, whose vector registers are those of the FPU: on top of the kernels above,
 * in the fused profile, because Helium's multiply-add is fused. In gcc's assembly, which accepts
 * the instructions without a compiler flag. */
#if GM_ARCH_ARM_M && GM_FUSED && GM_HELIUM && !defined(__clang__)
#define GM_ARCH_HELIUM 1
#else
#define GM_ARCH_HELIUM 0
#endif

/* RISC-V with F, 32 or 64 bits: 32 single-precision registers. In C, from which an optimizing
 * compiler keeps tiles of sums in registers. */
#if GM_ARCH && defined(__GNUC__) && defined(__OPTIMIZE__) && defined(__riscv_flen) && __riscv_flen >= 32
#define GM_ARCH_RISCV 1
#else
#define GM_ARCH_RISCV 0
#endif

/* RISC-V with single-precision vectors of any length: on top of the kernels for F. In GNU assembly
 * that the compiler must not know about. */
#if GM_ARCH_RISCV && GM_ZVE32F
#if defined(__riscv_vector)
#error "GM_ZVE32F: leave the vector extension out of -march, or the compiler uses registers that are the kernels'"
#endif
#define GM_ARCH_ZVE32F 1
#else
#define GM_ARCH_ZVE32F 0
#endif

/* Vectors, in arch/simd. The plain kernels call these kernels first, and compute what they leave;
 * on x86-64 the choice depends on the processor that the program runs on. */
#if GM_ARCH && defined(__GNUC__) && \
    (defined(__x86_64__) || defined(__aarch64__) || (defined(__wasm_simd128__) && !GM_FUSED))
#define GM_ARCH_SIMD 1
#else
#define GM_ARCH_SIMD 0
#endif

/* Vectors of int8 and int16, for which the compiler's vectors must convert between types. */
#if GM_ARCH_SIMD && GM_WITH_INT8 && (defined(__clang__) || __GNUC__ >= 9)
#define GM_ARCH_SIMD_S8 1
#else
#define GM_ARCH_SIMD_S8 0
#endif

/* 512-bit tiles on top of those of AVX2, if the processor that the program runs on has AVX-512.
 * Define it as 0 to save their bytes. */
#ifndef GM_ARCH_AVX512
#if GM_ARCH_SIMD && defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 9)
#define GM_ARCH_AVX512 1
#else
#define GM_ARCH_AVX512 0
#endif
#endif

/* Elementary functions, and what uses them, in vectors; not in builds that must be small. */
#if GM_ARCH_SIMD && !defined(__wasm__) && (defined(__clang__) || __GNUC__ >= 9)
#define GM_ARCH_FUNCTIONS 1
#else
#define GM_ARCH_FUNCTIONS 0
#endif

/* Products of one term, as in the gradients of Linear at batch 1; not in builds
 * that must be small. */
#define GM_ARCH_OUTER_PRODUCT GM_ARCH_FUNCTIONS

/* Sums over rows, with adjacent groups side by side in vectors; not in builds
 * that must be small. */
#define GM_ARCH_ROW_NORMS GM_ARCH_FUNCTIONS

/* Averages of windows, and their gradients; not in builds that must be small. */
#define GM_ARCH_AVERAGES GM_ARCH_FUNCTIONS

/* WebAssembly without vectors. Scalars take the vectors' place in the most expensive kernels of
 * arch/simd, convolutions and batch norms: their tiles save loads too. */
#if GM_ARCH && !GM_ARCH_SIMD && defined(__wasm__) && !GM_FUSED
#define GM_ARCH_SCALAR 1
#else
#define GM_ARCH_SCALAR 0
#endif
#define GM_ARCH_TILES (GM_ARCH_SIMD || GM_ARCH_SCALAR)

/* Processors that compute floats with integers: Cortex-M0 to M3, and M4 to M33 without FPU; RISC-V
 * without F. In C, for a compiler that shifts negative numbers arithmetically and inlines. Define
 * it as 0 to get the plain kernels. */
#ifndef GM_ARCH_SOFT_FLOAT
#if GM_ARCH && !GM_FUSED && defined(__GNUC__) && defined(__OPTIMIZE__) &&                \
    ((defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && !defined(__ARM_FP)) || \
     (defined(__riscv) && !defined(__riscv_flen)))
#define GM_ARCH_SOFT_FLOAT 1
#else
#define GM_ARCH_SOFT_FLOAT 0
#endif
#endif

/* gm_gemm_row() and gm_gemm_matrix() */
#define GM_ARCH_GEMM (GM_ARCH_ARM_M || GM_ARCH_RISCV || GM_ARCH_SOFT_FLOAT)

/* gm_kernel_conv(), gm_kernel_conv_transpose() and gm_conv_gradient_row() */
#define GM_ARCH_CONV (GM_ARCH_ARM_M || GM_ARCH_SOFT_FLOAT)

/* gm_conv_gradient_of_neighbours() */
#define GM_ARCH_CONV_NEIGHBOURS (GM_ARCH_ARM_M || GM_ARCH_TILES || GM_ARCH_RISCV)

/* gm_normalize_across() and the like, of normalize.h */
#define GM_ARCH_NORMALIZE (GM_ARCH_TILES || GM_ARCH_ARM_M || GM_ARCH_RISCV)

/* gm_moments_across() */
#define GM_ARCH_MOMENTS (GM_ARCH_SIMD || GM_ARCH_ARM_M || GM_ARCH_RISCV)

/* gm_add_row() and the like, and gm_are_squares_below() */
#define GM_ARCH_ELEMENTS (GM_ARCH_ARM_M || GM_ARCH_RISCV)

/* gm_start_row(), gm_relu_row() and gm_relu_grad_row() */
#define GM_ARCH_ROWS (GM_ARCH_ARM_M || GM_ARCH_ZVE32F)

/* gm_sum_block() */
#define GM_ARCH_SUMS GM_ARCH_ARM_M

/* gm_sgd_rows() and gm_sgd_outer() */
#define GM_ARCH_SGD (GM_ARCH_ARM_M || GM_ARCH_RISCV)

/* gm_sgd_step() */
#define GM_ARCH_SGD_STEP (GM_ARCH_SGD || GM_ARCH_SOFT_FLOAT)

/* Steps of rules with moments, without floats. Their 5 KB are too much for a Cortex-M0, which has
 * little flash and divides in a loop. */
#if GM_ARCH_SOFT_FLOAT && !defined(__ARM_ARCH_6M__)
#define GM_ARCH_SOFT_STEPS 1
#else
#define GM_ARCH_SOFT_STEPS 0
#endif

/* gm_momentum_step() and the like */
#define GM_ARCH_STEPS (GM_ARCH_ARM_M || GM_ARCH_SOFT_STEPS || GM_ARCH_ZVE32F)

#endif
