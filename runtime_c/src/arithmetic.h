/* Whether this build and this processor have the arithmetic that bits depend on. */
#ifndef GM_ARITHMETIC_H
#define GM_ARITHMETIC_H

/* 0: without an FPU each operation is a call, which no compiler contracts and no mode changes; nor has WebAssembly modes. */
#if defined(__wasm__) || (defined(__arm__) && !defined(__ARM_FP)) || (defined(__riscv) && !defined(__riscv_flen))
#define GM_ARITHMETIC_VARIES 0
#else
#define GM_ARITHMETIC_VARIES 1
#endif

/* Returns 1 if this build and this processor compute the bits of the numerics profile, as far as
 * a few sums, products and quotients show it. */
#if GM_ARITHMETIC_VARIES
int gm_arithmetic_is_exact(void);
#else
static inline int gm_arithmetic_is_exact(void)
{
    return 1;
}
#endif

/* Returns 1 if factor factor - square is rounded as gm_wide_mac() is to be, or without AVX-512: only builds
 * with kernels for it have the function. *factor: 1 + 2^-12. *square: 1 + 2^-11. */
int gm_wide_products_are_exact(const volatile float *factor, const volatile float *square);

#endif
