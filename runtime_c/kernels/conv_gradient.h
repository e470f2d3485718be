/* The gradient of a convolution's weights, one map at a time. */
#ifndef CONV_GRADIENT_H
#define CONV_GRADIENT_H

#include "window.h"

typedef struct gm_conv_gradient {
    gm_window window;
    gm_layout x, dy;
    uint32_t batch, channels;
} gm_conv_gradient;

#define GM_CONV_GRADIENT(insn)                                                                                       \
    {                                                                                                                \
        .window = GM_WINDOW(insn),                                                                                   \
        .x = { (insn)->x_batch, (insn)->x_h, (insn)->x_w, (insn)->x_group, (insn)->x_channel },                      \
        .dy = { (insn)->y_batch, (insn)->y_h, (insn)->y_w, (insn)->y_group, (insn)->y_map },                         \
        .batch = (insn)->batch, .channels = (insn)->channels,                                                        \
    }

/* row[c,k,l] += sum over batch, output rows and columns of dy x. x: of the map's group; dy: of the map. */
void gm_conv_gradient_row(const gm_conv_gradient *g, const float *x, const float *dy, float *row);

#endif
