#include "soft_sum.h"

#include "../arch.h"

#if GM_ARCH_SOFT_FLOAT

soft_sum gm_soft_sum_of_any(float x)
{
    uint32_t bits = gm_bits_of(x), size = bits & 0x7fffffffu, mantissa = size & (SOFT_LEADING_BIT - 1);
    int32_t exponent = (int32_t)(size >> 23);
    if (size == 0) {
        return (soft_sum){0, bits ? SOFT_MINUS_ZERO : SOFT_PLUS_ZERO};
    }
    if (exponent >= 127 + 100) {
        return (soft_sum){(int32_t)bits, SOFT_AS_FLOAT};
    }
    if (exponent > 0) {
        mantissa |= SOFT_LEADING_BIT;
    } else {
        for (exponent = 1; mantissa < SOFT_LEADING_BIT; exponent--) {
            mantissa <<= 1;
        }
    }
    return (soft_sum){soft_signed(mantissa, bits), exponent - SOFT_EXPONENT_OFFSET};
}

float gm_soft_value_of_any(soft_sum sum)
{
    if (sum.exponent == SOFT_AS_FLOAT) {
        return gm_float_of((uint32_t)sum.mantissa);
    }
    if (sum.mantissa == 0) {
        return sum.exponent == SOFT_MINUS_ZERO ? -0.0f : 0.0f;
    }
    uint32_t sign = (uint32_t)sum.mantissa & 0x80000000u;
    uint32_t magnitude = (uint32_t)(sum.mantissa < 0 ? -sum.mantissa : sum.mantissa);
    int32_t exponent = sum.exponent + SOFT_EXPONENT_OFFSET;
    if (exponent < 1) {
        return gm_float_of(sign | magnitude >> (1 - exponent)); /* subnormal: as a multiple of 2^-149 it is exact */
    }
    return gm_float_of(sign | (((uint32_t)(exponent - 1) << 23) + magnitude));
}

soft_sum gm_soft_add_any_product(soft_sum sum, float a, float b)
{
    return soft_sum_of(soft_value(sum) + a * b);
}

#endif
