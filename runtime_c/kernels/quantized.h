/* int8 helpers shared by the kernels of quantized inference. */
#ifndef GM_QUANTIZED_H
#define GM_QUANTIZED_H

#include "../src/gm_internal.h"
#include "../src/numerics.h"

/* Returns the nearest int8. Zero points and bounds in parameters saturate to this. */
static inline int32_t gm_nearest_int8(int32_t x)
{
    return x < INT8_MIN ? INT8_MIN : x > INT8_MAX ? INT8_MAX : x;
}

/* Selects the gradient elements that quantization did not clamp: those with q between the
 * bounds and a bit of 1. */
typedef struct gm_clamp_mask {
    const int8_t *q;     /* NULL: all are between the bounds */
    const uint8_t *bits; /* NULL: all are 1 */
    int32_t low, high;
} gm_clamp_mask;

/* The mask of any instruction that has these operands and parameters. */
#define GM_CLAMP_MASK(session, insn)                                                              \
    {(insn)->q == GM_NONE ? NULL : gm_i8(session, (insn)->q),                                     \
     (insn)->mask == GM_NONE ? NULL : gm_u8(session, (insn)->mask), gm_nearest_int8((insn)->low), \
     gm_nearest_int8((insn)->high)}

/* Returns whether a value was not clamped. A value equal to a bound may have been clamped to it. */
static inline int gm_is_between(int8_t q, int32_t low, int32_t high)
{
    return q > low && q < high;
}

/* Returns bit i % 8 of byte i / 8, lowest first. */
static inline uint32_t gm_bit(const uint8_t *bits, uint32_t i)
{
    return (uint32_t)bits[i / 8] >> i % 8 & 1u;
}

/* Returns whether element i passes the mask. */
static inline int gm_passes(const gm_clamp_mask *mask, uint32_t i)
{
    return (mask->q == NULL || gm_is_between(mask->q[i], mask->low, mask->high)) &&
           (mask->bits == NULL || gm_bit(mask->bits, i) != 0);
}

/* The range of an output before its zero point is added. */
typedef struct gm_output_range {
    float least, most;
    int32_t zero;
} gm_output_range;

/* Returns the range of an output clamped to low .. high. */
static inline gm_output_range gm_range_of(int32_t zero, int32_t low, int32_t high)
{
    int32_t z = gm_nearest_int8(zero);
    return (gm_output_range){(float)(gm_nearest_int8(low) - z), (float)(gm_nearest_int8(high) - z), z};
}

/* The range of any instruction that has these parameters. */
#define GM_RANGE(insn) gm_range_of((insn)->y_zero, (insn)->low, (insn)->high)

/* Returns x rounded to nearest even and clamped, with the zero point added. The bounds are
 * integers, so clamping before rounding gives the same result. NaN becomes the least value. */
static inline int8_t gm_to_int8(float x, const gm_output_range *range)
{
    float clamped = x > range->least ? x : range->least;
    clamped = clamped < range->most ? clamped : range->most;
    return (int8_t)((int32_t)(gm_bits_of(clamped + 0x1.8p23f) - gm_bits_of(0x1.8p23f)) + range->zero);
}

/* How the sums of a convolution or matrix product become outputs; the pointers point to the first
 * channel of a group. */
typedef struct gm_requantization {
    const int32_t *bias;         /* NULL: none */
    const float *multipliers;
    const float *offsets;        /* NULL: none */
    gm_output_range range;
} gm_requantization;

/* The requantization of any instruction with these operands, from its first group on. */
#define GM_REQUANTIZATION(session, insn)                                          \
    {                                                                             \
        .bias = (insn)->bias == GM_NONE ? NULL : gm_i32((session), (insn)->bias), \
        .multipliers = gm_f32((session), (insn)->multipliers),                    \
        .offsets = gm_f32_optional((session), (insn)->offsets),                   \
        .range = GM_RANGE(insn),                                                  \
    }

/* Returns the starting value of a channel's sum. Sums are modulo 2^32. */
static inline uint32_t gm_start_of_sum(const gm_requantization *r, uint32_t channel)
{
    return r->bias ? (uint32_t)r->bias[channel] : 0;
}

static inline int8_t gm_requantized(const gm_requantization *r, uint32_t channel, uint32_t sum)
{
    float scaled = (float)(int32_t)sum * r->multipliers[channel];
    return gm_to_int8(r->offsets ? scaled + r->offsets[channel] : scaled, &r->range);
}

/* Advances by so many channels, to the next group. */
static inline void gm_skip_channels(gm_requantization *r, uint32_t channels)
{
    r->bias = r->bias ? r->bias + channels : NULL;
    r->multipliers += channels;
    r->offsets = r->offsets ? r->offsets + channels : NULL;
}

#endif
