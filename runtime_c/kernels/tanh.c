/*
 * TANH: y = tanh(x).
 * TANH_GRAD: dx = dy (1 - y^2).
 */
#include "../generated/instructions/tanh.h"
#include "../generated/instructions/tanh_grad.h"
#include "../src/gm_internal.h"
#include "function_rows.h"

#if GM_WITH_TANH
int gm_kernel_tanh(const struct gm_session *session, const void *instruction)
{
    const gm_insn_tanh *insn = instruction;
    gm_tanh_row(gm_f32(session, insn->x), gm_f32_out(session, insn->y), insn->n);
    return GM_OK;
}
#endif

#if GM_WITH_TANH_GRAD
int gm_kernel_tanh_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_tanh_grad *insn = instruction;
    const float *dy = gm_f32(session, insn->dy);
    const float *y = gm_f32(session, insn->y);
    float *dx = gm_f32_out(session, insn->dx);
    for (uint32_t i = 0; i < insn->n; i++) {
        dx[i] = dy[i] * GM_MAC(1.0f, -y[i], y[i]);
    }
    return GM_OK;
}
#endif
