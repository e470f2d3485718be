/*
 * L1_LOSS: loss = scale * sum of |x - target|.
 * L1_LOSS_GRAD: dx = dloss * scale * sign(x - target), sign(0) = 0.
 */
#include "../generated/instructions/l1_loss.h"
#include "../generated/instructions/l1_loss_grad.h"
#include "../src/gm_internal.h"
#include "../src/numerics.h"

#if GM_WITH_L1_LOSS
int gm_kernel_l1_loss(const struct gm_session *session, const void *instruction)
{
    const gm_insn_l1_loss *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    const float *target = gm_f32(session, insn->target);
    float *loss = gm_f32_out(session, insn->loss);
    float sum = 0.0f;
    for (uint32_t i = 0; i < insn->n; i++) {
        float magnitude = gm_abs(x[i] - target[i]);
        if (insn->loss_stride) {
            loss[i] = insn->scale * magnitude;
        } else {
            sum += magnitude;
        }
    }
    if (!insn->loss_stride) {
        loss[0] = insn->scale * sum;
    }
    return GM_OK;
}
#endif

#if GM_WITH_L1_LOSS_GRAD
/* -1, 0 or 1; NaN for NaN. */
static float sign_of(float d)
{
    return d > 0.0f ? 1.0f : d < 0.0f ? -1.0f : d;
}

int gm_kernel_l1_loss_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_l1_loss_grad *insn = instruction;
    const float *dloss = gm_f32(session, insn->dloss);
    const float *x = gm_f32(session, insn->x);
    const float *target = gm_f32(session, insn->target);
    float *dx = gm_f32_out(session, insn->dx);
    float scale = insn->scale;
    for (uint32_t i = 0; i < insn->n; i++) {
        dx[i] = dloss[i * insn->loss_stride] * scale * sign_of(x[i] - target[i]);
    }
    return GM_OK;
}
#endif
