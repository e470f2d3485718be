/*
 * What the forms of cross entropy share. x, log_prob, dx (outer, classes, inner); labels, mask (outer, inner); weight
 * (classes). weight and mask may be absent, which is all ones. An image may let any two operands overlap, so a label is
 * checked each time it is read, before it is an index.
 */
#ifndef GM_CROSS_ENTROPY_H
#define GM_CROSS_ENTROPY_H

#include "../src/gm_internal.h"
#include "softmax_line.h"

/* Sets the weight of a label, 0 for ignore_index. False where the label is no class. */
static inline int gm_label_weight(int32_t label, int32_t ignore_index, const float *weight, uint32_t classes, float *out)
{
    if (label == ignore_index) {
        *out = 0.0f;
        return 1;
    }
    if (label < 0 || (uint32_t)label >= classes) {
        return 0;
    }
    *out = weight ? weight[label] : 1.0f;
    return 1;
}

static inline float gm_at_or_one(const float *array, uint32_t i)
{
    return array ? array[i] : 1.0f;
}

/* Sets the total weight of all labels. False where one is no class. */
static inline int gm_total_weight(const int32_t *labels, uint32_t count, int32_t ignore_index, const float *weight,
                                  const float *mask, uint32_t classes, float *total)
{
    *total = 0.0f;
    for (uint32_t i = 0; i < count; i++) {
        float w;
        if (!gm_label_weight(labels[i], ignore_index, weight, classes, &w)) {
            return 0;
        }
        *total += gm_at_or_one(mask, i) * w;
    }
    return 1;
}

/* Where the reduction is a mean, divides by the total weight; 0 where nothing counts. */
static inline float gm_reduce_loss(float sum, float total_weight, uint32_t reduction)
{
    if (reduction != GM_REDUCTION_MEAN) {
        return sum;
    }
    return total_weight == 0.0f ? 0.0f : sum / total_weight;
}

static inline void gm_zero_line(float *dx, uint32_t classes, uint32_t stride)
{
    for (uint32_t c = 0; c < classes; c++) {
        dx[c * stride] = 0.0f;
    }
}

#endif
