/*
 * SOFTMAX_CROSS_ENTROPY_WITH_GRAD: SOFTMAX_CROSS_ENTROPY and its gradient: p = softmax(x); loss =
 *   reduce(-mask weight[label] log(p[label])), dx = dloss mask weight[label] (p - onehot(label)),
 *   divided by the total weight if reduction is mean.
 */
#include "../generated/instructions/softmax_cross_entropy_with_grad.h"
#include "../src/image.h"
#include "cross_entropy.h"

#if GM_WITH_SOFTMAX_CROSS_ENTROPY_WITH_GRAD

typedef char
    opens_labels_softmax_cross_entropy_with_grad[GM_OPENS_LABELS(gm_insn_softmax_cross_entropy_with_grad) ? 1 : -1];

/* dx = factor (p - onehot(label)), p = exp(x - max) / sum; returns -log(p[label]). dx may be x. */
static GM_CALLED float row_with_grad(const float *x, float *dx, uint32_t classes, uint32_t stride, uint32_t label,
                                     float factor)
{
    float max = gm_row_max(x, classes, stride);
    float own = x[label * stride] - max, sum = 0.0f;
    for (uint32_t c = 0; c < classes; c++) {
        float e = gm_exp(x[c * stride] - max);
        dx[c * stride] = e;
        sum += e;
    }
    for (uint32_t c = 0; c < classes; c++) {
        dx[c * stride] = factor * (dx[c * stride] / sum - (c == label ? 1.0f : 0.0f));
    }
    return -(own - gm_log(sum));
}

/* Sets dx in one label's row, and returns its loss. */
static float element_with_grad(const gm_labels *labels, uint32_t k, const float *x, float *dx, float slope,
                               float divisor)
{
    const gm_cross_entropy_params *p = labels->params;
    int32_t label = labels->label[k];
    float w = gm_label_weight(labels, label), m = gm_at_or_one(labels->mask, k), element = 0.0f;
    if (label != p->ignore_index) {
        element = m * (w * row_with_grad(x, dx, p->classes, p->inner, (uint32_t)label, slope * m * w / divisor));
    }
    if (label == p->ignore_index || divisor == 0.0f) {
        gm_zero_row(dx, p->classes, p->inner);
    }
    return element;
}

int gm_kernel_softmax_cross_entropy_with_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_softmax_cross_entropy_with_grad *insn = instruction;
    gm_labels labels;
    int status = gm_open_labels(session, &insn->labels, &insn->outer, &labels);
    if (status != GM_OK) {
        return status;
    }
    const float *x = gm_f32(session, insn->x), *dloss = gm_f32(session, insn->dloss);
    float *dx = gm_f32_out(session, insn->dx), *loss = gm_f32_out(session, insn->loss), sum = 0.0f;
    float divisor = gm_loss_divisor(&labels);
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t i = 0; i < insn->inner; i++) {
            uint32_t line = o * insn->classes * insn->inner + i, at = o * insn->loss_outer + i * insn->loss_inner;
            float element = element_with_grad(&labels, o * insn->inner + i, x + line, dx + line, dloss[at], divisor);
            sum += element;
            if (insn->reduction == GM_REDUCTION_NONE) {
                loss[at] = element;
            }
        }
    }
    if (insn->reduction != GM_REDUCTION_NONE) {
        loss[0] = gm_reduce_loss(sum, divisor);
    }
    return GM_OK;
}

#endif
