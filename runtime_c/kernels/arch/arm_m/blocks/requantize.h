/* Sums of int32 that become int8 on Cortex-M, with the bits of gm_to_int8(). */
#ifndef GM_ARM_M_REQUANTIZE_H
#define GM_ARM_M_REQUANTIZE_H

#include "../../../quantized.h"
#include "pairs.h"

#if GM_ARCH_PAIRS

/* Tiles of 2 rows by 4 columns of outputs, one beside the other. */
typedef struct gm_pair_outputs {
    const uint32_t *a, *b;             /* panels; b moves on to the next tile */
    uint32_t fours_bytes, bytes;       /* of the panel of a tile: whole fours of words of a column, and all */
    const int32_t *bias;               /* of the first column */
    uint32_t bias_step;                /* bytes to that of the next tile: 16, or 0 */
    const float *multipliers, *offsets; /* offsets: NULL where there are none */
    int8_t *y[GM_PAIR_ROWS];           /* the outputs of each row are neighbours */
    uint32_t zero, low, high;          /* zero twice in a word, the bounds four times */
    uint32_t tiles;                    /* at least 1 */
    uint32_t is_narrow;                /* gm_are_narrow() holds, and GM_ALL_BYTES() */
    gm_output_range range;
    uint32_t by_factors;               /* without FPU: gm_have_factors(), and bounds are those of int8 */
} gm_pair_outputs;

/* Computes all tiles. The struct's pointers move on. */
void gm_pair_requantize(gm_pair_outputs *outputs);

/* Whether all of n multipliers or offsets are finite, as those here have to be. */
int gm_are_finite(const float *x, uint32_t n);

#if GM_ARCH_DSP
/* Whether the bounds of outputs are the ends of their type. */
#define GM_ALL_BYTES(insn) ((insn)->low <= INT8_MIN && (insn)->high >= INT8_MAX)

/* Returns the most that the sum of so many products of int8 can be, less these zero points. */
static inline float gm_most_of_products(float products, int32_t x_zero, int32_t w_zero)
{
    return products * (float)(128 + (x_zero < 0 ? -x_zero : x_zero)) * (float)(128 + (w_zero < 0 ? -w_zero : w_zero));
}

/* Whether sums, scaled, stay so far within 16 bits that a zero point may be added to them. They are then rounded and
 * clamped by shorter ways. most: of what is added to the bias. bias, offsets: NULL where there are none. */
int gm_are_narrow(const float *multipliers, const float *offsets, const int32_t *bias, uint32_t channels, float most);
#endif

/* Whether all of n multipliers have factors (scaled.h). */
int gm_have_factors(const float *multipliers, const float *offsets, uint32_t n);

/* Sets the panels of a tile, which have so many words a row, and what any instruction with these
 * parameters says of its outputs. */
#define GM_PAIR_OUTPUTS(insn, words)                                                                 \
    {                                                                                                \
        .fours_bytes = (words) / 4 * 64, .bytes = (words) * 16, .zero = gm_twice((insn)->y_zero),    \
        .low = gm_four_times((insn)->low), .high = gm_four_times((insn)->high), .range = GM_RANGE(insn) \
    }

static inline uint32_t gm_twice(int32_t byte)
{
    return ((uint32_t)gm_nearest_int8(byte) & 0xffffu) * 0x10001u;
}

static inline uint32_t gm_four_times(int32_t byte)
{
    return ((uint32_t)gm_nearest_int8(byte) & 0xffu) * 0x01010101u;
}

#endif
#endif
