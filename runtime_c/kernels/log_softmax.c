#include "../src/gm_internal.h"
#include "softmax_line.h"

#if GM_WITH_LOG_SOFTMAX || GM_WITH_SOFTMAX_CROSS_ENTROPY
void gm_log_softmax_line(const float *x, float *y, uint32_t classes, uint32_t stride)
{
    float max = gm_line_max(x, classes, stride);
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
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t i = 0; i < insn->inner; i++) {
            uint32_t line = o * insn->classes * insn->inner + i;
            gm_log_softmax_line(x + line, y + line, insn->classes, insn->inner);
        }
    }
    return GM_OK;
}
#endif

#if GM_WITH_LOG_SOFTMAX_GRAD
static void log_softmax_grad_line(const float *dy, const float *y, float *dx, uint32_t classes, uint32_t stride)
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
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t i = 0; i < insn->inner; i++) {
            uint32_t line = o * insn->classes * insn->inner + i;
            log_softmax_grad_line(dy + line, y + line, dx + line, insn->classes, insn->inner);
        }
    }
    return GM_OK;
}
#endif
