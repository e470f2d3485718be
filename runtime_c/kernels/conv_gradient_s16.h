/* The weight gradient of a quantized convolution from 16-bit gradients, one output
 * channel at a time. */
#ifndef GM_CONV_GRADIENT_S16_H
#define GM_CONV_GRADIENT_S16_H

#include "conv_gradient_s8.h"
#include "gradient_s16.h"

/* row[c,k,l] = factor unit sum over batch, output rows and columns of dy (x - x_zero); with
 * accumulate, added to row. x: the output channel's group; dy: the output channel. */
void gm_conv_gradient_row_s16(const gm_conv_gradient_s8 *g, const int8_t *x, const int16_t *dy, float unit,
                              float factor, uint32_t accumulate, float *row);

#endif
