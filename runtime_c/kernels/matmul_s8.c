/* MATMUL_S8: y[i,j,m,n] = round(multiplier sum over k of (a[i,j,m,k] - a_zero) (b[i,j,k,n] - b_zero))
 *   + y_zero, clamped to low .. high. */
#include "../generated/instructions/matmul_s8.h"
#include "quantized.h"

#if GM_WITH_MATMUL_S8

/* The dot product over k of a row of a and a column of b, modulo 2^32. */
static uint32_t int8_product(const gm_insn_matmul_s8 *insn, const int8_t *a, const int8_t *b)
{
    int32_t a_zero = gm_nearest_int8(insn->a_zero), b_zero = gm_nearest_int8(insn->b_zero);
    uint32_t sum = 0, a_step = insn->a_col, b_step = insn->b_row;
    for (uint32_t k = insn->k; k > 0; k--, a += a_step, b += b_step) {
        sum += (uint32_t)((*a - a_zero) * (*b - b_zero));
    }
    return sum;
}

/* One matrix of the batch. */
static void multiply_int8(const gm_insn_matmul_s8 *insn, const int8_t *a, const int8_t *b, int8_t *y)
{
    const gm_output_range range = GM_RANGE(insn);
    for (uint32_t m = 0; m < insn->m; m++) {
        for (uint32_t n = 0; n < insn->n; n++) {
            uint32_t sum = int8_product(insn, a + m * insn->a_row, b + n * insn->b_col);
            y[m * insn->y_row + n] = gm_to_int8((float)(int32_t)sum * insn->multiplier, &range);
        }
    }
}

int gm_kernel_matmul_s8(const struct gm_session *session, const void *instruction)
{
    const gm_insn_matmul_s8 *insn = instruction;
    for (uint32_t i = 0; i < insn->d0; i++) {
        for (uint32_t j = 0; j < insn->d1; j++) {
            multiply_int8(insn, gm_i8(session, insn->a) + (i * insn->a0 + j * insn->a1),
                          gm_i8(session, insn->b) + (i * insn->b0 + j * insn->b1),
                          gm_i8_out(session, insn->y) + (i * insn->y0 + j * insn->y1));
        }
    }
    return GM_OK;
}

#endif
