#include "arithmetic.h"

#include <float.h>

#include "image.h"
#include "numerics.h"
#include "../kernels/arch/arch.h"

/* Firmware skips the checks for less likely failures, to save flash. */
#if defined(__unix__) || defined(__APPLE__) || defined(_WIN32)
#define HAS_SYSTEM 1
#else
#define HAS_SYSTEM 0
#endif

#if GM_ARITHMETIC_VARIES

enum { SQUARE, FACTOR, TINY, ZERO, DIVISOR, DIVIDENDS, QUOTIENTS = 3 };

static const float NUMBERS[] = {
    134258576.0f, 11587.0f, FLT_MIN / 2, /* 2^-127 */
#if HAS_SYSTEM
    0.0f,         7.0f,     3.0f,        6.0f, 9.0f,
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

/* Each term is nonzero in the bits that differ from binary32 rounded to nearest even. The first adds
 * 2^-127, a subnormal, twice to two zeros:
 *
 *     the square is a multiple of 16, so adding 1 changes nothing: 0; in another order 1; rounded up 16
 *     factor * factor is 7 less, and rounds up: 0; fused -7; rounded down -16 */
GM_COLD uint32_t gm_arithmetic_differs(void)
{
    const volatile float *n = NUMBERS; /* volatile: the compiler would fold known numbers itself, always exactly */
    float square = n[SQUARE], factor = n[FACTOR], tiny = n[TINY];
    float sums = (square + 1.0f) - square + (factor * factor - square);
    uint32_t wrong = gm_bits_of(sums + tiny + tiny) ^ 0x00800000u;
#if GM_FUSED
    wrong |= gm_bits_of(GM_MAC(-square, factor, factor)) ^ 0xC0E00000u; /* -7 */
#endif
#if HAS_SYSTEM
    wrong |= wrong_in_quotients(n);
#endif
#if GM_ARCH_AVX512
    wrong |= !gm_wide_products_are_exact(n + FACTOR, n + SQUARE);
#endif
    return wrong;
}

#endif
