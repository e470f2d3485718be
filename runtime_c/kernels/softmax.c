/*
 * SOFTMAX: y[o,c,i] = exp(x[o,c,i] - max over c) / sum over c of the same.
 * SOFTMAX_GRAD: dx = y (dy - sum over c of dy y).
 */
#include "../generated/instructions/softmax.h"
#include "../generated/instructions/softmax_grad.h"
#include "../src/gm_internal.h"
#include "arch/simd/simd.h"
#include "softmax_row.h"

#if GM_WITH_SOFTMAX
static void softmax_row(const float *x, float *y, uint32_t classes, uint32_t stride)
{
    float max = gm_row_max(x, classes, stride);
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
#if GM_ARCH_FUNCTIONS
    if (insn->inner == 1 && gm_simd_softmax(x, y, insn->outer, insn->classes)) {
        return GM_OK;
    }
#endif
    GM_FOR_ROWS(insn, softmax_row(x + row, y + row, insn->classes, insn->inner);)
    return GM_OK;
}
#endif

#if GM_WITH_SOFTMAX_GRAD
static void softmax_grad_row(const float *dy, const float *y, float *dx, uint32_t classes, uint32_t stride)
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
#if GM_ARCH_FUNCTIONS
    if (insn->inner == 1 && gm_simd_softmax_grad(dy, y, dx, insn->outer, insn->classes)) {
        return GM_OK;
    }
#endif
    GM_FOR_ROWS(insn, softmax_grad_row(dy + row, y + row, dx + row, insn->classes, insn->inner);)
    return GM_OK;
}
#endif
