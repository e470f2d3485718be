/* Helpers shared by the forms of cross entropy. x, log_prob and dx are (outer, classes, inner),
 * labels and mask (outer, inner), weight (classes), and loss and dloss (outer, inner) with their
 * own strides. weight and mask may be absent, meaning all ones. */
#ifndef GM_CROSS_ENTROPY_H
#define GM_CROSS_ENTROPY_H

#include <stddef.h>

#include "../generated/instructions/enum_reduction.h"
#include "../src/gm_internal.h"
#include "softmax_row.h"

/* The parameters with which all forms begin, in this order. */
typedef struct gm_cross_entropy_params {
    uint32_t outer, classes, inner, loss_outer, loss_inner, reduction;
    int32_t ignore_index;
} gm_cross_entropy_params;

typedef struct gm_labels {
    const gm_cross_entropy_params *params;
    const int32_t *label;
    const float *weight, *mask;
    float total_weight; /* over all labels */
} gm_labels;

/* Opens the consecutive operands labels, weight and mask. Returns GM_ERR_LABEL_OUT_OF_RANGE if a
 * label is not a class. No kernel writes over its labels, so this check holds while it runs. */
int gm_open_labels(const gm_session *session, const uint32_t *operands, const void *params, gm_labels *out);

/* Whether an instruction has the fields that gm_open_labels() reads, at the offsets it expects. */
#define GM_OPENS_LABELS(insn)                                                 \
    (offsetof(insn, mask) - offsetof(insn, labels) == 2 * sizeof(uint32_t) && \
     offsetof(insn, ignore_index) - offsetof(insn, outer) == offsetof(gm_cross_entropy_params, ignore_index))

static inline float gm_at_or_one(const float *array, uint32_t i)
{
    return array ? array[i] : 1.0f;
}

/* Returns the weight of a label, which is a class or ignore_index; that of ignore_index is 0. */
static inline float gm_label_weight(const gm_labels *labels, int32_t label)
{
    return label == labels->params->ignore_index ? 0.0f : gm_at_or_one(labels->weight, (uint32_t)label);
}

/* Returns the divisor for a sum of losses: the total weight for a mean, else 1. */
static inline float gm_loss_divisor(const gm_labels *labels)
{
    return labels->params->reduction == GM_REDUCTION_MEAN ? labels->total_weight : 1.0f;
}

/* A sum of losses over the divisor; 0 if nothing counts. */
static inline float gm_reduce_loss(float sum, float divisor)
{
    return divisor == 0.0f ? 0.0f : sum / divisor;
}

static inline void gm_zero_row(float *dx, uint32_t classes, uint32_t stride)
{
    for (uint32_t c = 0; c < classes; c++) {
        dx[c * stride] = 0.0f;
    }
}

#endif
