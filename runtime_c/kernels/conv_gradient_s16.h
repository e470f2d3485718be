/* The gradient of a quantized convolution's weights from gradients of 16 bits, one output channel at
 * a time. */
#ifndef GM_CONV_GRADIENT_S16_H
#define GM_CONV_GRADIENT_S16_H

#include "conv_gradient_s8.h"
#include "gradient_s16.h"

/* row[c,k,l] = unit sum over batch, output rows and columns of dy (x - x_zero), times factor; with
 * accumulate, added to row. x: of the output channel's group; dy: of the output channel. */
void gm_conv_gradient_row_s16(const gm_conv_gradient_s8 *g, const int8_t *x, const int16_t *dy, float unit,
                              float factor, uint32_t accumulate, float *row);

#endif
