/* 3x3 kernels on Cortex-M, one channel of a row after another. With the DSP extension, a pair of
 * adjacent columns stays in registers for all outputs that it contributes to. */
#ifndef GM_ARM_M_DEPTHWISE_3X3_H
#define GM_ARM_M_DEPTHWISE_3X3_H

#include "../../../../generated/instructions/conv_grad_w_s16.h"
#include "../../../../generated/instructions/conv_update_s16.h"
#include "depthwise_kernel.h"
#include "depthwise_pixels.h"

/* Words from one pair of columns to the next, with three rows each. */
#define GM_WORDS_OF_3_ROWS (3u * GM_DEPTHWISE_CHANNELS)

#if GM_ARCH_DSP

/* Computes the sums of n outputs, four words each; if the stride is 1 and n is odd, it writes four
 * more words. Reads the fields of `pixels` up to the bias; the stride is 1 or 2, and the column
 * even. Advances `pixels`. */
void gm_depthwise_3x3_sums(gm_depthwise_pixels *pixels, uint32_t n, uint32_t *sums);

/* The remaining sums, without a bias, at stride 1; y has room for an even number of them. */
void gm_depthwise_3x3_sums_from_0(gm_depthwise_pixels *pixels);

/* The words of the weights that these functions do not read, since they use the first pair of one
 * set and the second pair of the other. */
static inline uint32_t *gm_words_between_3x3(uint32_t *weights)
{
    return weights + gm_depthwise_set_words(3, 3) / 2;
}
#define GM_WORDS_BETWEEN_3X3 40u

#endif

/* Gradients of weights need Thumb-2, with or without the DSP extension. */
#if (GM_WITH_CONV_GRAD_W_S16 || GM_WITH_CONV_UPDATE_S16) && GM_ARCH_PAIRS && defined(__thumb2__)
#define GM_ARCH_3X3_GRADIENTS 1

/* A row of output gradients, for weight gradients of four adjacent channels in both panels. */
typedef struct gm_depthwise_3x3_row {
    uint32_t *sums[3];          /* of a channel: the three taps of the kernel row that pairs with each row of x */
    const uint32_t *x;          /* pairs of three rows */
    const uint32_t *dy, *dy_end; /* pairs, the last of them zeros; without the extension, pairs of two outputs */
    uint32_t odd;               /* without the extension: whether one more output follows */
} gm_depthwise_3x3_row;

/* sums[k][l] += sum over outputs p of dy[p] x[k][stride p + l]; the stride is 1 or 2. */
void gm_depthwise_3x3_gradients(const gm_depthwise_3x3_row *row, uint32_t stride);

#else
#define GM_ARCH_3X3_GRADIENTS 0
#endif
#endif
