/* Input rows of depthwise convolutions as pairs of adjacent columns, four channels at a time. */
#ifndef GM_ARM_M_DEPTHWISE_INPUTS_H
#define GM_ARM_M_DEPTHWISE_INPUTS_H

#include <stdint.h>

typedef struct gm_depthwise_inputs {
    uint32_t channels;      /* 1 to 4, adjacent */
    uint32_t columns, step; /* of x */
    uint32_t pad;           /* columns to the left of x, with which the pairs begin */
    int32_t zero;           /* -128 .. 127; subtracted from each value */
    uint32_t pairs;         /* of a row */
    uint32_t pair_words;    /* from one pair to the next */
} gm_depthwise_inputs;

/* Writes four words of each pair of a row. Whatever is outside x becomes 0, and
 * so does a NULL row. */
void gm_pack_depthwise_inputs(const gm_depthwise_inputs *inputs, const int8_t *row, uint32_t *to);

#endif
