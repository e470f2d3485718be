/*
 * Sums times multipliers without FPU: bitwise equal to float arithmetic, which
 * this hardly ever uses.
 *
 * A product is computed exactly, as an integer with fraction bits. The float product has
 * been rounded twice, sum and product, and so is within 2^-23 of it. That matters only if
 * a half is as close.
 */
#ifndef GM_ARM_M_SCALED_H
#define GM_ARM_M_SCALED_H

#include <stddef.h>

#include "../../../quantized.h"

/* A positive multiplier: significand 2^-(32 + shift). */
typedef struct gm_multiplier {
    int32_t significand; /* 2^30 .. 2^31 */
    uint32_t shift;      /* 1 .. 31, or 0 if the multiplier has no such form */
} gm_multiplier;

/* Returns the upper word of a product, and sets the lower one. */
#if defined(__thumb2__)

/* For an int64_t, compilers emit more than one machine instruction if they know one sign. */
static inline int32_t gm_wide_product(int32_t a, int32_t b, uint32_t *low)
{
    int32_t high;
    __asm__("smull %0, %1, %2, %3" : "=&r"(*low), "=&r"(high) : "r"(a), "r"(b));
    return high;
}

#else

/* By halves; an int64_t would be a call. No sum of two of these exceeds 32 bits. */
static inline int32_t gm_wide_product(int32_t a, int32_t b, uint32_t *low)
{
    int32_t a_high = a >> 16, b_high = b >> 16, a_low = a & 0xffff, b_low = b & 0xffff;
    uint32_t lowest = (uint32_t)a_low * (uint32_t)b_low;
    int32_t first = a_high * b_low + (int32_t)(lowest >> 16);
    int32_t second = a_low * b_high + (first & 0xffff);
    *low = (uint32_t)second << 16 | (lowest & 0xffffu);
    return a_high * b_high + (first >> 16) + (second >> 16);
}

#endif

/* Returns a multiplier times 2^exponent. */
static inline gm_multiplier gm_multiplier_of(float multiplier, int32_t exponent)
{
    uint32_t bits = gm_bits_of(multiplier), shift = 125u - (uint32_t)exponent - (bits >> 23);
    int32_t significand = (int32_t)((bits << 8 | 0x80000000u) >> 1);
    int is_normal = (bits >> 23) - 1u < 254u;
    return (gm_multiplier){significand, is_normal && shift - 1u < 31u ? shift : 0};
}

/* A product, rounded to the nearest integer. from_half: the distance of its fraction from a half,
 * in units of 2^-32. */
typedef struct gm_scaled {
    int32_t nearest, from_half;
} gm_scaled;

/* Returns the product; the shift is not 0. */
static inline gm_scaled gm_scale(int32_t sum, const gm_multiplier *m)
{
    uint32_t low;
    int32_t high = gm_wide_product(sum, m->significand, &low);
    uint32_t fraction = (uint32_t)high << (32u - m->shift) | low >> m->shift;
    return (gm_scaled){(high >> m->shift) + (int32_t)(fraction >> 31), (int32_t)(fraction ^ 0x80000000u)};
}

/* Returns how far from a half a product with an absolute value below `bound`, at
 * most 2^15, must be. */
static inline uint32_t gm_doubt_below(uint32_t bound)
{
    return (bound << 9) + 2;
}

/* Returns whether it is that far, so that float arithmetic rounds it to the same integer. */
static inline int gm_is_certain(const gm_scaled *scaled, uint32_t doubt)
{
    return (uint32_t)scaled->from_half + doubt > 2 * doubt;
}

/* Returns the number of leading zeros of a nonzero number. */
static inline uint32_t gm_leading_zeros(uint32_t a)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_clz(a);
#else
    uint32_t zeros = 0;
    for (; a >> 31 == 0; a <<= 1) {
        zeros++;
    }
    return zeros;
#endif
}

/* Returns (float)sum * factor: both factors and their product have 24 digits. Float arithmetic
 * decides only if the digits after these begin like a half; 7 or 8 further digits show that. */
static inline float gm_sum_times(int32_t sum, float factor)
{
    uint32_t bits = gm_bits_of(factor), a = sum < 0 ? 0u - (uint32_t)sum : (uint32_t)sum;
    uint32_t zeros = a > 0 ? gm_leading_zeros(a) : 0, exponent = (bits >> 23) + 31u - zeros;
    uint32_t digits = a << zeros;
    digits = (digits + 0x7fu + (digits >> 8 & 1u)) & ~0xffu;
    uint32_t product = (uint32_t)(((uint64_t)digits * (bits << 8 | 0x80000000u)) >> 32);
    uint32_t shift = 7u + (product >> 31), rest = product << (32u - shift);
    if (digits >> 31 == 0 || exponent - 1u >= 252u || (bits >> 23) - 1u >= 254u || rest >> 25 == 0x40u) {
        return (float)sum * factor;
    }
    uint32_t rounded = (product >> shift) + (rest >> 31);
    return gm_float_of(((uint32_t)sum & 0x80000000u) | (((exponent + shift - 8u) << 23) + rounded));
}

/* The bounds of int8 outputs, and their zero point. */
typedef struct gm_int8_bounds {
    int32_t zero, low, high;
} gm_int8_bounds;

static inline gm_int8_bounds gm_int8_bounds_of(const gm_output_range *range)
{
    return (gm_int8_bounds){range->zero, (int32_t)range->least + range->zero, (int32_t)range->most + range->zero};
}

/* Returns an integer plus the zero point, clamped to the bounds. */
static inline int8_t gm_within_bounds(int32_t y, const gm_int8_bounds *bounds)
{
    y += bounds->zero;
    y = y > bounds->low ? y : bounds->low;
    return (int8_t)(y < bounds->high ? y : bounds->high);
}

/* Whether bounds are those of int8. */
static inline int gm_are_whole(const gm_int8_bounds *bounds)
{
    return bounds->low == INT8_MIN && bounds->high == INT8_MAX;
}

/* Returns the nearest int8. */
static inline int8_t gm_saturated(int32_t y)
{
#if defined(__thumb2__)
    __asm__("ssat %0, #8, %0" : "+r"(y));
    return (int8_t)y;
#else
    return (int8_t)gm_nearest_int8(y);
#endif
}

/*
 * Returns 2^32 times a positive multiplier, rounded down, for sums that become int8; 0 if that is
 * not close enough, or there is an offset.
 *
 * A product with this factor, in units of 2^-32, falls short of the exact one by less than the
 * absolute value of the sum. Within 2^9, twice the largest distance of bounds, that is less than
 * 2^23 for these multipliers, which are at least 2^-14, and float arithmetic rounds by less than
 * 2^19. Beyond 2^9 the rounding of a product does not matter.
 */
#define GM_INT8_DOUBT (1u << 24)

static inline int32_t gm_factor_of_bits(uint32_t bits)
{
    return (int32_t)((bits << 8 | 0x80000000u) >> ((126u - (bits >> 23)) & 31u));
}

static inline int32_t gm_int8_factor(const float *multiplier, const float *offset)
{
    uint32_t bits = gm_bits_of(*multiplier), shift = 126u - (bits >> 23);
    return offset == NULL && shift - 2u < 12u ? gm_factor_of_bits(bits) : 0;
}

/* Returns gm_to_int8() of sum * *multiplier (+ *offset); *multiplier is finite.
 * offset: NULL for none. */
int8_t gm_scaled_by_floats(int32_t sum, const float *multiplier, const float *offset, const gm_output_range *range);

/* Returns the same, from the full product if that determines the result. */
static inline int8_t gm_scaled_closely(int32_t sum, const float *multiplier, const float *offset,
                                       const gm_output_range *range)
{
    const gm_multiplier m = gm_multiplier_of(*multiplier, 0);
    if (m.shift > 0 && offset == NULL) {
        const gm_scaled scaled = gm_scale(sum, &m);
        if (gm_is_certain(&scaled, gm_doubt_below(1u << 9))) {
            const gm_int8_bounds bounds = gm_int8_bounds_of(range);
            return gm_within_bounds(scaled.nearest, &bounds);
        }
    }
    return gm_scaled_by_floats(sum, multiplier, offset, range);
}

/* The same, as a separate function: for multipliers without a factor, and for
 * products next to a half. */
int8_t gm_int8_of_sum(int32_t sum, const float *multiplier, const float *offset, const gm_output_range *range);

/* Whether a product with a factor surely rounds as in float arithmetic. low: its lower word. */
static inline int gm_is_certain_int8(uint32_t low)
{
    return low - (0x80000000u - GM_INT8_DOUBT) > 2 * GM_INT8_DOUBT;
}

/* Returns the same; factor is gm_int8_factor(), and not 0. */
static inline int8_t gm_scaled_to_int8(int32_t sum, int32_t factor, const gm_int8_bounds *bounds, const float *multiplier,
                                       const gm_output_range *range)
{
    uint32_t low;
    int32_t y = gm_wide_product(sum, factor, &low);
    return gm_is_certain_int8(low) ? gm_within_bounds(y + (int32_t)(low >> 31), bounds)
                                   : gm_int8_of_sum(sum, multiplier, NULL, range);
}

/* The same if gm_are_whole(). */
static inline int8_t gm_scaled_to_whole_int8(int32_t sum, int32_t factor, int32_t zero, const float *multiplier,
                                             const gm_output_range *range)
{
    uint32_t low;
    int32_t y = gm_wide_product(sum, factor, &low);
    return gm_is_certain_int8(low) ? gm_saturated(y + (int32_t)(low >> 31) + zero)
                                   : gm_int8_of_sum(sum, multiplier, NULL, range);
}

#endif
