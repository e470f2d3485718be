#include "cross_entropy.h"

#if GM_WITH_SOFTMAX_CROSS_ENTROPY_WITH_GRAD

/* dx = factor (p - onehot(label)), p = exp(x - max) / sum; returns -log(p[label]). dx may be x. */
static float line_with_grad(const float *x, float *dx, uint32_t classes, uint32_t stride, uint32_t label, float factor)
{
    float max = gm_line_max(x, classes, stride);
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

typedef struct operands {
    const float *x, *weight, *mask, *dloss;
    const int32_t *labels;
    float *dx, divisor; /* the total weight for a mean, else 1 */
} operands;

/* One label's: sets its loss, and dx of its line. */
static int element_with_grad(const gm_insn_softmax_cross_entropy_with_grad *insn, const operands *p, uint32_t o,
                             uint32_t i, float *element)
{
    uint32_t k = o * insn->inner + i, line = o * insn->classes * insn->inner + i;
    int32_t label = p->labels[k];
    float w, m = gm_at_or_one(p->mask, k);
    *element = 0.0f;
    if (!gm_label_weight(label, insn->ignore_index, p->weight, insn->classes, &w)) {
        return GM_ERR_LABEL_OUT_OF_RANGE;
    }
    if (label != insn->ignore_index) {
        float factor = p->dloss[o * insn->loss_outer + i * insn->loss_inner] * m * w / p->divisor;
        float loss = line_with_grad(p->x + line, p->dx + line, insn->classes, insn->inner, (uint32_t)label, factor);
        *element = m * (w * loss);
    }
    if (label == insn->ignore_index || p->divisor == 0.0f) {
        gm_zero_line(p->dx + line, insn->classes, insn->inner);
    }
    return GM_OK;
}

int gm_kernel_softmax_cross_entropy_with_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_softmax_cross_entropy_with_grad *insn = instruction;
    operands p = {gm_f32(session, insn->x), gm_f32_optional(session, insn->weight),
                  gm_f32_optional(session, insn->mask), gm_f32(session, insn->dloss), gm_i32(session, insn->labels),
                  gm_f32_out(session, insn->dx), 1.0f};
    float *loss = gm_f32_out(session, insn->loss), sum = 0.0f, total, element;
    if (!gm_total_weight(p.labels, insn->outer * insn->inner, insn->ignore_index, p.weight, p.mask, insn->classes, &total)) {
        return GM_ERR_LABEL_OUT_OF_RANGE;
    }
    p.divisor = insn->reduction == GM_REDUCTION_MEAN ? total : 1.0f;
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t i = 0; i < insn->inner; i++) {
            int status = element_with_grad(insn, &p, o, i, &element);
            if (status != GM_OK) {
                return status;
            }
            sum += element;
            if (insn->reduction == GM_REDUCTION_NONE) {
                loss[o * insn->loss_outer + i * insn->loss_inner] = element;
            }
        }
    }
    if (insn->reduction != GM_REDUCTION_NONE) {
        loss[0] = gm_reduce_loss(sum, total, insn->reduction);
    }
    return GM_OK;
}

#endif
