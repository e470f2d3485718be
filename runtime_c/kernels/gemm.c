/*
 * GEMM: y[b,m,n] = act(sum over k of a[b,m,k] b[b,k,n] + bias[n]); with accumulate, the sum starts
 *   from y.
 */
#include "../generated/instructions/gemm.h"
#include "gemm_tile.h"
#include "arch/simd/simd.h"
#include "rows.h"

#if GM_WITH_GEMM

/* Writes products of a single term to which nothing else is added. Returns 0 if the sums have other
 * terms, or if another kernel should compute them. */
static inline int write_outer_product(const gm_insn_gemm *insn, const float *a, const float *b, float *y, int is_fresh)
{
#if GM_ARCH_OUTER_PRODUCT
    if (insn->k == 1 && insn->b_col == 1 && (insn->accumulate ? is_fresh : insn->bias == GM_NONE)) {
        const gm_outer_product product = {insn->a_row, insn->m, insn->n, is_fresh ? 0.0f : GM_EMPTY_SUM};
        return gm_simd_outer_product(&product, a, b, y);
    }
#else
    (void)insn;
    (void)a;
    (void)b;
    (void)y;
    (void)is_fresh;
#endif
    return 0;
}

int gm_kernel_gemm(const struct gm_session *session, const void *instruction)
{
    const gm_insn_gemm *insn = instruction;
    const float *bias = gm_f32_optional(session, insn->bias);
    const gm_gemm_strides strides = {insn->a_row, insn->a_col, insn->b_row, insn->b_col, insn->k};
    int is_fresh = insn->accumulate && gm_is_fresh_sum(session, insn->y);
    for (uint32_t i = 0; i < insn->batch; i++) {
        const float *a = gm_f32(session, insn->a) + i * insn->a_batch;
        const float *b = gm_f32(session, insn->b) + i * insn->b_batch;
        float *y = gm_f32_out(session, insn->y) + i * insn->m * insn->n;
        if (!write_outer_product(insn, a, b, y, is_fresh)) {
            for (uint32_t row = 0; row < insn->m && !insn->accumulate; row++) {
                gm_start_row(y + row * insn->n, bias, insn->n);
            }
            for (uint32_t element = 0; element < insn->m * insn->n && is_fresh; element++) {
                y[element] = 0.0f;
            }
            gm_gemm_matrix(a, b, y, insn->m, insn->n, insn->n, &strides);
        }
        if (insn->activation == GM_ACTIVATION_RELU) {
            gm_relu_row(y, y, insn->m * insn->n);
        }
    }
    return GM_OK;
}

#endif
