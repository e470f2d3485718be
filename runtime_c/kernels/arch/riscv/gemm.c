/*
 * Matrix products on RISC-V. Machine instructions for each multiply-accumulate of a long sum in a
 * single row; blocks/tile.c has those of more rows:
 *
 *     across    b[k,.] is contiguous: 16 columns, 4 columns    2.25, 3.0
 *     along     a[m,.] and b[.,n] are: 8 columns, 2 columns    2.30, 2.8
 *     1 column                                                 7
 */
#include "../../../generated/instructions/gemm_update.h"
#include "../../gemm_tile.h"
#include "../../optimizers/steps.h"
#include "../../rows.h"
#include "blocks/tile.h"
#include "riscv.h"

#if GM_ARCH_RISCV

#if !GM_ARCH_ZVE32F

/* ---- One row --------------------------------------------------------------------------------- */

GM_INLINED void add_across(const float *a, const float *b, float *sums, uint32_t columns)
{
    float value = *a;
    GM_UNROLLED
    for (uint32_t c = 0; c < columns; c++) {
        sums[c] = gm_riscv_mac(sums[c], value, b[c]);
        if (c % 4 == 3) {
            GM_IN_ORDER();
        }
    }
}

/* Adjacent outputs; b_col is 1. */
GM_INLINED void row_across(const float *a, const float *b, float *y, const gm_gemm_strides *s, uint32_t columns)
{
    const size_t a_col = s->a_col, b_row = s->b_row;
    float sums[16];
    GM_UNROLLED
    for (uint32_t c = 0; c < columns; c++) {
        sums[c] = y[c];
    }
    uint32_t k = s->k;
    for (; k >= 2; k -= 2, a += 2 * a_col, b += 2 * b_row) {
        add_across(a, b, sums, columns);
        add_across(a + a_col, b + b_row, sums, columns);
    }
    if (k > 0) {
        add_across(a, b, sums, columns);
    }
    GM_UNROLLED
    for (uint32_t c = 0; c < columns; c++) {
        y[c] = sums[c];
    }
}

GM_INLINED void add_along(const float *a, const float *const *b, float *sums, uint32_t columns, uint32_t i)
{
    float value = a[i];
    GM_UNROLLED
    for (uint32_t c = 0; c < columns; c++) {
        sums[c] = gm_riscv_mac(sums[c], value, b[c][i]);
    }
}

GM_INLINED void move_along(const float **b, uint32_t columns, uint32_t by)
{
    GM_UNROLLED
    for (uint32_t c = 0; c < columns; c++) {
        b[c] += by;
    }
}

/* Outputs with a_col and b_row 1: each is a dot product of two contiguous rows. */
GM_INLINED void row_along(const float *a, const float *b, float *y, const gm_gemm_strides *s, uint32_t columns)
{
    const uint32_t unroll = GM_RISCV_SMALL ? 1 : 8;
    const float *at[8];
    float sums[8];
    GM_UNROLLED
    for (uint32_t c = 0; c < columns; c++) {
        sums[c] = y[c];
        at[c] = b + c * (size_t)s->b_col;
    }
    for (uint32_t turns = s->k / unroll; turns > 0; turns--, a += unroll) {
        GM_UNROLLED
        for (uint32_t i = 0; i < unroll; i++) {
            add_along(a, at, sums, columns, i);
        }
        move_along(at, columns, unroll);
    }
    for (uint32_t left = s->k % unroll; left > 0; left--, a++) {
        add_along(a, at, sums, columns, 0);
        move_along(at, columns, 1);
    }
    GM_UNROLLED
    for (uint32_t c = 0; c < columns; c++) {
        y[c] = sums[c];
    }
}

static void one_output(const float *a, const float *b, float *y, const gm_gemm_strides *s)
{
    const size_t a_col = s->a_col, b_row = s->b_row;
    float sum = *y;
    for (uint32_t k = s->k; k > 0; k--, a += a_col, b += b_row) {
        sum = GM_MAC(sum, *a, *b);
    }
    *y = sum;
}

void gm_gemm_row(const float *a, const float *b, float *y, uint32_t n, const gm_gemm_strides *s)
{
    if (s->b_col == 1) {
        for (; n >= 16; n -= 16, b += 16, y += 16) {
            row_across(a, b, y, s, 16);
        }
        for (; n >= 4; n -= 4, b += 4, y += 4) {
            row_across(a, b, y, s, 4);
        }
    } else if (s->a_col == 1 && s->b_row == 1) {
        for (; n >= 8; n -= 8, b += 8 * (size_t)s->b_col, y += 8) {
            row_along(a, b, y, s, 8);
        }
        for (; n >= 2; n -= 2, b += 2 * (size_t)s->b_col, y += 2) {
            row_along(a, b, y, s, 2);
        }
    }
    for (; n > 0; n--, b += s->b_col, y++) {
        one_output(a, b, y, s);
    }
}

#endif

/* ---- Several rows ---------------------------------------------------------------------------- */

/* Fewer rows are left to gm_gemm_row(). */
#define FEWEST_ROWS 3u

/* Sums of m rows, for a multiple of four columns. tile: all except the rows. */
static void sum_tiles_of_rows(gm_riscv_tile *tile, const float *a, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                              const gm_gemm_strides *s)
{
    const gm_riscv_form form = gm_riscv_form_of(s->a_row, s->a_col, s->b_row, s->b_col);
    for (uint32_t rows, count; m > 0; m -= count, a += count * (size_t)s->a_row, y += count * (size_t)y_row) {
        rows = gm_riscv_rows(m);
        count = m < rows ? m : rows;
        gm_riscv_set_rows(tile, a, s->a_row, y, y_row, count);
        gm_riscv_sum(tile, count < rows && form == GM_FORM_OUTER ? GM_FORM_GENERAL : form, rows, n / GM_RISCV_COLUMNS);
    }
}

static gm_riscv_tile tile_of_product(const float *b, const gm_gemm_strides *s)
{
    return (gm_riscv_tile){
        .y_column = 1, .b = b, .a_k = s->a_col, .b_k = s->b_row, .b_column = s->b_col, .k = s->k, .taps = 1, .rows = 1};
}

static void rows_one_by_one(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                            const gm_gemm_strides *s)
{
    for (; m > 0 && n > 0; m--, a += s->a_row, y += y_row) {
        gm_gemm_row(a, b, y, n, s);
    }
}

void gm_gemm_matrix(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                    const gm_gemm_strides *s)
{
    uint32_t columns = n / GM_RISCV_COLUMNS * GM_RISCV_COLUMNS;
    if (m < FEWEST_ROWS || columns == 0) {
        rows_one_by_one(a, b, y, m, n, y_row, s);
        return;
    }
    gm_riscv_tile tile = tile_of_product(b, s);
    sum_tiles_of_rows(&tile, a, y, m, columns, y_row, s);
    rows_one_by_one(a, b + columns * (size_t)s->b_col, y + columns, m, n - columns, y_row, s);
}

/* ---- GEMM_UPDATE ----------------------------------------------------------------------------- */

#if GM_WITH_GEMM_UPDATE && GM_WITH_SGD

/* Columns after the whole groups of four. row: room for their gradients. */
static void update_columns(const gm_insn_gemm_update *insn, const float *a, const float *b, float *p, float *row,
                           uint32_t columns, float minus_lr)
{
    const gm_gemm_strides s = {insn->a_row, insn->a_col, insn->b_row, insn->b_col, insn->k};
    for (uint32_t m = 0; m < insn->m && columns > 0; m++) {
        gm_start_row(row, NULL, columns);
        gm_gemm_row(a + m * (size_t)s.a_row, b, row, columns, &s);
        gm_sgd_step(row, p + m * (size_t)insn->n, columns, minus_lr, 1.0f);
    }
}

int gm_riscv_gemm_update(const gm_insn_gemm_update *insn, const float *a, const float *b, float *row,
                         const gm_rule_args *args)
{
    const gm_gemm_strides s = {insn->a_row, insn->a_col, insn->b_row, insn->b_col, insn->k};
    uint32_t columns = insn->n / GM_RISCV_COLUMNS * GM_RISCV_COLUMNS;
    if (!gm_is_plain_sgd(args->rule) || insn->m < FEWEST_ROWS || columns == 0) {
        return 0;
    }
    gm_riscv_tile tile = tile_of_product(b, &s);
    tile.start = gm_riscv_empty_sums, tile.finish = GM_FINISH_SGD, tile.minus_lr = -args->lr;
    sum_tiles_of_rows(&tile, a, args->p, insn->m, columns, insn->n, &s);
    update_columns(insn, a, b + columns * (size_t)s.b_col, args->p + columns, row, insn->n - columns, -args->lr);
    return 1;
}

#elif GM_WITH_GEMM_UPDATE

int gm_riscv_gemm_update(const gm_insn_gemm_update *insn, const float *a, const float *b, float *row,
                         const gm_rule_args *args)
{
    (void)insn, (void)a, (void)b, (void)row, (void)args;
    return 0;
}

#endif

#endif
