/* Depthwise convolution weights in the layout of depthwise_pixels.h. */
#ifndef GM_ARM_M_DEPTHWISE_KERNEL_H
#define GM_ARM_M_DEPTHWISE_KERNEL_H

#include <stdint.h>

#define GM_DEPTHWISE_CHANNELS 4u

/* The kernel of up to four channels. Steps are in elements, and may be negative. */
typedef struct gm_depthwise_kernel {
    uint32_t rows, columns, channels;
    int32_t row_step, column_step, channel_step;
    int32_t zero;       /* subtracted from each weight */
    uint32_t set_words; /* of the weights for kernels that begin with the same column of a pair */
    int is_one_row;     /* one output row, whose input rows are in order: no row is repeated */
    int is_by_pairs;    /* a 3x3 kernel for depthwise_3x3.h: nothing else is written */
} gm_depthwise_kernel;

/* The number of column pairs under a kernel, wherever it begins. */
static inline uint32_t gm_pairs_under(uint32_t columns)
{
    return columns / 2 + 1;
}

/* All rows except the last may be repeated. rows and columns: at most 255. */
static inline uint32_t gm_depthwise_set_words(uint32_t rows, uint32_t columns)
{
    return (2 * rows - 1) * GM_DEPTHWISE_CHANNELS * gm_pairs_under(columns);
}

/* Writes both sets of weights, first those of kernels that begin with the first column of a pair.
 * w: the first channel's. */
void gm_pack_depthwise_kernel(const gm_depthwise_kernel *kernel, const int8_t *w, uint32_t *to);

#endif
