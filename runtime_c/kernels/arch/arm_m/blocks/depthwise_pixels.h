/* Outputs of int8 depthwise convolutions on Cortex-M, four adjacent channels of an output row. */
#ifndef GM_ARM_M_DEPTHWISE_PIXELS_H
#define GM_ARM_M_DEPTHWISE_PIXELS_H

#include "requantize.h"

#if GM_ARCH_PAIRS

/*
 * Input rows are in a panel as pairs of adjacent columns: for each pair `rows` rows, for each row
 * four channels, one word each. So the pairs under a kernel are one run of words. Rows take
 * turns: row r is always in slot r modulo `rows`, and the order of the weights accounts for that.
 * Weights are in the same order, once for kernels that begin with the first column of a pair, and
 * once with the second.
 */
typedef struct gm_depthwise_pixels {
    const uint32_t *x;                  /* the panel */
    uint32_t pair_bytes;                /* from one pair to the next: 16 times `rows` */
    uint32_t column, stride;            /* of the kernel's first column in the panel; advances */
    const uint32_t *weights[2];         /* by the column with which a kernel begins */
    uint32_t window_bytes;              /* of the pairs under a kernel */
    uint32_t weights_skip;              /* bytes from the end of one pair's weights to the next pair's */
    const float *multipliers, *offsets; /* of the four channels; offsets: NULL if absent */
    const int32_t *bias;
    uint32_t left;                      /* outputs, at least 1 */
    void *y;
    uint32_t y_step;
    uint32_t zero, low, high;           /* as in gm_pair_outputs */
    gm_output_range range;
    uint32_t is_narrow;                 /* as in gm_pair_outputs */
    uint32_t *sums;                     /* for a 3x3 kernel: room for the sums of sums_outputs outputs, an even
                                         * number; or NULL */
    uint32_t sums_outputs;
} gm_depthwise_pixels;

/* Zeroes one row of four channels in the pairs from `to` up to `end`. */
static inline void gm_zero_pairs(uint32_t pair_words, uint32_t *to, const uint32_t *end)
{
    for (; to != end; to += pair_words) {
        to[0] = 0, to[1] = 0, to[2] = 0, to[3] = 0;
    }
}

/* Computes the remaining outputs, under a kernel of so many rows and columns. */
void gm_depthwise_row(gm_depthwise_pixels *pixels, uint32_t rows, uint32_t columns);

/* The same, but stores the sums unchanged, four words per output. Of the fields that say how to
 * finish sums, it reads only y and left; and `sums`, if not NULL: then it may write four more words
 * after the last ones, the stride is 1, and the bias 0. */
void gm_depthwise_sums(gm_depthwise_pixels *pixels, uint32_t rows, uint32_t columns);

#endif
#endif
