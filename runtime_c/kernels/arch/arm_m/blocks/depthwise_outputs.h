/* Rows of output gradients of depthwise convolutions as pairs of neighbouring columns, of 16 bits and of four channels.
 * Between gradients there are zeros where the stride is larger than 1. */
#ifndef GM_ARM_M_DEPTHWISE_OUTPUTS_H
#define GM_ARM_M_DEPTHWISE_OUTPUTS_H

#include <stdint.h>

typedef struct gm_depthwise_outputs {
    uint32_t channels;      /* 1 to 4, neighbours */
    uint32_t columns, step; /* of the gradients */
    uint32_t stride;        /* from one to the next, with zeros between them */
    uint32_t pad;           /* columns left of the first gradient, with which pairs begin */
    uint32_t pairs;         /* of a row */
    uint32_t pair_words;    /* from a pair to the next one */
} gm_depthwise_outputs;

/* Writes four words of each pair of a row. What lies outside becomes 0, and so does a row that is NULL. */
void gm_pack_depthwise_outputs(const gm_depthwise_outputs *outputs, const int16_t *row, uint32_t *to);

#endif
