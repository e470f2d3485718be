/*
 * MSE_LOSS: loss = scale * sum of (x - target)^2, or one loss per element if loss_stride is 1.
 * MSE_LOSS_GRAD: dx = dloss * scale * 2 (x - target).
 */
#include "../generated/instructions/mse_loss.h"
#include "../generated/instructions/mse_loss_grad.h"
#include "../src/gm_internal.h"
#include "../src/numerics.h"

#if GM_WITH_MSE_LOSS
int gm_kernel_mse_loss(const struct gm_session *session, const void *instruction)
{
    const gm_insn_mse_loss *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    const float *target = gm_f32(session, insn->target);
    float *loss = gm_f32_out(session, insn->loss);
    float sum = 0.0f;
    for (uint32_t i = 0; i < insn->n; i++) {
        float d = x[i] - target[i];
        if (insn->loss_stride) {
            loss[i] = insn->scale * (d * d);
        } else {
            sum = GM_MAC(sum, d, d);
        }
    }
    if (!insn->loss_stride) {
        loss[0] = insn->scale * sum;
    }
    return GM_OK;
}
#endif

#if GM_WITH_MSE_LOSS_GRAD
int gm_kernel_mse_loss_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_mse_loss_grad *insn = instruction;
    const float *dloss = gm_f32(session, insn->dloss);
    const float *x = gm_f32(session, insn->x);
    const float *target = gm_f32(session, insn->target);
    float *dx = gm_f32_out(session, insn->dx);
    float twice_scale = 2.0f * insn->scale;
    for (uint32_t i = 0; i < insn->n; i++) {
        dx[i] = dloss[i * insn->loss_stride] * twice_scale * (x[i] - target[i]);
    }
    return GM_OK;
}
#endif
