/*
 * LEAKY_RELU: y = x < 0 ? alpha x : x.
 * LEAKY_RELU_GRAD: dx = x > 0 ? dy : alpha dy.
 */
#include "../generated/instructions/leaky_relu.h"
#include "../generated/instructions/leaky_relu_grad.h"
#include "../src/gm_internal.h"

#if GM_WITH_LEAKY_RELU
int gm_kernel_leaky_relu(const struct gm_session *session, const void *instruction)
{
    const gm_insn_leaky_relu *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    float *y = gm_f32_out(session, insn->y);
    float alpha = insn->alpha;
    for (uint32_t i = 0; i < insn->n; i++) {
        y[i] = x[i] < 0.0f ? alpha * x[i] : x[i];
    }
    return GM_OK;
}
#endif

#if GM_WITH_LEAKY_RELU_GRAD
int gm_kernel_leaky_relu_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_leaky_relu_grad *insn = instruction;
    const float *dy = gm_f32(session, insn->dy);
    const float *x = gm_f32(session, insn->x);
    float *dx = gm_f32_out(session, insn->dx);
    float alpha = insn->alpha;
    for (uint32_t i = 0; i < insn->n; i++) {
        dx[i] = x[i] > 0.0f ? dy[i] : alpha * dy[i];
    }
    return GM_OK;
}
#endif
