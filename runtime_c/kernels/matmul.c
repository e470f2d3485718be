/*
 * MATMUL: y[i,j,m,n] = sum over k of a[i,j,m,k] b[i,j,k,n]: products over two batch dimensions,
 *   such as samples and heads.
 */
#include "../generated/instructions/matmul.h"
#include "gemm_tile.h"
#include "rows.h"

#if GM_WITH_MATMUL

/* y (m, n) = a b */
static void multiply_matrices(const float *a, const float *b, float *y, const struct gm_insn_matmul *insn)
{
    const gm_gemm_strides strides = {insn->a_row, insn->a_col, insn->b_row, insn->b_col, insn->k};
    for (uint32_t row = 0; row < insn->m; row++) {
        gm_start_row(y + row * insn->y_row, NULL, insn->n);
    }
    gm_gemm_matrix(a, b, y, insn->m, insn->n, insn->y_row, &strides);
}

int gm_kernel_matmul(const struct gm_session *session, const void *instruction)
{
    const gm_insn_matmul *insn = instruction;
    for (uint32_t i = 0; i < insn->d0; i++) {
        const float *a = gm_f32(session, insn->a) + i * insn->a0;
        const float *b = gm_f32(session, insn->b) + i * insn->b0;
        float *y = gm_f32_out(session, insn->y) + i * insn->y0;
        for (uint32_t j = 0; j < insn->d1; j++) {
            multiply_matrices(a + j * insn->a1, b + j * insn->b1, y + j * insn->y1, insn);
        }
    }
    return GM_OK;
}

#endif
