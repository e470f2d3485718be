/* The gradient of a convolution's weights, one output channel at a time. */
#ifndef CONV_GRADIENT_H
#define CONV_GRADIENT_H

#include "arch/arch.h"
#include "window.h"

typedef struct gm_conv_gradient {
    gm_window window;
    gm_layout x, dy;
    uint32_t batch, in_channels;
} gm_conv_gradient;

#define GM_CONV_GRADIENT(insn)              \
    {                                       \
        .window = GM_WINDOW(insn),          \
        .x = GM_X_LAYOUT(insn),             \
        .dy = GM_Y_LAYOUT(insn),            \
        .batch = (insn)->batch,             \
        .in_channels = (insn)->in_channels, \
    }

/* row[c,k,l] += sum over batch, output rows and columns of dy x. x: the output channel's group; dy:
 * the output channel. */
void gm_conv_gradient_row(const gm_conv_gradient *g, const float *x, const float *dy, float *row);

#if GM_ARCH_CONV_NEIGHBOURS
/* The destination of the gradients of all weights (groups, out_channels, in_channels, kernel rows,
 * columns): w, or p through the rule. */
typedef struct gm_gradient_target {
    uint32_t groups, out_channels;
    const gm_rule_args *update; /* NULL: to w */
    float *w;                   /* with an update: scratch for the gradients of one output channel */
    uint32_t accumulate;        /* sums start from w */
} gm_gradient_target;

/* All gradients, several output channels or groups at once. Returns 0, and does nothing, if
 * row by row is faster. */
int gm_conv_gradient_of_neighbours(const gm_conv_gradient *g, const float *x, const float *dy,
                                   const gm_gradient_target *target);
#endif

#endif
