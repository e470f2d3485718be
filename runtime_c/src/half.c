#include "half.h"

#include "image.h"

#define F32_SIGN 0x80000000u
#define F32_INFINITY 0x7F800000u
#define F32_LEADING 0x800000u    /* the implicit leading bit of a normal significand */
#define F32_FRACTION 23u

#define HALF_SIGN 0x8000u
#define HALF_INFINITY 0x7C00u
#define HALF_NAN 0x7E00u
#define HALF_LEADING 0x400u
#define HALF_FRACTION 10u

#define SCALE_LIMIT 237u         /* with a larger scale the largest half would overflow float32 */

/* Returns the power of a stored exponent: magnitude = significand 2^power 2^-149. This holds for
 * float32 and, with the scale added to the power, for halves. It is the stored exponent minus 1, or
 * 0 for subnormals, as for the smallest normal numbers. */
static uint32_t power_of(uint32_t stored)
{
    return stored != 0 ? stored - 1 : 0;
}

/* Returns the half nearest to a finite magnitude, from 0 to HALF_INFINITY and more. */
static uint32_t nearest(uint32_t magnitude, uint32_t scale)
{
    uint32_t stored = magnitude >> F32_FRACTION;
    uint32_t significand = stored != 0 ? (magnitude & (F32_LEADING - 1)) | F32_LEADING : magnitude;
    int32_t lowest = (int32_t)scale + 1 - (int32_t)power_of(stored); /* bits below the last bit of the half */
    lowest = lowest > 26 ? 26 : lowest; /* 26: all bits */
    uint32_t shift = lowest > 1 ? (uint32_t)lowest : 1;
    significand <<= 1; /* makes room for a bit to round off */
    while (significand >> shift >= 2 * HALF_LEADING) {
        ++shift;
    }
    uint32_t down = significand >> shift, rest = significand - (down << shift);
    uint32_t rounded = down + (rest + (down & 1) > 1u << (shift - 1));
    /* A carry out of the significand increments the exponent. */
    return ((uint32_t)((int32_t)shift - lowest) << HALF_FRACTION) + rounded;
}

GM_COLD uint32_t gm_half_scale(const uint32_t *bits, uint32_t n)
{
    uint32_t largest = 0;
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t magnitude = bits[i] & ~F32_SIGN;
        largest = magnitude < F32_INFINITY && magnitude > largest ? magnitude : largest;
    }
    uint32_t power = power_of(largest >> F32_FRACTION);
    uint32_t scale = power > 16 ? power - 16 : 0;
    return scale < SCALE_LIMIT ? scale + (nearest(largest, scale) >= HALF_INFINITY) : SCALE_LIMIT;
}

GM_COLD uint32_t gm_half_of(uint32_t bits, uint32_t scale)
{
    uint32_t sign = bits >> 16 & HALF_SIGN, magnitude = bits & ~F32_SIGN;
    if (magnitude >= F32_INFINITY) {
        return sign | (magnitude > F32_INFINITY ? HALF_NAN : HALF_INFINITY);
    }
    uint32_t half = nearest(magnitude, scale);
    half = half < HALF_INFINITY ? half : HALF_INFINITY - 1;
    return sign | (half == 0 && magnitude != 0 ? 1 : half);
}

GM_COLD uint32_t gm_half_value(uint32_t half, uint32_t scale)
{
    uint32_t sign = (half & HALF_SIGN) << 16, magnitude = half & ~HALF_SIGN;
    uint32_t stored = magnitude >> HALF_FRACTION, significand = magnitude & (HALF_LEADING - 1);
    if (magnitude == 0) {
        return sign;
    }
    if (magnitude >= HALF_INFINITY) {
        return sign | F32_INFINITY | significand << (F32_FRACTION - HALF_FRACTION);
    }
    significand |= stored != 0 ? HALF_LEADING : 0;
    uint32_t power = power_of(stored) + scale;
    for (; power > 0 && significand < F32_LEADING; --power) {
        significand <<= 1;
    }
    uint32_t value = (power << F32_FRACTION) + significand; /* a leading bit increments the exponent */
    return sign | (value < F32_INFINITY ? value : F32_INFINITY);
}
