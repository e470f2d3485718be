/* GEMM_UPDATE with vectors: several rows of the gradient a b at a time; the rule
 * applies each at once. */
#include "../../../generated/instructions/gemm_update.h"
#include "../../gemm_tile.h"
#include "simd.h"
#include "vector.h"

#if GM_ARCH_SIMD && GM_WITH_GEMM_UPDATE

/* The rule is applied to so many gradients: they stay in the L1 cache along with the parameters
 * and their moments. */
#define AT_ONCE 2048u

/* A rule multiplies such rows of b by a[m] on the fly; shorter ones need too many calls. */
#define LONG_OUTER_ROW (8u * GM_LANES)

/* rows[m,n] = a[m] b[n] */
static GM_SIMD_TARGET void rows_of_outer_product(const float *a, uint32_t a_row, const float *b, float *rows,
                                                 uint32_t m, uint32_t n)
{
    for (uint32_t i = 0; i < m; i++, rows += n) {
        float factor = a[(size_t)i * a_row];
        for (uint32_t j = 0; j < n; j++) {
            rows[j] = factor * b[j];
        }
    }
}

static GM_SIMD_TARGET void rows_of_gradient(const float *a, const float *b, float *rows, uint32_t m, uint32_t n,
                                            const gm_gemm_strides *s)
{
    for (uint32_t i = 0; i < m * n; i++) {
        rows[i] = GM_EMPTY_SUM;
    }
    gm_simd_gemm(a, b, rows, m, n, n, s);
}

int gm_simd_gemm_update(const gm_insn_gemm_update *insn, const float *a, const float *b, gm_rule_args *args)
{
    GM_SIMD_ALIGNED float rows[GM_PANEL_FLOATS];
    const gm_gemm_strides s = {insn->a_row, insn->a_col, insn->b_row, insn->b_col, insn->k};
    int outer_product = insn->k == 1 && insn->b_col == 1;
    if (!gm_simd_runs() || insn->n > GM_PANEL_FLOATS / GM_TILE_ROWS || (outer_product && insn->n >= LONG_OUTER_ROW)) {
        return 0;
    }
    uint32_t most = AT_ONCE / insn->n / GM_TILE_ROWS * GM_TILE_ROWS;
    most = most > GM_TILE_ROWS ? most : GM_TILE_ROWS;
    for (uint32_t first = 0; first < insn->m; first += most) {
        uint32_t m = insn->m - first < most ? insn->m - first : most;
        const float *own = a + (size_t)first * insn->a_row;
        if (outer_product) {
            rows_of_outer_product(own, insn->a_row, b, rows, m, insn->n);
        } else {
            rows_of_gradient(own, b, rows, m, insn->n, &s);
        }
        args->g = rows;
        args->n = m * insn->n;
        args->scale = 1.0f;
        gm_rule_of(args->rule)(args);
        gm_rule_advance(args);
    }
    return 1;
}

#endif
