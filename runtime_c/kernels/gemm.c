/*
 * GEMM: y[b,m,n] = act(sum over k of a[b,m,k] b[b,k,n] + bias[n]); with accumulate, the sum starts
 *   from y.
 */
#include "gemm_tile.h"
#include "rows.h"

#if GM_WITH_GEMM

int gm_kernel_gemm(const struct gm_session *session, const void *instruction)
{
    const gm_insn_gemm *insn = instruction;
    const float *bias = gm_f32_optional(session, insn->bias);
    const gm_gemm_strides strides = {insn->a_row, insn->a_col, insn->b_row, insn->b_col, insn->k};
    for (uint32_t i = 0; i < insn->batch; i++) {
        const float *a = gm_f32(session, insn->a) + i * insn->a_batch;
        const float *b = gm_f32(session, insn->b) + i * insn->b_batch;
        float *y = gm_f32_out(session, insn->y) + i * insn->m * insn->n;
        for (uint32_t row = 0; row < insn->m && !insn->accumulate; row++) {
            gm_start_row(y + row * insn->n, bias, insn->n);
        }
        gm_gemm_matrix(a, b, y, insn->m, insn->n, insn->n, &strides);
        if (insn->activation == GM_ACTIVATION_RELU) {
            gm_relu_row(y, y, insn->m * insn->n);
        }
    }
    return GM_OK;
}

#endif
