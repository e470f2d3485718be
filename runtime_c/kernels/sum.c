/*
 * SUM: y = scale * sum of x, in ascending order.
 * SUM_GRAD: dx = scale * dy for each element.
 */
#include "../generated/instructions/sum.h"
#include "../generated/instructions/sum_grad.h"
#include "../src/gm_internal.h"

#if GM_WITH_SUM
int gm_kernel_sum(const struct gm_session *session, const void *instruction)
{
    const gm_insn_sum *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    float sum = 0.0f;
    for (uint32_t i = 0; i < insn->n; i++) {
        sum += x[i];
    }
    *gm_f32_out(session, insn->y) = insn->scale * sum;
    return GM_OK;
}
#endif

#if GM_WITH_SUM_GRAD
int gm_kernel_sum_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_sum_grad *insn = instruction;
    float *dx = gm_f32_out(session, insn->dx);
    float share = insn->scale * *gm_f32(session, insn->dy);
    for (uint32_t i = 0; i < insn->n; i++) {
        dx[i] = share;
    }
    return GM_OK;
}
#endif
