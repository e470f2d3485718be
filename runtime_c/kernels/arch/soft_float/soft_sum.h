/*
 * Sums of products in binary32 on a processor with integer arithmetic only: bitwise equal to `sum
 * += a * b` with product and sum rounded separately, at about half the instructions of two calls of
 * the compiler's floating point.
 *
 * A sum stays split into mantissa and exponent from its first product to its last. So it is packed
 * and unpacked once, not for each product. Nearly all products have factors of ordinary size; all
 * others take a path of their own, which is rare and need not be fast.
 */
#ifndef SOFT_SUM_H
#define SOFT_SUM_H

#include "../../../src/numerics.h"
#include "../arch.h"

#if GM_ARCH_SOFT_FLOAT

/* A compiler that optimizes for size would call these functions, and pass sums in memory. */
#define SOFT_INLINE __attribute__((always_inline)) static inline

/* Factors are of ordinary size from 2^-44 to below 2^20. Then their product is normal, and 2^32 of
 * them do not reach 2^100. SOFT_SIZE() is below SOFT_SIZE_LIMIT for these alone, and has an
 * exponent in its highest 8 bits. */
#define SOFT_LEAST_EXPONENT (127u - 44u)
#define SOFT_SIZE(bits) (((bits) << 1) - (SOFT_LEAST_EXPONENT << 24))
#define SOFT_SIZE_LIMIT 0x40000000u

/*
 * The value is mantissa 2^(exponent - 110), with 2^23 <= |mantissa| <= 2^24. So the exponent of a
 * product is the sum of those from SOFT_SIZE(), or one less. There are two exceptions:
 *
 *   zero                           mantissa 0, exponent SOFT_PLUS_ZERO or SOFT_MINUS_ZERO
 *   from 2^100 on, infinity, NaN   the mantissa has the bits of the float, the exponent is SOFT_AS_FLOAT
 *
 * A product of factors of ordinary size is too small to change a number of the second kind.
 */
typedef struct soft_sum {
    int32_t mantissa, exponent;
} soft_sum;

#define SOFT_PLUS_ZERO (-0x1000000)
#define SOFT_MINUS_ZERO (SOFT_PLUS_ZERO - 1)
#define SOFT_AS_FLOAT 0x1000000

/* A factor's exponent as a sum, minus its exponent from SOFT_SIZE(). */
#define SOFT_FACTOR_EXPONENT 43

/* The exponent field of a float minus the exponent of a sum. */
#define SOFT_EXPONENT_OFFSET 40

/* Extra bits of sums below the lowest bit of a mantissa, before rounding. */
#define SOFT_EXTRA_BITS 4

#define SOFT_LEADING_BIT 0x800000u

/* soft_sum_of() and soft_value() for any number. */
soft_sum gm_soft_sum_of_any(float x);
float gm_soft_value_of_any(soft_sum sum);

/* The mantissa of a normal number, in 32 and in 24 bits. */
SOFT_INLINE uint32_t soft_upper_mantissa(uint32_t bits)
{
    return bits << 8 | 0x80000000u;
}

SOFT_INLINE uint32_t soft_lower_mantissa(uint32_t bits)
{
    return (bits & (SOFT_LEADING_BIT - 1)) | SOFT_LEADING_BIT;
}

/* Returns the mantissa with the sign of the highest bit of `sign`. */
SOFT_INLINE int32_t soft_signed(uint32_t mantissa, uint32_t sign)
{
    int32_t negative = (int32_t)(sign >> 31);
    return ((int32_t)mantissa ^ -negative) + negative;
}

SOFT_INLINE soft_sum soft_sum_of(float x)
{
    uint32_t bits = gm_bits_of(x), exponent = bits << 1 >> 24;
    if (exponent - 1 >= 127 + 100 - 1) {
        return gm_soft_sum_of_any(x);
    }
    return (soft_sum){soft_signed(soft_lower_mantissa(bits), bits), (int32_t)exponent - SOFT_EXPONENT_OFFSET};
}

SOFT_INLINE float soft_value(soft_sum sum)
{
    uint32_t below = (uint32_t)(sum.exponent + SOFT_EXPONENT_OFFSET - 1), sign = (uint32_t)sum.mantissa & 0x80000000u;
    if (below >= 253) {
        return gm_soft_value_of_any(sum);
    }
    return gm_float_of(sign | ((below << 23) + (uint32_t)soft_signed((uint32_t)sum.mantissa, sign)));
}

/* Adds any product, by the compiler's floating point. */
soft_sum gm_soft_add_any_product(soft_sum sum, float a, float b);

/* Whether the product is zero because a factor is, and the other one is
 * neither infinite nor NaN. */
SOFT_INLINE int soft_product_is_zero(uint32_t a, uint32_t b)
{
    return a << 1 == 0 ? b << 1 < 0xff000000u : b << 1 == 0 && a << 1 < 0xff000000u;
}

/* Adds a zero with this sign: only -0 + -0 is -0. */
SOFT_INLINE soft_sum soft_add_zero(soft_sum sum, uint32_t sign)
{
    return sum.mantissa != 0 || sign >> 31 ? sum : (soft_sum){0, SOFT_PLUS_ZERO};
}

/* Returns the number of leading zeros of a number from 1 to 2^30, minus 2. No sum is -1, which
 * would need that of 0: if numbers cancel, the lowest bits of their sum are zero. */
SOFT_INLINE int32_t soft_room_above(uint32_t x)
{
#if defined(__ARM_FEATURE_CLZ)
    return __builtin_clz(x) - 2;
#else
    int32_t room = 0;
    for (; x < 1u << 24; x <<= 5) { /* seldom: numbers that cancel */
        room += 5;
    }
    for (; x < 1u << 29; x <<= 1) {
        room++;
    }
    return room;
#endif
}

/* Returns the mantissa of the sum of two numbers before rounding, SOFT_EXTRA_BITS longer than
 * theirs. The exponent of the second is `less` smaller. The lowest bit is 1 if bits are lost below
 * it, so that it rounds as the exact sum does. */
SOFT_INLINE int32_t soft_add_shifted(int32_t larger, int32_t smaller, int32_t less)
{
    int32_t shifted;
    if (less <= SOFT_EXTRA_BITS) {
        shifted = (int32_t)((uint32_t)smaller << (SOFT_EXTRA_BITS - less));
    } else {
        less -= SOFT_EXTRA_BITS;
        shifted = smaller >> less;
        shifted |= (int32_t)((uint32_t)shifted << less) != smaller;
    }
    return (int32_t)((uint32_t)larger << SOFT_EXTRA_BITS) + shifted;
}

/* Rounds a sum with this exponent that is SOFT_EXTRA_BITS longer than a mantissa. */
SOFT_INLINE soft_sum soft_rounded(int32_t sum, int32_t exponent)
{
    if (sum == 0) {
        return (soft_sum){0, SOFT_PLUS_ZERO};
    }
    int32_t room = soft_room_above((uint32_t)(sum < 0 ? ~sum : sum));
    uint32_t normal = (uint32_t)sum << room;
    int32_t mantissa = (int32_t)(normal + 0x1f + (normal >> 6 & 1)) >> 6;
    return (soft_sum){mantissa, exponent + 2 - room};
}

/* sum + x, for a nonzero x with the exponent of a product. */
SOFT_INLINE soft_sum soft_add(soft_sum sum, int32_t mantissa, int32_t exponent)
{
    int32_t less = sum.exponent - exponent;
    if (less >= 0) {
        return less > 27 ? sum : soft_rounded(soft_add_shifted(sum.mantissa, mantissa, less), sum.exponent);
    }
    return less < -27 ? (soft_sum){mantissa, exponent}
                      : soft_rounded(soft_add_shifted(mantissa, sum.mantissa, -less), exponent);
}

/* Returns a b / 2^32, of 24 bits or 23, and in `fraction` the bits after the point. */
SOFT_INLINE uint32_t soft_wide_product(uint32_t a, uint32_t b, uint32_t *fraction)
{
#if defined(__ARM_ARCH) && !defined(__thumb2__)
    /* Without an instruction for it: by halves of 12 bits each. */
    uint32_t a_high = a >> 20, a_low = a << 12 >> 20, b_high = b >> 12, b_low = b << 20 >> 20;
    uint32_t low = a_low * b_low, middle = a_high * b_low + a_low * b_high + (low >> 12);
    *fraction = middle << 20 | low << 20 >> 12;
    return a_high * b_high + (middle >> 12);
#else
    uint64_t product = (uint64_t)a * b;
    *fraction = (uint32_t)product;
    return (uint32_t)(product >> 32);
#endif
}

/* Returns the rounded mantissa of a product of two positive numbers. a: 24 bits, in the upper ones
 * of 32; b: 24 bits, or 2^24. exponent: the sum of both, which this decrements if the mantissa
 * would have one bit less. */
SOFT_INLINE uint32_t soft_multiply(uint32_t a, uint32_t b, int32_t *exponent)
{
    uint32_t fraction, product = soft_wide_product(a, b, &fraction);
    if (product < SOFT_LEADING_BIT) {
        product = product << 1 | fraction >> 31;
        fraction <<= 1;
        --*exponent;
    }
    return product + (fraction + (product & 1) > 0x80000000u); /* to nearest, ties to even */
}

/* Adds a product of factors of ordinary size. */
SOFT_INLINE soft_sum soft_add_product(soft_sum sum, uint32_t a, uint32_t b)
{
    int32_t exponent = (int32_t)((SOFT_SIZE(a) >> 24) + (SOFT_SIZE(b) >> 24));
    uint32_t mantissa = soft_multiply(soft_upper_mantissa(a), soft_lower_mantissa(b), &exponent);
    return soft_add(sum, soft_signed(mantissa, a ^ b), exponent);
}

#endif
#endif
