/* Rows of inputs of depthwise convolutions as pairs of neighbouring columns, four channels a time. */
#ifndef GM_ARM_M_DEPTHWISE_INPUTS_H
#define GM_ARM_M_DEPTHWISE_INPUTS_H

#include <stdint.h>

typedef struct gm_depthwise_inputs {
    uint32_t channels;      /* 1 to 4, neighbours */
    uint32_t columns, step; /* of x */
    uint32_t pad;           /* columns left of x, with which pairs begin */
    int32_t zero;           /* -128 .. 127; taken off each number */
    uint32_t pairs;         /* of a row */
    uint32_t pair_words;    /* from a pair to the next one */
} gm_depthwise_inputs;

/* Writes four words of each pair of a row. What lies outside of x becomes 0, and so does a row that
 * is NULL. */
void gm_pack_depthwise_inputs(const gm_depthwise_inputs *inputs, const int8_t *row, uint32_t *to);

#endif
