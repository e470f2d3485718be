/* Weight gradients for groups with one channel and one output channel each. */
#ifndef GM_RISCV_DEPTHWISE_GRADIENT_H
#define GM_RISCV_DEPTHWISE_GRADIENT_H

#include "../../../conv_gradient.h"

#if GM_ARCH_ZVE32F
#include "tile.h"

/* Adds up one tap of n adjacent groups, or of as many as there are lanes. The tile's first row has
 * the pixels of the first group; the sums are its columns. Returns how many groups it did. */
uint32_t gm_lanes_add_groups(const gm_riscv_tile *tile, uint32_t n);

#elif GM_ARCH_RISCV

/* Adds the gradients of a 3x3 kernel with stride and padding 1, for one group, to sums[9]. The
 * image has at least two rows and two columns. */
void gm_riscv_add_3x3_gradient(const gm_conv_gradient *g, const float *x, const float *dy, float *sums);

/* Whether a window is of this kind. */
static inline int gm_riscv_is_3x3(const gm_window *w)
{
    return w->kernel_h == 3 && w->kernel_w == 3 && w->stride_h == 1 && w->stride_w == 1 && w->dilation_h == 1 &&
           w->dilation_w == 1 && w->pad_h == 1 && w->pad_w == 1 && w->out_h == w->in_h && w->out_w == w->in_w &&
           w->in_h >= 2 && w->in_w >= 2;
}

#endif
#endif
