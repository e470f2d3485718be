/* Loops over rows and columns of two arrays at once, the basis of several kernels for
 * Cortex-M with FPU. */
#ifndef GM_ARM_M_STRIDED_LOOP_H
#define GM_ARM_M_STRIDED_LOOP_H

#include <stdint.h>

#include "../../../../generated/instructions/conv.h"
#include "../../../../generated/instructions/conv_transpose.h"
#include "../../../../generated/instructions/matmul.h"
#include "../../arch.h"
#include "registers.h"

/* Whether there are kernels for any strides and sizes, which convolutions need, and products of any
 * operands. Linear layers omit them to save code size. */
#define WITH_ANY_STRIDES (GM_WITH_CONV || GM_WITH_CONV_TRANSPOSE || GM_WITH_MATMUL)

/* Steps in elements: a_row and b_row are the distances between row starts. There is at least one
 * row and one column. */
typedef struct gm_loop {
    uint32_t rows, columns;
    uint32_t a_row, a_column, b_row, b_column;
} gm_loop;

/* Swaps rows and columns if there is one column, so that the inner loop is the long one. */
static inline gm_loop gm_turned(const gm_loop *w)
{
    return w->columns > 1 ? *w : (gm_loop){ 1, w->rows, 0, w->a_row, 0, w->b_row };
}

/* y[i] += sum over rows and columns of a[0] b[i], i in 0..n. */
void gm_loop_across(const gm_loop *loop, const float *a, const float *b, float *y, uint32_t n);

/* The same for a[i] b[i]. */
void gm_loop_products(const gm_loop *loop, const float *a, const float *b, float *y, uint32_t n);

/* Adjacent kernel taps of a depthwise convolution: the steps from one tap to the next in a and in
 * w, and in w from one channel to the next. */
typedef struct gm_scaled_taps {
    uint32_t count, a_tap, w_tap, w_channel;
} gm_scaled_taps;

/* Whether several taps at once are better than one after another. They are if multiply and add are
 * separate, for a Cortex-M4 and M33: fewer sums are loaded and stored, which takes longer there
 * than an instruction. */
#define GM_ARCH_SCALED_TAPS (GM_APART && !GM_ARCH_HELIUM)

/* b[i] += a[i + t a_tap] w[i w_channel + t w_tap] for all taps t, ascending, in each row and column, i in 0..n. */
void gm_loop_scaled_taps(const gm_loop *loop, const gm_scaled_taps *taps, const float *a, float *b, uint32_t n,
                         const float *w);

#endif
