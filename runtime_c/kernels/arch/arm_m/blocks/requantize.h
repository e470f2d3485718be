/* Turns int32 sums into int8 on Cortex-M, bit for bit as gm_to_int8(). */
#ifndef GM_ARM_M_REQUANTIZE_H
#define GM_ARM_M_REQUANTIZE_H

#include "../../../quantized.h"
#include "pairs.h"

#if GM_ARCH_PAIRS

/* Adjacent tiles of 2 rows by 4 columns of outputs. */
typedef struct gm_pair_outputs {
    const uint32_t *a, *b;             /* panels; b advances to the next tile */
    uint32_t fours_bytes, bytes;       /* of a tile's panel: the whole groups of four words of a column, and all */
    const int32_t *bias;               /* of the first column */
    uint32_t bias_step;                /* bytes to that of the next tile: 16, or 0 */
    const float *multipliers, *offsets; /* offsets: NULL if absent */
    int8_t *y[GM_PAIR_ROWS];           /* the outputs of each row are contiguous */
    uint32_t zero, low, high;          /* zero twice in a word, the bounds four times */
    uint32_t tiles;                    /* at least 1 */
    uint32_t is_narrow;                /* gm_are_narrow() holds, and GM_ALL_BYTES() */
    gm_output_range range;
    uint32_t by_factors;               /* without FPU: gm_have_factors(), and bounds are those of int8 */
} gm_pair_outputs;

/* Computes all tiles. Advances the struct's pointers. */
void gm_pair_requantize(gm_pair_outputs *outputs);

/* Whether all of n multipliers or offsets are finite, as this code requires. */
int gm_are_finite(const float *x, uint32_t n);

#if GM_ARCH_DSP
/* Whether the bounds of outputs are the ends of their type. */
#define GM_ALL_BYTES(insn) ((insn)->low <= INT8_MIN && (insn)->high >= INT8_MAX)

/* Returns an upper bound for the absolute sum of so many products of int8 with these zero
 * points subtracted. */
static inline float gm_most_of_products(float products, int32_t x_zero, int32_t w_zero)
{
    return products * (float)(128 + (x_zero < 0 ? -x_zero : x_zero)) * (float)(128 + (w_zero < 0 ? -w_zero : w_zero));
}

/* Whether scaled sums stay so far within 16 bits that a zero point can be added to them; rounding
 * and clamping are then shorter. most: an upper bound for what is added to the bias. bias,
 * offsets: NULL if absent. */
int gm_are_narrow(const float *multipliers, const float *offsets, const int32_t *bias, uint32_t channels, float most);
#endif

/* Whether all of n multipliers have factors (scaled.h). */
int gm_have_factors(const float *multipliers, const float *offsets, uint32_t n);

/* Sets the fields that an instruction with these parameters determines; a tile's panels have so
 * many words per row. */
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
