/* Output gradients of depthwise convolutions, of 16 bits and of four channels, between which there
 * are zeros where the stride is larger than 1. */
#ifndef GM_ARM_M_DEPTHWISE_OUTPUTS_H
#define GM_ARM_M_DEPTHWISE_OUTPUTS_H

#include "dsp.h"

#if GM_ARCH_PAIRS

typedef struct gm_depthwise_outputs {
    uint32_t channels;      /* 1 to 4, neighbours */
    uint32_t columns, step; /* of the gradients */
    uint32_t stride;        /* from one to the next, with zeros between them */
} gm_depthwise_outputs;

typedef struct gm_four_gradients {
    uint32_t low, high;
} gm_four_gradients;

/* Returns the gradients at a column among zeros, which may lie outside. row: of the first channel. */
static inline gm_four_gradients gm_gradients_at(const gm_depthwise_outputs *outputs, const int16_t *row, uint32_t column)
{
    gm_four_gradients result = {0, 0};
    uint32_t p = outputs->stride == 1 ? column : column / outputs->stride;
    if (p >= outputs->columns || p * outputs->stride != column) {
        return result;
    }
    row += p * outputs->step;
    if (outputs->channels == 4) {
        __builtin_memcpy(&result, row, sizeof result);
        return result;
    }
    result.low = gm_pair(row[0], outputs->channels > 1 ? row[1] : 0);
    result.high = gm_pair(outputs->channels > 2 ? row[2] : 0, 0);
    return result;
}

/* Stores two columns as a pair of each channel. */
static inline void gm_store_gradients(uint32_t *to, gm_four_gradients left, gm_four_gradients right)
{
    to[0] = gm_lower_halves(left.low, right.low);
    to[1] = gm_upper_halves(left.low, right.low);
    to[2] = gm_lower_halves(left.high, right.high);
    to[3] = gm_upper_halves(left.high, right.high);
}

#endif
#endif
