/* Kernels of 3 by 3 on Cortex-M, one channel of a row after another. With the DSP extension, a pair of neighbouring columns
 * stays in registers for all outputs that it is under. */
#ifndef GM_ARM_M_DEPTHWISE_3X3_H
#define GM_ARM_M_DEPTHWISE_3X3_H

#include "../../../../generated/instructions/conv_grad_w_s16.h"
#include "../../../../generated/instructions/conv_update_s16.h"
#include "depthwise_kernel.h"
#include "depthwise_pixels.h"

/* From a pair of columns to the next one, where it has three rows. */
#define GM_WORDS_OF_3_ROWS (3u * GM_DEPTHWISE_CHANNELS)

#if GM_ARCH_DSP

/* Sums of n outputs, four words of each; where the stride is 1 and n is odd, four more are written. The fields of pixels
 * up to the bias count; the stride is 1 or 2, and the column even. It moves on. */
void gm_depthwise_3x3_sums(gm_depthwise_pixels *pixels, uint32_t n, uint32_t *sums);

/* The sums that are left, without a bias, by a stride of 1; y has room for an even number of them. */
void gm_depthwise_3x3_sums_from_0(gm_depthwise_pixels *pixels);

/* The words of weights that these do not read, as they take the first pair of one set and the second of the other. */
static inline uint32_t *gm_words_between_3x3(uint32_t *weights)
{
    return weights + gm_depthwise_set_words(3, 3) / 2;
}
#define GM_WORDS_BETWEEN_3X3 40u

#endif

/* Gradients of weights take Thumb-2, with the DSP extension or without. */
#if (GM_WITH_CONV_GRAD_W_S16 || GM_WITH_CONV_UPDATE_S16) && GM_ARCH_PAIRS && defined(__thumb2__)
#define GM_ARCH_3X3_GRADIENTS 1

/* A row of output gradients, for gradients of weights, four channels of which are neighbours in both panels. */
typedef struct gm_depthwise_3x3_row {
    uint32_t *sums[3];          /* of a channel: three taps of the kernel's row that each row of x is under */
    const uint32_t *x;          /* pairs of three rows */
    const uint32_t *dy, *dy_end; /* pairs, the last of them zeros; without the extension those of two outputs */
    uint32_t odd;               /* without the extension: whether there is one more output */
} gm_depthwise_3x3_row;

/* sums[k][l] += sum over outputs p of dy[p] x[k][stride p + l], where the stride is 1 or 2. */
void gm_depthwise_3x3_gradients(const gm_depthwise_3x3_row *row, uint32_t stride);

#else
#define GM_ARCH_3X3_GRADIENTS 0
#endif
#endif
