/* Whether compilers keep multiply and add separate in functions for AVX-512, which has a fused
 * multiply-add even in the strict profile. */
#include "../../../../src/arithmetic.h"
#include "../avx512.h"

#if GM_ARCH_AVX512

GM_SIMD_TARGET_512 static float fused_or_not(const float *factor, const float *square)
{
    float sums[16];
    gm_wide_store(sums, gm_wide_mac(gm_wide_load(square), gm_wide_load(factor), gm_wide_load(factor)));
    return sums[0];
}

int gm_wide_products_are_exact(const volatile float *factor, const volatile float *square)
{
    float factors[16], squares[16];
    if (!gm_simd_runs_512()) {
        return 1;
    }
    for (uint32_t i = 0; i < 16; ++i) {
        factors[i] = *factor, squares[i] = -*square;
    }
    return gm_bits_of(fused_or_not(factors, squares)) == gm_bits_of(GM_FUSED ? -7.0f : 0.0f);
}

#endif
