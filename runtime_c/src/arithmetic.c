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

enum { SQUARE, FACTOR, TINY, ZERO, DIVISOR, DIVIDENDS, QUOTIENTS = 3 };

static const float NUMBERS[] = {
    16785408.0f, 4097.0f, FLT_MIN / 2, /* 2^24 + 2^13, 2^12 + 1, 2^-127 */
#if HAS_SYSTEM
    0.0f,        7.0f,    3.0f,        6.0f, 9.0f,
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

/* Each term has the bits that differ from those of binary32, rounded to nearest even. The first is twice 2^-127, which is
 * subnormal, and two zeros before it:
 *
 *     2^24 + 2^13 + 1 is a tie, and goes down, so that the first sum is 0; in another order it is 1
 *     the factor's square is the same tie, unless it is fused with the sum: 0, else 1 */
GM_COLD uint32_t gm_arithmetic_differs(void)
{
    const volatile float *n = NUMBERS; /* a compiler that knew them would compute with them itself, always exactly */
    float square = n[SQUARE], factor = n[FACTOR], tiny = n[TINY];
    float sums = (square + 1.0f) - square + (factor * factor - square);
    uint32_t wrong = gm_bits_of(sums + tiny + tiny) ^ 0x00800000u;
#if GM_FUSED
    wrong |= gm_bits_of(GM_MAC(-square, factor, factor)) ^ 0x3F800000u; /* 1 */
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
