#include "../src/gm_internal.h"
#include "softmax_line.h"

/*
 * x, log_prob, dx (outer, classes, inner); labels (outer, inner); weight (classes) or absent, which is all ones.
 * An image may let any two operands overlap, so a label is checked each time it is read, before it is an index.
 */

#if GM_WITH_SOFTMAX_CROSS_ENTROPY || GM_WITH_SOFTMAX_CROSS_ENTROPY_GRAD

/* Sets the weight of a label, 0 for ignore_index. False where the label is no class. */
static int weight_of(int32_t label, int32_t ignore_index, const float *weight, uint32_t classes, float *out)
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

#endif

#if GM_WITH_SOFTMAX_CROSS_ENTROPY

/* Where the reduction is a mean, divides by the total weight; 0 where nothing counts. */
static float reduce(float sum, float total_weight, uint32_t reduction)
{
    if (reduction != GM_REDUCTION_MEAN) {
        return sum;
    }
    return total_weight == 0.0f ? 0.0f : sum / total_weight;
}

int gm_kernel_softmax_cross_entropy(const struct gm_session *session, const void *instruction)
{
    const gm_insn_softmax_cross_entropy *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    const int32_t *labels = gm_i32(session, insn->labels);
    const float *weight = gm_f32_optional(session, insn->weight);
    float *log_prob = gm_f32_out(session, insn->log_prob);
    float *loss = gm_f32_out(session, insn->loss);
    float sum = 0.0f, total_weight = 0.0f;
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t i = 0; i < insn->inner; i++) {
            uint32_t line = o * insn->classes * insn->inner + i;
            gm_log_softmax_line(x + line, log_prob + line, insn->classes, insn->inner);
            int32_t label = labels[o * insn->inner + i];
            float w;
            if (!weight_of(label, insn->ignore_index, weight, insn->classes, &w)) {
                return GM_ERR_LABEL_OUT_OF_RANGE;
            }
            int ignored = label == insn->ignore_index;
            float element = ignored ? 0.0f : w * -log_prob[line + (uint32_t)label * insn->inner];
            sum += element;
            total_weight += w;
            if (insn->reduction == GM_REDUCTION_NONE) {
                loss[o * insn->loss_outer + i * insn->loss_inner] = element;
            }
        }
    }
    if (insn->reduction != GM_REDUCTION_NONE) {
        loss[0] = reduce(sum, total_weight, insn->reduction);
    }
    return GM_OK;
}

#endif

#if GM_WITH_SOFTMAX_CROSS_ENTROPY_GRAD

/* dx = factor (exp(log_prob) - onehot(label)) */
static void grad_line(const float *log_prob, float *dx, uint32_t classes, uint32_t stride, int32_t label, float factor)
{
    for (uint32_t c = 0; c < classes; c++) {
        float onehot = c == (uint32_t)label ? 1.0f : 0.0f;
        dx[c * stride] = factor * (gm_exp(log_prob[c * stride]) - onehot);
    }
}

static void zero_line(float *dx, uint32_t classes, uint32_t stride)
{
    for (uint32_t c = 0; c < classes; c++) {
        dx[c * stride] = 0.0f;
    }
}

/* What the loss was divided by: the total weight of all labels for a mean, else 1. */
static int divisor_of(const gm_insn_softmax_cross_entropy_grad *insn, const int32_t *labels, const float *weight,
                      float *divisor)
{
    *divisor = 1.0f;
    if (insn->reduction != GM_REDUCTION_MEAN) {
        return 1;
    }
    float total_weight = 0.0f;
    for (uint32_t i = 0; i < insn->outer * insn->inner; i++) {
        float w;
        if (!weight_of(labels[i], insn->ignore_index, weight, insn->classes, &w)) {
            return 0;
        }
        total_weight += w;
    }
    *divisor = total_weight;
    return 1;
}

int gm_kernel_softmax_cross_entropy_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_softmax_cross_entropy_grad *insn = instruction;
    const float *dloss = gm_f32(session, insn->dloss);
    const float *log_prob = gm_f32(session, insn->log_prob);
    const int32_t *labels = gm_i32(session, insn->labels);
    const float *weight = gm_f32_optional(session, insn->weight);
    float *dx = gm_f32_out(session, insn->dx);
    float divisor;
    if (!divisor_of(insn, labels, weight, &divisor)) {
        return GM_ERR_LABEL_OUT_OF_RANGE;
    }
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t i = 0; i < insn->inner; i++) {
            uint32_t line = o * insn->classes * insn->inner + i;
            int32_t label = labels[o * insn->inner + i];
            float w;
            if (!weight_of(label, insn->ignore_index, weight, insn->classes, &w)) {
                return GM_ERR_LABEL_OUT_OF_RANGE;
            }
            if (label == insn->ignore_index || divisor == 0.0f) {
                zero_line(dx + line, insn->classes, insn->inner);
                continue;
            }
            float factor = dloss[o * insn->loss_outer + i * insn->loss_inner] * w / divisor;
            grad_line(log_prob + line, dx + line, insn->classes, insn->inner, label, factor);
        }
    }
    return GM_OK;
}

#endif
