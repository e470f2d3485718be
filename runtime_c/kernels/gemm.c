#include "gemm_tile.h"

#if GM_WITH_GEMM

/* What row y[n] starts from: itself, the bias or 0. */
static void start_row(float *y, const float *bias, uint32_t n, uint32_t accumulate)
{
    if (accumulate) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        y[i] = bias ? bias[i] : 0.0f;
    }
}

static void relu(float *y, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        y[i] = y[i] < 0.0f ? 0.0f : y[i];
    }
}

int gm_kernel_gemm(const struct gm_session *session, const void *instruction)
{
    const gm_insn_gemm *insn = instruction;
    const float *a = gm_f32(session, insn->a);
    const float *b = gm_f32(session, insn->b);
    const float *bias = gm_f32_optional(session, insn->bias);
    float *y = gm_f32_out(session, insn->y);
    const gm_gemm_strides strides = {insn->a_row, insn->a_col, insn->b_row, insn->b_col, insn->k};
    for (uint32_t batch = 0; batch < insn->batch; batch++) {
        for (uint32_t m = 0; m < insn->m; m++) {
            start_row(y, bias, insn->n, insn->accumulate);
            gm_gemm_row(a + (batch * insn->a_batch + m * insn->a_row), b + batch * insn->b_batch, y, insn->n, &strides);
            if (insn->activation == GM_ACTIVATION_RELU) {
                relu(y, insn->n);
            }
            y += insn->n;
        }
    }
    return GM_OK;
}

#endif
