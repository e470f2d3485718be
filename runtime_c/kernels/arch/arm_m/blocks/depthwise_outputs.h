/* Rows of output gradients of depthwise convolutions as pairs of adjacent 16-bit columns, of four
 * channels. If the stride is larger than 1, there are zeros between gradients. */
#ifndef GM_ARM_M_DEPTHWISE_OUTPUTS_H
#define GM_ARM_M_DEPTHWISE_OUTPUTS_H

#include <stdint.h>

typedef struct gm_depthwise_outputs {
    uint32_t channels;      /* 1 to 4, adjacent */
    uint32_t columns, step; /* of the gradients */
    uint32_t stride;        /* from one to the next, with zeros between them */
    uint32_t pad;           /* columns to the left of the first gradient, with which the pairs begin */
    uint32_t pairs;         /* of a row */
    uint32_t pair_words;    /* from one pair to the next */
} gm_depthwise_outputs;

/* Writes four words of each pair of a row. Whatever is outside becomes 0, and
 * so does a NULL row. */
void gm_pack_depthwise_outputs(const gm_depthwise_outputs *outputs, const int16_t *row, uint32_t *to);

#endif
