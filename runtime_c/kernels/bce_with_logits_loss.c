/*
 * BCE_WITH_LOGITS_LOSS: loss = scale * sum of (1 - t) x + (1 + (pos_weight[j] - 1) t) (log(1 +
 *   exp(-|x|)) + max(-x, 0)).
 * BCE_WITH_LOGITS_LOSS_GRAD: dx = dloss * scale * ((1 - t) - (1 + (pos_weight[j] - 1) t)
 *   sigmoid(-x)).
 */
#include "../generated/instructions/bce_with_logits_loss.h"
#include "../generated/instructions/bce_with_logits_loss_grad.h"
#include "../src/gm_internal.h"
#include "../src/numerics.h"

/* x, target, dx (outer, inner); pos_weight (inner), or (1) with pos_stride 0, or
 * absent, meaning all ones. */

#if GM_WITH_BCE_WITH_LOGITS_LOSS || GM_WITH_BCE_WITH_LOGITS_LOSS_GRAD
/* 1 + (pos_weight - 1) t */
static float log_weight(const float *pos_weight, uint32_t index, float t)
{
    return pos_weight ? GM_MAC(1.0f, pos_weight[index] - 1.0f, t) : 1.0f;
}
#endif

#if GM_WITH_BCE_WITH_LOGITS_LOSS
/* (1 - t) x + w (log(1 + exp(-|x|)) + max(-x, 0)); no intermediate overflows. */
static float loss_of(float x, float t, float w)
{
    float softplus = gm_log1p(gm_exp(-gm_abs(x))) + (x < 0.0f ? -x : 0.0f);
    return GM_MAC((1.0f - t) * x, w, softplus);
}

int gm_kernel_bce_with_logits_loss(const struct gm_session *session, const void *instruction)
{
    const gm_insn_bce_with_logits_loss *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    const float *target = gm_f32(session, insn->target);
    const float *pos_weight = gm_f32_optional(session, insn->pos_weight);
    float *loss = gm_f32_out(session, insn->loss);
    int reduced = insn->loss_outer == 0 && insn->loss_inner == 0;
    float sum = 0.0f;
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t i = 0; i < insn->inner; i++) {
            uint32_t at = o * insn->inner + i;
            float t = target[at];
            float element = loss_of(x[at], t, log_weight(pos_weight, i * insn->pos_stride, t));
            sum += element;
            if (!reduced) {
                loss[o * insn->loss_outer + i * insn->loss_inner] = insn->scale * element;
            }
        }
    }
    if (reduced) {
        loss[0] = insn->scale * sum;
    }
    return GM_OK;
}
#endif

#if GM_WITH_BCE_WITH_LOGITS_LOSS_GRAD
int gm_kernel_bce_with_logits_loss_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_bce_with_logits_loss_grad *insn = instruction;
    const float *dloss = gm_f32(session, insn->dloss);
    const float *x = gm_f32(session, insn->x);
    const float *target = gm_f32(session, insn->target);
    const float *pos_weight = gm_f32_optional(session, insn->pos_weight);
    float *dx = gm_f32_out(session, insn->dx);
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t i = 0; i < insn->inner; i++) {
            uint32_t at = o * insn->inner + i;
            float t = target[at];
            float w = log_weight(pos_weight, i * insn->pos_stride, t);
            float slope = GM_MAC(1.0f - t, -w, gm_sigmoid(-x[at]));
            dx[at] = dloss[o * insn->loss_outer + i * insn->loss_inner] * insn->scale * slope;
        }
    }
    return GM_OK;
}
#endif
