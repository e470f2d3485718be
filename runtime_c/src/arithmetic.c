#include "arithmetic.h"

#include <float.h>

#include "image.h"
#include "numerics.h"
#include "../kernels/arch/arch.h"

static const float LARGE = 16777216.0f, ONE = 1.0f, THREE = 3.0f, ZERO = 0.0f; /* 2^24 */
static const float FACTOR = 1.000244140625f, SQUARE = 1.00048828125f;          /* 1 + 2^-12, 1 + 2^-11 */
static const float SMALLEST = FLT_MIN, HALF = 0.5f, DIVISOR = 7.0f;
static const float DIVIDENDS[] = {3.0f, 6.0f, 9.0f, 11.0f};
static const uint32_t QUOTIENTS[] = {0x3EDB6DB7u, 0x3F5B6DB7u, 0x3FA49249u, 0x3FC92492u};

/* Hides a number from the compiler, which would compute with it itself, and always exactly. */
#define HIDDEN(number) (*(const volatile float *)&(number))

/* The functions return the bits that differ from those of binary32. */

/* A tie goes to the even neighbour, up or down; in another order the sums are 1 and 3. */
static uint32_t wrong_in_sums(void)
{
    float large = HIDDEN(LARGE), one = HIDDEN(ONE), three = HIDDEN(THREE);
    return gm_bits_of((large + one) - large) | gm_bits_of((large + three) - large - 4.0f);
}

/* The factor's square is 1 + 2^-11 + 2^-24, and rounds to 1 + 2^-11. */
static uint32_t wrong_in_products(void)
{
    float factor = HIDDEN(FACTOR), square = HIDDEN(SQUARE), unrounded = GM_MAC(-square, factor, factor);
    return gm_bits_of(factor * factor - square) | gm_bits_of(unrounded - (GM_FUSED ? 0x1p-24f : 0.0f));
}

/* x / 7 is not x (1 / 7). */
static uint32_t wrong_in_quotients(void)
{
    uint32_t wrong = 0;
    float divisor = HIDDEN(DIVISOR);
    for (uint32_t i = 0; i < sizeof QUOTIENTS / sizeof QUOTIENTS[0]; ++i) {
        wrong |= gm_bits_of(HIDDEN(DIVIDENDS[i]) / divisor) ^ QUOTIENTS[i];
    }
    return wrong;
}

/* 2^-127 is subnormal; 0 - 0 is 0, while -0 is not. */
static uint32_t wrong_in_small_numbers(void)
{
    return (gm_bits_of(HIDDEN(SMALLEST) * HIDDEN(HALF)) ^ 0x00400000u) | gm_bits_of(0.0f - HIDDEN(ZERO));
}

GM_COLD int gm_arithmetic_is_exact(void)
{
#if GM_ARCH_AVX512
    if (!gm_wide_products_are_exact(&FACTOR, &SQUARE)) {
        return 0;
    }
#endif
    return (wrong_in_sums() | wrong_in_products() | wrong_in_quotients() | wrong_in_small_numbers()) == 0;
}
