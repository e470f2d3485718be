#include "arithmetic.h"

#include <float.h>

#include "image.h"
#include "numerics.h"
#include "../kernels/arch/arch.h"

/* Firmware has few bytes for what is less likely to go wrong there. */
#if defined(__unix__) || defined(__APPLE__) || defined(_WIN32)
#define HAS_SYSTEM 1
#else
#define HAS_SYSTEM 0
#endif

#if GM_ARITHMETIC_VARIES

enum { LARGE, THREE, FACTOR, SQUARE, SMALLEST, HALF, ZERO, DIVISOR, DIVIDENDS, QUOTIENTS = 3 };

static const float NUMBERS[] = {
    16777216.0f,    3.0f,    1.000244140625f,
    1.00048828125f, FLT_MIN, 0.5f, /* 2^24, 3, 1 + 2^-12, 1 + 2^-11, 2^-126, 1/2 */
#if HAS_SYSTEM
    0.0f,           7.0f,    3.0f,
    6.0f,           9.0f,
#endif
};

#if HAS_SYSTEM
/* 0 - 0 is 0, and -0 is not; x / 7 is not x (1 / 7). */
static uint32_t wrong_in_quotients(const volatile float *n)
{
    static const uint32_t sevenths[QUOTIENTS] = {0x3EDB6DB7u, 0x3F5B6DB7u, 0x3FA49249u};
    float divisor = n[DIVISOR];
    uint32_t wrong = gm_bits_of(0.0f - n[ZERO]);
    for (uint32_t i = 0; i < QUOTIENTS; ++i) {
        wrong |= gm_bits_of(n[DIVIDENDS + i] / divisor) ^ sevenths[i];
    }
    return wrong;
}
#endif

/* Each term has the bits that differ from those of binary32, rounded to nearest even:
 *
 *     2^24 + 3 is a tie, and goes up to 2^24 + 4; in another order the sum is 3
 *     the factor's square is 1 + 2^-11 + 2^-24, and rounds to 1 + 2^-11, unless it is fused with the sum
 *     2^-127 is subnormal */
GM_COLD int gm_arithmetic_is_exact(void)
{
    const volatile float *n = NUMBERS; /* a compiler that knew them would compute with them itself, always exactly */
    float large = n[LARGE], factor = n[FACTOR], square = n[SQUARE];
    uint32_t wrong = gm_bits_of((large + n[THREE]) - large) ^ 0x40800000u; /* 4 */
    wrong |= gm_bits_of(factor * factor - square);
    wrong |= gm_bits_of(GM_MAC(-square, factor, factor)) ^ (GM_FUSED ? 0x33800000u : 0u); /* 2^-24 */
    wrong |= gm_bits_of(n[SMALLEST] * n[HALF]) ^ 0x00400000u;
#if HAS_SYSTEM
    wrong |= wrong_in_quotients(n);
#endif
#if GM_ARCH_AVX512
    wrong |= !gm_wide_products_are_exact(n + FACTOR, n + SQUARE);
#endif
    return wrong == 0;
}

#endif
