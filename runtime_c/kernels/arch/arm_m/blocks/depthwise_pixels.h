/* Outputs of depthwise convolutions of int8 on Cortex-M, four neighbouring channels of a row of
 * outputs. */
#ifndef GM_ARM_M_DEPTHWISE_PIXELS_H
#define GM_ARM_M_DEPTHWISE_PIXELS_H

#include "requantize.h"

#if GM_ARCH_PAIRS

/*
 * Rows of inputs lie in a panel as pairs of neighbouring columns: of each pair `rows` rows, of each
 * of these four channels, a word each. So the pairs under a kernel are one run of words. Rows take
 * turns: number r is always r modulo `rows`, of which the weights' order takes care. Weights are in
 * the same order, for kernels that begin with the first column of a pair, and with the second.
 */
typedef struct gm_depthwise_pixels {
    const uint32_t *x;                  /* the panel */
    uint32_t pair_bytes;                /* from a pair to the next: 16 rows */
    uint32_t column, stride;            /* of the kernel's first column in the panel; moves on */
    const uint32_t *weights[2];         /* by the column that a kernel begins with */
    uint32_t window_bytes;              /* of the pairs under a kernel */
    uint32_t weights_skip;              /* bytes behind a pair's weights to the next pair's */
    const float *multipliers, *offsets; /* of the four channels; offsets: NULL where there are none */
    const int32_t *bias;
    uint32_t left;                      /* outputs, at least 1 */
    void *y;
    uint32_t y_step;
    uint32_t zero, low, high;           /* as in gm_pair_outputs */
    gm_output_range range;
    uint32_t is_narrow;                 /* as in gm_pair_outputs */
    uint32_t *sums;                     /* of a kernel of 3 by 3: room for those of so many outputs, an even number; or NULL */
    uint32_t sums_outputs;
} gm_depthwise_pixels;

/* Makes one row of four channels 0 in the pairs from `to` up to `end`. */
static inline void gm_zero_pairs(uint32_t pair_words, uint32_t *to, const uint32_t *end)
{
    for (; to != end; to += pair_words) {
        to[0] = 0, to[1] = 0, to[2] = 0, to[3] = 0;
    }
}

/* Computes the outputs that are left, under a kernel of so many rows and columns. */
void gm_depthwise_row(gm_depthwise_pixels *pixels, uint32_t rows, uint32_t columns);

/* The same, of which the sums are stored as they are, four words of each output. Of the fields that
 * say what becomes of sums, only y and left count; and sums, where it is not NULL: then four more
 * words may be written behind the last ones, the stride is 1, and the bias 0. */
void gm_depthwise_sums(gm_depthwise_pixels *pixels, uint32_t rows, uint32_t columns);

#endif
#endif
