/* The weight gradient of a quantized convolution, one output channel at a time. */
#ifndef CONV_GRADIENT_S8_H
#define CONV_GRADIENT_S8_H

#include "quantized.h"
#include "window.h"

typedef struct gm_conv_gradient_s8 {
    gm_window window;
    gm_layout x, dy;
    uint32_t batch, in_channels;
    int32_t x_zero;
} gm_conv_gradient_s8;

#define GM_CONV_GRADIENT_S8(insn)                                                              \
    {                                                                                          \
        .window = GM_WINDOW(insn),                                                             \
        .x = {(insn)->x_batch, (insn)->x_h, (insn)->x_w, (insn)->x_group, (insn)->x_channel},  \
        .dy = {(insn)->y_batch, (insn)->y_h, (insn)->y_w, (insn)->y_group, (insn)->y_channel}, \
        .batch = (insn)->batch,                                                                \
        .in_channels = (insn)->in_channels,                                                    \
        .x_zero = gm_nearest_int8((insn)->x_zero),                                             \
    }

/* row[c,k,l] = factor times the sum over batch, output rows and columns of dy (x - x_zero); with
 * accumulate, it is added to row. x: the output channel's group; dy: the output channel. */
void gm_conv_gradient_row_s8(const gm_conv_gradient_s8 *g, const int8_t *x, const float *dy, float factor,
                             uint32_t accumulate, float *row);

#endif
