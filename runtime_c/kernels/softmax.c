#include "../src/gm_internal.h"
#include "softmax_line.h"

#if GM_WITH_SOFTMAX
static void softmax_line(const float *x, float *y, uint32_t classes, uint32_t stride)
{
    float max = gm_line_max(x, classes, stride);
    float sum = 0.0f;
    for (uint32_t c = 0; c < classes; c++) {
        float e = gm_exp(x[c * stride] - max);
        y[c * stride] = e;
        sum += e;
    }
    for (uint32_t c = 0; c < classes; c++) {
        y[c * stride] /= sum;
    }
}

int gm_kernel_softmax(const struct gm_session *session, const void *instruction)
{
    const gm_insn_softmax *insn = instruction;
    const float *x = gm_f32(session, insn->x);
    float *y = gm_f32_out(session, insn->y);
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t i = 0; i < insn->inner; i++) {
            uint32_t line = o * insn->classes * insn->inner + i;
            softmax_line(x + line, y + line, insn->classes, insn->inner);
        }
    }
    return GM_OK;
}
#endif

#if GM_WITH_SOFTMAX_GRAD
static void softmax_grad_line(const float *dy, const float *y, float *dx, uint32_t classes, uint32_t stride)
{
    float dot = 0.0f;
    for (uint32_t c = 0; c < classes; c++) {
        dot = GM_MAC(dot, dy[c * stride], y[c * stride]);
    }
    for (uint32_t c = 0; c < classes; c++) {
        dx[c * stride] = y[c * stride] * (dy[c * stride] - dot);
    }
}

int gm_kernel_softmax_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_softmax_grad *insn = instruction;
    const float *dy = gm_f32(session, insn->dy);
    const float *y = gm_f32(session, insn->y);
    float *dx = gm_f32_out(session, insn->dx);
    for (uint32_t o = 0; o < insn->outer; o++) {
        for (uint32_t i = 0; i < insn->inner; i++) {
            uint32_t line = o * insn->classes * insn->inner + i;
            softmax_grad_line(dy + line, y + line, dx + line, insn->classes, insn->inner);
        }
    }
    return GM_OK;
}
#endif
