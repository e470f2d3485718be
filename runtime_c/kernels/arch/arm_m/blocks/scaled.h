/* Requantization without FPU: the bits of float arithmetic, of which hardly any is done. */
#ifndef GM_ARM_M_SCALED_H
#define GM_ARM_M_SCALED_H

#include <stddef.h>

#include "../../../quantized.h"

/* Fraction bits of a scaled sum, and how close to a half it may be: there the two roundings of the
 * float arithmetic, of sum and product, could decide. Each is at most 2^-24 of a number that is
 * below 2^15 here, together 2^-8 = 256 / 2^16; one more for the bits that the shift cuts off. */
#define GM_SCALED_FRACTION 16
#define GM_SCALED_DOUBT 258

/* Returns gm_to_int8() of sum * multiplier (+ *offset), where multiplier is finite. offset: NULL for
 * none. */
static inline int8_t gm_scaled_to_int8(int32_t sum, float multiplier, const float *offset, const gm_output_range *range)
{
    uint32_t bits = gm_bits_of(multiplier), exponent = bits >> 23;
    if (offset == NULL && exponent >= 80 && exponent <= 126) { /* 2^-47 .. 1, without sign */
        int64_t product = (int64_t)sum * (int32_t)((bits & 0x7fffffu) | 0x800000u);
        int64_t scaled = product >> (150 - GM_SCALED_FRACTION - exponent);
        int32_t t = (int32_t)scaled, from_half = (t & 0xffff) - 0x8000;
        int32_t least = (int32_t)range->least, most = (int32_t)range->most;
        if (scaled != t) {
            t = scaled < 0 ? least : most;
            t = t < most ? t : most;
        } else if (from_half < -GM_SCALED_DOUBT || from_half > GM_SCALED_DOUBT) {
            t = (t >> GM_SCALED_FRACTION) + (from_half > 0);
            t = t > least ? t : least;
            t = t < most ? t : most;
        } else {
            return gm_to_int8((float)sum * multiplier, range);
        }
        return (int8_t)(t + range->zero);
    }
    float scaled = (float)sum * multiplier;
    return gm_to_int8(offset ? scaled + *offset : scaled, range);
}

#endif
