/* Gradients of a three-tap kernel row at once. */
#ifndef GM_ARM_M_THREE_TAPS_H
#define GM_ARM_M_THREE_TAPS_H

#include "../../../conv_gradient.h"
#include "registers.h"

/* A row of outputs: in `middle` all three taps are inside the input; to the left 0 or 1 outputs
 * whose first tap is outside, to the right 0 or 1 whose last tap is outside. Steps in bytes; skips
 * lead to the next row. */
typedef struct gm_three_taps {
    uint32_t left, middle, right, x_skip, y_skip, sums_step;
    uint32_t rows, x_step, y_step, x_gap, y_gap;
    uint32_t x, y; /* offsets of the first row, in elements */
} gm_three_taps;

/* Sums of 2 output channels by 4 channels: sums[(4 i + j) sums_step + l] += dy[i] x[l,j]. Of 8
 * output channels and one channel: sums[i sums_step + l] += dy[i] x[l]. Of 4 groups with one
 * of each: += dy[i] x[l,i]. All are adjacent, except dy in the first case; in the second case
 * x's columns are, too. */
enum gm_neighbours { GM_2_BY_4_CHANNELS, GM_8_OUT_CHANNELS, GM_4_GROUPS };

/* Whether kernel rows use this code: Helium has better code. */
#define GM_ARCH_THREE_TAPS (!GM_ARCH_HELIUM)

/* Whether groups do: if multiply and add are separate; strided_loop.h has the reason. */
#define GM_ARCH_TAPS_OF_GROUPS (GM_ARCH_THREE_TAPS && GM_APART && GM_WITH_DEPTHWISE)

/* Whether the taps of kernel row k can be done at once. rows is 0 if they are outside the input. */
int gm_three_taps_of(const gm_conv_gradient *g, uint32_t k, enum gm_neighbours of, uint32_t sums_step,
                     gm_three_taps *row);

/* All batches of them. */
void gm_add_three_taps(const gm_conv_gradient *g, const gm_three_taps *row, enum gm_neighbours of, const float *x,
                       const float *dy, float *sums);

#endif
