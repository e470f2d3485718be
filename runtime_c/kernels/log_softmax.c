/*
 * LOG_SOFTMAX: y = (x - max) - log(sum over c of exp(x - max)).
 * LOG_SOFTMAX_GRAD: dx = dy - exp(y) sum over c of dy.
 */
#include "../generated/instructions/log_softmax.h"
#include "../generated/instructions/log_softmax_grad.h"
#include "../generated/instructions/softmax_cross_entropy.h"
#include "../src/gm_internal.h"
#include "softmax_row.h"

#if GM_WITH_LOG_SOFTMAX || GM_WITH_SOFTMAX_CROSS_ENTROPY
void gm_log_softmax_row(const float *x, float *y, uint32_t classes, uint32_t stride)
{
    float max = gm_row_max(x, classes, stride);
    float sum = 0.0f;
    for (uint32_t c = 0; c < classes; c++) {
        sum += gm_exp(x[c * stride] - max);
    }
    float log_sum = gm_log(sum);
    for (uint32_t c = 0; c < classes; c++) {
        y[c * stride] = (x[c * stride] - max) - log_sum;
    }
}
#endif

#if GM_WITH_LOG_SOFTMAX
int gm_kernel_log_softmax(const struct gm_session *session, const void *instruction)
{
    const gm_insn_log_softmax *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    float *y = gm_f32_out(session, insn->y);
    GM_FOR_ROWS(insn, gm_log_softmax_row(x + row, y + row, insn->classes, insn->inner);)
    return GM_OK;
}
#endif

#if GM_WITH_LOG_SOFTMAX_GRAD
static void log_softmax_grad_row(const float *dy, const float *y, float *dx, uint32_t classes, uint32_t stride)
{
    float sum = 0.0f;
    for (uint32_t c = 0; c < classes; c++) {
        sum += dy[c * stride];
    }
    for (uint32_t c = 0; c < classes; c++) {
        dx[c * stride] = GM_MAC(dy[c * stride], -gm_exp(y[c * stride]), sum);
    }
}

int gm_kernel_log_softmax_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_log_softmax_grad *insn = instruction;
    const float *dy = gm_f32(session, insn->dy);
    const float *y = gm_f32(session, insn->y);
    float *dx = gm_f32_out(session, insn->dx);
    GM_FOR_ROWS(insn, log_softmax_grad_row(dy + row, y + row, dx + row, insn->classes, insn->inner);)
    return GM_OK;
}
#endif
