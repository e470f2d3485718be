#include "arithmetic.h"

#include <float.h>

#include "image.h"
#include "numerics.h"
#include "../kernels/arch/arch.h"

/* Without an FPU each operation is a call, which no compiler contracts and no mode changes; nor has WebAssembly modes. */
#if defined(__wasm__) || (defined(__arm__) && !defined(__ARM_FP)) || (defined(__riscv) && !defined(__riscv_flen))

int gm_arithmetic_is_exact(void)
{
    return 1;
}

#else

enum { LARGE, THREE, FACTOR, SQUARE, SMALLEST, HALF, ZERO, DIVISOR, DIVIDENDS, QUOTIENTS = 3 };

static const float NUMBERS[] = {
    16777216.0f,    3.0f,    1.000244140625f,
    1.00048828125f, FLT_MIN, 0.5f,
    0.0f,           7.0f, /* 2^24, 3, 1 + 2^-12, 1 + 2^-11 */
    3.0f,           6.0f,    9.0f,
};
static const uint32_t SEVENTHS[QUOTIENTS] = {0x3EDB6DB7u, 0x3F5B6DB7u, 0x3FA49249u};

/* Each term has the bits that differ from those of binary32, rounded to nearest even:
 *
 *     2^24 + 3 is a tie, and goes up to 2^24 + 4; in another order the sum is 3
 *     the factor's square is 1 + 2^-11 + 2^-24, and rounds to 1 + 2^-11, unless it is fused with the sum
 *     2^-127 is subnormal
 *     0 - 0 is 0, and -0 is not
 *     x / 7 is not x (1 / 7) */
GM_COLD int gm_arithmetic_is_exact(void)
{
    const volatile float *n = NUMBERS; /* a compiler that knew them would compute with them itself, always exactly */
    float large = n[LARGE], factor = n[FACTOR], square = n[SQUARE], divisor = n[DIVISOR];
    uint32_t wrong = gm_bits_of((large + n[THREE]) - large - 4.0f);
    wrong |= gm_bits_of(factor * factor - square);
    wrong |= gm_bits_of(GM_MAC(-square, factor, factor) - (GM_FUSED ? 0x1p-24f : 0.0f));
    wrong |= gm_bits_of(n[SMALLEST] * n[HALF]) ^ 0x00400000u;
    wrong |= gm_bits_of(0.0f - n[ZERO]);
    for (uint32_t i = 0; i < QUOTIENTS; ++i) {
        wrong |= gm_bits_of(n[DIVIDENDS + i] / divisor) ^ SEVENTHS[i];
    }
#if GM_ARCH_AVX512
    wrong |= !gm_wide_products_are_exact(n + FACTOR, n + SQUARE);
#endif
    return wrong == 0;
}

#endif
