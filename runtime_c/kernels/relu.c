/*
 * RELU: y = x < 0 ? 0 : x, so that NaN stays NaN.
 * RELU_GRAD: dx = y > 0 ? dy : 0.
 */
#include "../generated/instructions/relu.h"
#include "../generated/instructions/relu_grad.h"
#include "../src/gm_internal.h"
#include "rows.h"

#if GM_WITH_RELU
int gm_kernel_relu(const struct gm_session *session, const void *instruction)
{
    const gm_insn_relu *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    float *y = gm_f32_out(session, insn->y);
    gm_relu_row(x, y, insn->n);
    return GM_OK;
}
#endif

#if GM_WITH_RELU_GRAD
int gm_kernel_relu_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_relu_grad *insn = instruction;
    const float *dy = gm_f32(session, insn->dy);
    const float *y = gm_f32(session, insn->y);
    float *dx = gm_f32_out(session, insn->dx);
    gm_relu_grad_row(dy, y, dx, insn->n);
    return GM_OK;
}
#endif
