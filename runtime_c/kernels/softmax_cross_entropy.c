/*
 * SOFTMAX_CROSS_ENTROPY: log_prob = log_softmax(x); loss = reduce(-mask weight[label]
 *   log_prob[label]), smoothed; labels equal to ignore_index count nothing; with
 *   log_input, log_prob = x.
 * SOFTMAX_CROSS_ENTROPY_GRAD: dx = dloss mask weight[label] (exp(log_prob) -
 *   onehot(label)), smoothed, divided by the total weight if reduction is mean; with
 *   log_input, without exp(log_prob).
 */
#include "../generated/instructions/softmax_cross_entropy.h"
#include "../generated/instructions/softmax_cross_entropy_grad.h"
#include "cross_entropy.h"

#if GM_WITH_SOFTMAX_CROSS_ENTROPY

typedef char opens_labels_softmax_cross_entropy[GM_OPENS_LABELS(gm_insn_softmax_cross_entropy) ? 1 : -1];

static void log_prob_row(const gm_insn_softmax_cross_entropy *insn, const float *x, float *log_prob)
{
    if (!insn->log_input) {
        gm_log_softmax_row(x, log_prob, insn->classes, insn->inner);
        return;
    }
    for (uint32_t c = 0; c < insn->classes; c++) {
        log_prob[c * insn->inner] = x[c * insn->inner];
    }
}

/* (1 - s) element + s / classes sum over c of -weight[c] log_prob[c]; s is the smoothing */
static float smoothed(const gm_insn_softmax_cross_entropy *insn, const float *weight, const float *log_prob,
                      float element)
{
    if (insn->smoothing == 0.0f) {
        return element;
    }
    float sum = 0.0f;
    for (uint32_t c = 0; c < insn->classes; c++) {
        sum = GM_MAC(sum, gm_at_or_one(weight, c), -log_prob[c * insn->inner]);
    }
    return GM_MAC((1.0f - insn->smoothing) * element, insn->smoothing / (float)insn->classes, sum);
}

/* Returns the loss of one label, and sets log_prob of its row. */
static float element_of(const gm_insn_softmax_cross_entropy *insn, const gm_labels *labels, const float *x,
                        float *log_prob, uint32_t k)
{
    int32_t label = labels->label[k];
    log_prob_row(insn, x, log_prob);
    if (label == insn->ignore_index) {
        return 0.0f;
    }
    float element = gm_label_weight(labels, label) * -log_prob[(uint32_t)label * insn->inner];
    return gm_at_or_one(labels->mask, k) * smoothed(insn, labels->weight, log_prob, element);
}

int gm_kernel_softmax_cross_entropy(const struct gm_session *session, const void *instruction)
{
    const gm_insn_softmax_cross_entropy *insn = instruction;
    gm_labels labels;
    int status = gm_open_labels(session, &insn->labels, &insn->outer, &labels);
    if (status != GM_OK) {
        return status;
    }
    const float *x = gm_f32(session, insn->x);
    float *log_prob = gm_f32_out(session, insn->log_prob);
    float *loss = gm_f32_out(session, insn->loss), sum = 0.0f;
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t i = 0; i < insn->inner; i++) {
            uint32_t row = o * insn->classes * insn->inner + i;
            float element = element_of(insn, &labels, x + row, log_prob + row, o * insn->inner + i);
            sum += element;
            if (insn->reduction == GM_REDUCTION_NONE) {
                loss[o * insn->loss_outer + i * insn->loss_inner] = element;
            }
        }
    }
    if (insn->reduction != GM_REDUCTION_NONE) {
        loss[0] = gm_reduce_loss(sum, gm_loss_divisor(&labels));
    }
    return GM_OK;
}

#endif

#if GM_WITH_SOFTMAX_CROSS_ENTROPY_GRAD

typedef char opens_labels_softmax_cross_entropy_grad[GM_OPENS_LABELS(gm_insn_softmax_cross_entropy_grad) ? 1 : -1];

/* Values shared by the rows of one gradient. */
struct grad {
    const float *weight;
    uint32_t classes, stride, log_input;
    float smoothing, class_weights; /* the sum of all classes' weights */
};

/* dx = factor (1 - s) (p - onehot(label)) + share s / classes (p class_weights - weight). s is the
 * smoothing, and p = exp(log_prob), or 0 with log_input. */
static void cross_entropy_grad_row(const struct grad *g, const float *log_prob, float *dx, int32_t label, float factor,
                                   float share)
{
    float sharp = factor * (1.0f - g->smoothing);
    float spread = share * (g->smoothing / (float)g->classes);
    for (uint32_t c = 0; c < g->classes; c++) {
        float onehot = c == (uint32_t)label ? 1.0f : 0.0f;
        float p = g->log_input ? 0.0f : gm_exp(log_prob[c * g->stride]);
        float slope = sharp * (p - onehot);
        if (g->smoothing != 0.0f) {
            slope = GM_MAC(slope, spread, p * g->class_weights - gm_at_or_one(g->weight, c));
        }
        dx[c * g->stride] = slope;
    }
}

static struct grad open_grad(const gm_insn_softmax_cross_entropy_grad *insn, const float *weight)
{
    struct grad g = {weight, insn->classes, insn->inner, insn->log_input, insn->smoothing, 0.0f};
    for (uint32_t c = 0; c < insn->classes; c++) {
        g.class_weights += gm_at_or_one(weight, c);
    }
    return g;
}

int gm_kernel_softmax_cross_entropy_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_softmax_cross_entropy_grad *insn = instruction;
    gm_labels labels;
    int status = gm_open_labels(session, &insn->labels, &insn->outer, &labels);
    if (status != GM_OK) {
        return status;
    }
    const float *dloss = gm_f32(session, insn->dloss);
    const float *log_prob = gm_f32(session, insn->log_prob);
    float *dx = gm_f32_out(session, insn->dx), divisor = gm_loss_divisor(&labels);
    struct grad g = open_grad(insn, labels.weight);
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t i = 0; i < insn->inner; i++) {
            uint32_t k = o * insn->inner + i, row = o * insn->classes * insn->inner + i;
            int32_t label = labels.label[k];
            if (label == insn->ignore_index || divisor == 0.0f) {
                gm_zero_row(dx + row, insn->classes, insn->inner);
                continue;
            }
            float share = dloss[o * insn->loss_outer + i * insn->loss_inner] * gm_at_or_one(labels.mask, k);
            float w = gm_label_weight(&labels, label);
            cross_entropy_grad_row(&g, log_prob + row, dx + row, label, share * w / divisor, share / divisor);
        }
    }
    return GM_OK;
}

#endif
