/*
 * The kernels that a processor has in a form of its own, in a folder here. GM_ARCH_<KERNEL> is 1
 * where that form takes the place of the plain one in runtime_c/kernels; the two give the same
 * bits.
 */
#ifndef GM_ARCH_H
#define GM_ARCH_H

#include "gm_config.h"

/* Cortex-M4F, M7, M33 and later: 32 single registers, multiply-add, loads and stores of several registers. In GNU
 * assembly, whose operands need a compiler that optimizes. */
#if GM_ARCH && defined(__GNUC__) && defined(__OPTIMIZE__) && defined(__thumb2__) && defined(__ARM_ARCH_PROFILE) && \
    __ARM_ARCH_PROFILE == 'M' && defined(__ARM_FP) && defined(__ARM_FEATURE_FMA)
#define GM_ARCH_ARM_M 1
#else
#define GM_ARCH_ARM_M 0
#endif

/* Any Cortex-M: products of int8 and int16, in panels that an instruction brings along. With the DSP extension and FPU
 * (M4F, M7, M33, M55) one machine instruction takes two of them. */
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

/* Cortex-M55 and later, whose vector registers are those of the FPU: over the kernels for these, in the fused profile, of
 * which its multiply-add is. The assembly is that of gcc, which takes the instructions without a flag of the compiler. */
#if GM_ARCH_ARM_M && GM_FUSED && GM_HELIUM && !defined(__clang__)
#define GM_ARCH_HELIUM 1
#else
#define GM_ARCH_HELIUM 0
#endif

/* RISC-V with F, of 32 or 64 bits: 32 registers of single numbers. In C, of which a compiler that optimizes keeps tiles of
 * sums in these. */
#if GM_ARCH && defined(__GNUC__) && defined(__OPTIMIZE__) && defined(__riscv_flen) && __riscv_flen >= 32
#define GM_ARCH_RISCV 1
#else
#define GM_ARCH_RISCV 0
#endif

/* RISC-V with vectors of single numbers, of any length: over the kernels for F. In GNU assembly, of which the compiler must
 * know nothing. */
#if GM_ARCH_RISCV && GM_ZVE32F
#if defined(__riscv_vector)
#error "GM_ZVE32F: leave the vector extension out of -march, or the compiler uses registers that are the kernels'"
#endif
#define GM_ARCH_ZVE32F 1
#else
#define GM_ARCH_ZVE32F 0
#endif

/* Vectors, of arch/simd. Its kernels are asked inside of the plain ones, and leave to these what does not suit them; on
 * x86-64 that depends on the processor that the program runs on. */
#if GM_ARCH && defined(__GNUC__) && \
    (defined(__x86_64__) || defined(__aarch64__) || (defined(__wasm_simd128__) && !GM_FUSED))
#define GM_ARCH_SIMD 1
#else
#define GM_ARCH_SIMD 0
#endif

/* Those of int8 and int16, for which the compiler's vectors have to change their type. */
#if GM_ARCH_SIMD && GM_WITH_INT8 && (defined(__clang__) || __GNUC__ >= 9)
#define GM_ARCH_SIMD_S8 1
#else
#define GM_ARCH_SIMD_S8 0
#endif

/* Tiles of 512 bits over those of AVX2, where the processor that the program runs on has AVX-512. Whoever defines it as 0
 * saves their bytes. */
#ifndef GM_ARCH_AVX512
#if GM_ARCH_SIMD && defined(__x86_64__) && (defined(__clang__) || __GNUC__ >= 9)
#define GM_ARCH_AVX512 1
#else
#define GM_ARCH_AVX512 0
#endif
#endif

/* Elementary functions, and what is computed by them, in vectors; but not where bytes count. */
#if GM_ARCH_SIMD && !defined(__wasm__) && (defined(__clang__) || __GNUC__ >= 9)
#define GM_ARCH_FUNCTIONS 1
#else
#define GM_ARCH_FUNCTIONS 0
#endif

/* Products of one term, of which the gradients of Linear consist at batch 1; but not where bytes count. */
#define GM_ARCH_OUTER_PRODUCT GM_ARCH_FUNCTIONS

/* Sums over rows, of groups side by side in vectors; but not where bytes count. */
#define GM_ARCH_ROW_NORMS GM_ARCH_FUNCTIONS

/* Averages of windows, and their gradients; but not where bytes count. */
#define GM_ARCH_AVERAGES GM_ARCH_FUNCTIONS

/* WebAssembly without vectors. Single numbers stand in their place in those kernels of arch/simd in which most time
 * passes, convolutions and batch norms: its tiles spare loads too. */
#if GM_ARCH && !GM_ARCH_SIMD && defined(__wasm__) && !GM_FUSED
#define GM_ARCH_SCALAR 1
#else
#define GM_ARCH_SCALAR 0
#endif
#define GM_ARCH_TILES (GM_ARCH_SIMD || GM_ARCH_SCALAR)

/* Processors that compute floats with integers: Cortex-M0 to M3, and M4 to M33 without FPU; RISC-V without F. In C of a
 * compiler that shifts negative numbers arithmetically and inlines. Whoever defines it as 0 has the plain kernels. */
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

/* gm_normalize_across() and its like, of normalize.h */
#define GM_ARCH_NORMALIZE (GM_ARCH_TILES || GM_ARCH_ARM_M || GM_ARCH_RISCV)

/* gm_moments_across() */
#define GM_ARCH_MOMENTS (GM_ARCH_SIMD || GM_ARCH_ARM_M || GM_ARCH_RISCV)

/* gm_add_row() and its like, and gm_are_squares_below() */
#define GM_ARCH_ELEMENTS (GM_ARCH_ARM_M || GM_ARCH_RISCV)

/* gm_start_row(), gm_relu_row() and gm_relu_grad_row() */
#define GM_ARCH_ROWS (GM_ARCH_ARM_M || GM_ARCH_ZVE32F)

/* gm_sum_block() */
#define GM_ARCH_SUMS GM_ARCH_ARM_M

/* gm_sgd_rows() and gm_sgd_outer() */
#define GM_ARCH_SGD (GM_ARCH_ARM_M || GM_ARCH_RISCV)

/* gm_sgd_step() */
#define GM_ARCH_SGD_STEP (GM_ARCH_SGD || GM_ARCH_SOFT_FLOAT)

/* Those of rules with moments without floats. Their 5 KB are too much for a Cortex-M0, which has little flash, and divides
 * by a loop. */
#if GM_ARCH_SOFT_FLOAT && !defined(__ARM_ARCH_6M__)
#define GM_ARCH_SOFT_STEPS 1
#else
#define GM_ARCH_SOFT_STEPS 0
#endif

/* gm_momentum_step() and its like */
#define GM_ARCH_STEPS (GM_ARCH_ARM_M || GM_ARCH_SOFT_STEPS || GM_ARCH_ZVE32F)

#endif
