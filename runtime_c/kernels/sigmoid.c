/*
 * SIGMOID: y = 1 / (1 + exp(-x)).
 * SIGMOID_GRAD: dx = dy y (1 - y).
 */
#include "../generated/instructions/sigmoid.h"
#include "../generated/instructions/sigmoid_grad.h"
#include "../src/gm_internal.h"
#include "function_rows.h"

#if GM_WITH_SIGMOID
int gm_kernel_sigmoid(const struct gm_session *session, const void *instruction)
{
    const gm_insn_sigmoid *insn = instruction;
    gm_sigmoid_row(gm_f32(session, insn->x), gm_f32_out(session, insn->y), insn->n);
    return GM_OK;
}
#endif

#if GM_WITH_SIGMOID_GRAD
int gm_kernel_sigmoid_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_sigmoid_grad *insn = instruction;
    const float *dy = gm_f32(session, insn->dy);
    const float *y = gm_f32(session, insn->y);
    float *dx = gm_f32_out(session, insn->dx);
    for (uint32_t i = 0; i < insn->n; i++) {
        dx[i] = (dy[i] * y[i]) * (1.0f - y[i]);
    }
    return GM_OK;
}
#endif
