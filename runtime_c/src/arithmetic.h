/* Checks that this build and this processor have the arithmetic that the bits depend on. */
#ifndef GM_ARITHMETIC_H
#define GM_ARITHMETIC_H

#include <stdint.h>

/* 0: without an FPU each operation is a library call, which no compiler contracts and no mode
 * changes. WebAssembly has no modes either. */
#if defined(__wasm__) || (defined(__arm__) && !defined(__ARM_FP)) || (defined(__riscv) && !defined(__riscv_flen))
#define GM_ARITHMETIC_VARIES 0
#else
#define GM_ARITHMETIC_VARIES 1
#endif

/* Returns 0 if this build and this processor compute the bits of the numerics profile, as far as a
 * few sums, products and quotients show, else a nonzero word. */
#if GM_ARITHMETIC_VARIES
uint32_t gm_arithmetic_differs(void);
#else
#define gm_arithmetic_differs() 0
#endif

/* Returns 1 if factor factor - square is rounded as in gm_wide_mac(). Only builds with AVX-512
 * kernels have this function. *factor: 11587. *square: its square, rounded. */
int gm_wide_products_are_exact(const volatile float *factor, const volatile float *square);

#endif
