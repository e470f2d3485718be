/*
 * GEMM_UPDATE: row by row: row[n] = sum over k of a[m,k] b[k,n]; then rule updates p[m,n] with it.
 */
#include "../generated/instructions/gemm_update.h"
#include "arch/riscv/riscv.h"
#include "arch/simd/simd.h"
#include "gemm_tile.h"
#include "optimizers/steps.h"
#include "rows.h"

#if GM_WITH_GEMM_UPDATE

/* row[n] = sum over k of a[0,k] b[k,n] */
static void gradient_row(const float *a, const float *b, float *row, uint32_t n, const gm_gemm_strides *s)
{
    gm_start_row(row, NULL, n);
    gm_gemm_row(a, b, row, n, s);
}

int gm_kernel_gemm_update(const struct gm_session *session, const void *instruction)
{
    const gm_insn_gemm_update *insn = instruction;
    const float *a = gm_f32(session, insn->a);
    const float *b = gm_f32(session, insn->b);
    const gm_gemm_strides strides = {insn->a_row, insn->a_col, insn->b_row, insn->b_col, insn->k};
    const uint32_t *rule = gm_u32(session, insn->rule);
    float *row = gm_f32_out(session, insn->row);
    /* With one product per sum, as at batch 1, the gradient row is a[m] b, and the rule
     * computes it on the fly. */
    int outer_product = insn->k == 1 && insn->b_col == 1;
    gm_rule_args args = {
        .rule = rule,
        .g = outer_product ? b : row,
        .p = gm_f32_out(session, insn->p),
        .slot1 = gm_f32_out_optional(session, insn->slot1),
        .slot2 = gm_f32_out_optional(session, insn->slot2),
        .aux = gm_f32_optional(session, insn->aux),
        .lr = gm_f32(session, insn->lr)[0],
        .scale = 1.0f,
        .n = insn->n,
    };
    gm_rule_set_session(&args, session);
#if GM_ARCH_SIMD
    if (gm_simd_gemm_update(insn, a, b, &args)) {
        return GM_OK;
    }
#endif
    if (outer_product && gm_sgd_outer(&args, a, insn->a_row, insn->m)) {
        return GM_OK;
    }
#if GM_ARCH_RISCV
    if (!outer_product && gm_riscv_gemm_update(insn, a, b, row, &args)) {
        return GM_OK;
    }
#endif
    for (uint32_t m = 0; m < insn->m; m++) {
        if (outer_product) {
            args.scale = a[m * insn->a_row];
        } else {
            gradient_row(a + m * insn->a_row, b, row, insn->n, &strides);
        }
        gm_rule_of(rule)(&args);
        gm_rule_advance(&args);
    }
    return GM_OK;
}

#endif
