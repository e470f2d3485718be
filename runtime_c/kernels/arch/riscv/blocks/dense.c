/* Window sums of groups with several outputs: tiles of pixels by outputs. */
#include "../../../rows.h"
#include "window_sum.h"

#if GM_ARCH_RISCV && (GM_WITH_CONV || GM_WITH_CONV_TRANSPOSE)

/* A row's output behind whole fours. b: of its weights. */
static void sum_output(const gm_riscv_tile *t, uint32_t row, const float *b, const float *start, float *y)
{
    const float *a = t->a[row];
    float sum = start ? *start : *y;
    for (uint32_t r = t->rows; r > 0; r--, a += t->a_row - t->a_tap, b += t->b_row - t->b_tap) {
        for (uint32_t tap = t->taps; tap > 0; tap--, a += t->a_tap, b += t->b_tap) {
            for (uint32_t k = t->k; k > 0; k--, a += t->a_k, b += t->b_k) {
                sum = GM_MAC(sum, *a, *b);
            }
        }
    }
    *y = t->finish == GM_FINISH_ADD_ZERO ? sum + 0.0f : sum;
}

static void sum_last_outputs(const gm_riscv_tile *t, uint32_t rows, uint32_t first, uint32_t outputs)
{
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t n = first; n < outputs; n++) {
            const float *start =
                t->start ? t->start + n / GM_RISCV_COLUMNS * t->start_step + n % GM_RISCV_COLUMNS : NULL;
            sum_output(t, r, t->b + n * t->b_column, start, t->y[r] + n);
        }
    }
}

void gm_riscv_sum_dense(const gm_riscv_window_sum *sum, const gm_riscv_region *region, const float *x, const float *w,
                        const float *bias, float *y)
{
    const uint32_t blocks = sum->outputs / GM_RISCV_COLUMNS;
    gm_riscv_tile tile = {.y_column = 1,
                          .start = sum->accumulate ? NULL
                                   : bias          ? bias
                                                   : gm_riscv_empty_sums,
                          .start_step = bias ? GM_RISCV_COLUMNS : 0,
                          .b_column = sum->w_output,
                          .finish = sum->transposed ? GM_FINISH_ADD_ZERO : GM_FINISH_STORE};
    gm_riscv_set_taps(&tile, sum, region, w);
    const gm_riscv_form form = gm_riscv_form_of(0, tile.a_k, tile.b_k, tile.b_column);
    gm_riscv_cursor at = gm_riscv_first_pixel(sum, region, x, y);
    while (at.left > 0) {
        uint32_t rows = gm_riscv_rows(at.left), count = gm_riscv_take_pixels(&tile, &at, sum, region, rows);
        gm_riscv_sum(&tile, form, rows, blocks);
        sum_last_outputs(&tile, count, blocks * GM_RISCV_COLUMNS, sum->outputs);
        for (uint32_t r = 0; r < count && sum->relu; r++) {
            gm_relu_row(tile.y[r], tile.y[r], sum->outputs);
        }
    }
}

#endif
