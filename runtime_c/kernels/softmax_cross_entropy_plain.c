/*
 * SOFTMAX_CROSS_ENTROPY_PLAIN: SOFTMAX_CROSS_ENTROPY_WITH_GRAD, with the bits of the strict
 *   profile in both profiles.
 */
#include "../generated/instructions/softmax_cross_entropy_plain.h"
#include "../src/plain_numerics.h"
#include "cross_entropy.h"

#if GM_WITH_SOFTMAX_CROSS_ENTROPY_PLAIN

typedef char opens_labels_softmax_cross_entropy_plain[GM_OPENS_LABELS(gm_insn_softmax_cross_entropy_plain) ? 1 : -1];

/* dx = factor (p - onehot(label)), p = exp(x - max) / sum; returns -log(p[label]). dx may be x. */
static float plain_loss_row(const float *x, float *dx, uint32_t classes, uint32_t stride, uint32_t label, float factor)
{
    float max = gm_row_max(x, classes, stride), own = x[label * stride] - max, sum = 0.0f;
    for (uint32_t c = 0; c < classes; c++) {
        float e = gm_plain_exp(x[c * stride] - max);
        dx[c * stride] = e;
        sum += e;
    }
    for (uint32_t c = 0; c < classes; c++) {
        dx[c * stride] = factor * (dx[c * stride] / sum - (c == label ? 1.0f : 0.0f));
    }
    return -(own - gm_plain_log(sum));
}

/* Sets dx in label k's row, and returns its loss. */
static float plain_loss_element(const gm_labels *labels, uint32_t k, const float *x, float *dx, float slope)
{
    const gm_cross_entropy_params *p = labels->params;
    int32_t label = labels->label[k];
    float w = gm_label_weight(labels, label), m = gm_at_or_one(labels->mask, k), element = 0.0f;
    float divisor = gm_loss_divisor(labels);
    if (label != p->ignore_index) {
        element = m * (w * plain_loss_row(x, dx, p->classes, p->inner, (uint32_t)label, slope * m * w / divisor));
    }
    if (label == p->ignore_index || divisor == 0.0f) {
        gm_zero_row(dx, p->classes, p->inner);
    }
    return element;
}

int gm_kernel_softmax_cross_entropy_plain(const struct gm_session *session, const void *instruction)
{
    const gm_insn_softmax_cross_entropy_plain *insn = instruction;
    gm_labels labels;
    int status = gm_open_labels(session, &insn->labels, &insn->outer, &labels);
    if (status != GM_OK) {
        return status;
    }
    const float *x = gm_f32(session, insn->x), *dloss = gm_f32(session, insn->dloss);
    float *dx = gm_f32_out(session, insn->dx), *loss = gm_f32_out(session, insn->loss), sum = 0.0f;
    GM_FOR_ROWS(insn, {
        uint32_t at = o * insn->loss_outer + i * insn->loss_inner;
        float element = plain_loss_element(&labels, o * insn->inner + i, x + row, dx + row, dloss[at]);
        sum += element;
        if (insn->reduction == GM_REDUCTION_NONE) {
            loss[at] = element;
        }
    })
    if (insn->reduction != GM_REDUCTION_NONE) {
        loss[0] = gm_reduce_loss(sum, gm_loss_divisor(&labels));
    }
    return GM_OK;
}

#endif
