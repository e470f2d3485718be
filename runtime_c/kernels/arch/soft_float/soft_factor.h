/*
 * Products with a factor, quotients and square roots of numbers kept apart as mantissa and
 * exponent, like the sums of soft_sum.h: the operations of optimizers with moments.
 *
 * Exponents have no limits here. The caller makes sure that every product and quotient is normal or
 * zero, because a subnormal one would round differently. The exponent of zero is so low that it
 * stays below all others.
 */
#ifndef SOFT_FACTOR_H
#define SOFT_FACTOR_H

#include "soft_sum.h"

#if GM_ARCH_SOFT_FLOAT

/* A positive factor: its mantissa in the upper 24 of 32 bits, and what it adds to the exponent of a product. */
typedef struct soft_factor {
    uint32_t mantissa;
    int32_t exponent;
} soft_factor;

/* A nonnegative number. */
typedef struct soft_size {
    uint32_t mantissa;
    int32_t exponent;
} soft_size;

/* Whether a factor is positive and from 2^(least - 127) to below 2^20. */
SOFT_INLINE int soft_is_factor(float x, uint32_t least)
{
    return gm_bits_of(x) - (least << 23) < (127 + 20 - least) << 23;
}

SOFT_INLINE soft_factor soft_factor_of(float x)
{
    uint32_t bits = gm_bits_of(x);
    return (soft_factor){soft_upper_mantissa(bits),
                         (int32_t)(bits >> 23) - SOFT_EXPONENT_OFFSET - 2 * SOFT_FACTOR_EXPONENT};
}

/* Splits a number of either sign that is zero, or from 2^(least - 127) to below 2^(limit - 127).
 * Returns 0 for any other number. */
SOFT_INLINE int soft_take(float x, uint32_t least, uint32_t limit, soft_sum *taken)
{
    uint32_t bits = gm_bits_of(x), size = (bits << 1) - (least << 24);
    if (size < (limit - least) << 24) {
        taken->mantissa = soft_signed(soft_lower_mantissa(bits), bits);
        taken->exponent = (int32_t)(size >> 24) + (int32_t)least - SOFT_EXPONENT_OFFSET;
        return 1;
    }
    *taken = (soft_sum){0, SOFT_PLUS_ZERO};
    return bits << 1 == 0;
}

/* The same for a nonnegative number. */
SOFT_INLINE int soft_take_size(float x, uint32_t least, uint32_t limit, soft_size *taken)
{
    uint32_t bits = gm_bits_of(x), size = bits - (least << 23);
    if (size < (limit - least) << 23) {
        taken->mantissa = soft_lower_mantissa(bits);
        taken->exponent = (int32_t)(bits >> 23) - SOFT_EXPONENT_OFFSET;
        return 1;
    }
    *taken = (soft_size){0, SOFT_PLUS_ZERO};
    return bits == 0;
}

SOFT_INLINE soft_size soft_size_of(soft_sum x)
{
    return (soft_size){(uint32_t)soft_signed((uint32_t)x.mantissa, (uint32_t)x.mantissa), x.exponent};
}

/* Returns x with the sign of the highest bit of `sign`. */
SOFT_INLINE soft_sum soft_with_sign(soft_size x, uint32_t sign)
{
    return (soft_sum){soft_signed(x.mantissa, sign), x.exponent};
}

SOFT_INLINE soft_size soft_times(soft_factor f, soft_size x)
{
    int32_t exponent = x.exponent + f.exponent;
    uint32_t mantissa = soft_multiply(f.mantissa, x.mantissa, &exponent);
    return (soft_size){mantissa, exponent};
}

/* The same for a signed number. */
SOFT_INLINE soft_sum soft_times_signed(soft_factor f, soft_sum x)
{
    return soft_with_sign(soft_times(f, soft_size_of(x)), (uint32_t)x.mantissa);
}

/* Returns x with a mantissa below 2^24, as factors need it. */
SOFT_INLINE soft_size soft_carried(soft_size x)
{
    uint32_t carry = x.mantissa >> 24;
    return (soft_size){x.mantissa >> carry, x.exponent + (int32_t)carry};
}

/* x as a factor. x: a result of soft_carried(). */
SOFT_INLINE soft_factor soft_factor_of_size(soft_size x)
{
    return (soft_factor){x.mantissa << 8, x.exponent - 2 * SOFT_FACTOR_EXPONENT};
}

/* Returns the sum of two nonnegative numbers, the larger one first. */
SOFT_INLINE soft_size soft_add_smaller(soft_size larger, soft_size smaller)
{
    const int32_t less = larger.exponent - smaller.exponent;
    if (less > 27) {
        return larger;
    }
    /* 6 bits longer than a mantissa. The lowest bit is 1 if bits are lost below it. */
    const uint32_t whole = smaller.mantissa << 6, shifted = whole >> less;
    uint32_t sum = (larger.mantissa << 6) + (shifted | (shifted << less != whole));
    const uint32_t carry = sum >> 30; /* 2 for 2^31 alone */
    sum = sum >> carry | (sum & carry);
    return (soft_size){(sum + 0x1f + (sum >> 6 & 1)) >> 6, larger.exponent + (int32_t)carry};
}

/* Returns the sum of two nonnegative numbers; both may be zero. */
SOFT_INLINE soft_size soft_add_sizes(soft_size a, soft_size b)
{
    return a.exponent >= b.exponent ? soft_add_smaller(a, b) : soft_add_smaller(b, a);
}

/* Returns the quotient of two mantissas, 24 bits and a rounding bit: for rest / divisor with rest
 * below divisor, the bits after the point, below a leading 1. */
SOFT_INLINE uint32_t soft_long_division(uint32_t rest, uint32_t divisor)
{
    uint32_t quotient = 1;
#if defined(__ARM_FEATURE_IDIV) || defined(__riscv_div)
    for (uint32_t digit = 0; digit < 3; digit++) {
        uint32_t shifted = rest << 8, part = shifted / divisor;
        rest = shifted - part * divisor;
        quotient = (quotient << 8) + part;
    }
#else
    for (uint32_t bit = 0; bit < 24; bit++) {
        rest <<= 1;
        quotient <<= 1;
        if (rest >= divisor) {
            rest -= divisor;
            quotient++;
        }
    }
#endif
    return quotient;
}

/* Returns a / b for a nonzero b. No quotient is half-way between two floats, so
 * its bit 25 rounds it. */
SOFT_INLINE soft_size soft_divided(soft_size a, soft_size b)
{
    int32_t exponent = a.exponent - b.exponent + 2 * SOFT_FACTOR_EXPONENT + 1;
    uint32_t dividend = a.mantissa;
    if (dividend < b.mantissa) {
        dividend <<= 1;
        exponent--;
    }
    return (soft_size){(soft_long_division(dividend - b.mantissa, b.mantissa) + 1) >> 1, exponent};
}

/* Returns the square root of x, which is nonzero and a result of soft_carried(). */
SOFT_INLINE soft_size soft_square_root(soft_size x)
{
    return (soft_size){gm_root(x.mantissa << (2 - (x.exponent & 1))), ((x.exponent + 1) >> 1) + SOFT_FACTOR_EXPONENT};
}

#endif
#endif
