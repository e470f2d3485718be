/* Window sums for groups with several outputs: tiles of pixels by outputs. */
#include "../../../../generated/instructions/conv.h"
#include "../../../../generated/instructions/conv_transpose.h"
#include "../../../rows.h"
#include "window_sum.h"

#if GM_ARCH_RISCV && (GM_WITH_CONV || GM_WITH_CONV_TRANSPOSE)

/* One of a row's outputs after the whole groups of four. b: at its weights. */
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

/* All outputs of some rows; those past `count` are repeated ones. */
static void sum_outputs_of_rows(const gm_riscv_tile *tile, const gm_riscv_window_sum *sum, gm_riscv_form form,
                                uint32_t rows, uint32_t count)
{
    const uint32_t blocks = sum->outputs / GM_RISCV_COLUMNS;
    gm_riscv_sum(tile, form, rows, blocks);
    if (blocks * GM_RISCV_COLUMNS < sum->outputs) {
        sum_last_outputs(tile, count, blocks * GM_RISCV_COLUMNS, sum->outputs);
    }
    for (uint32_t r = 0; r < count && sum->relu; r++) {
        gm_relu_row(tile->y[r], tile->y[r], sum->outputs);
    }
}

/* y[i] = start[i] + 0, or 0 if start is NULL. */
static void give_empty_sums(const float *start, float *y, uint32_t outputs)
{
    for (; outputs >= 8 && start == NULL; outputs -= 8, y += 8) {
        y[0] = y[1] = y[2] = y[3] = y[4] = y[5] = y[6] = y[7] = 0.0f;
        GM_IN_ORDER(); /* or gcc calls memset(), which may go byte by byte */
    }
    for (; outputs > 0; outputs--, y++) {
        *y = (start ? *start++ : 0.0f) + 0.0f;
    }
}

/* Pixels of CONV_TRANSPOSE that no tap covers: most of those between strides. */
static void sum_nothing(const gm_riscv_window_sum *sum, const gm_riscv_region *region, const float *bias, float *y)
{
    gm_riscv_cursor at = gm_riscv_first_pixel(sum, region, y, y);
    for (; at.left > 0; at.left--, gm_riscv_move_cursor(&at)) {
        give_empty_sums(sum->accumulate ? at.y : bias, at.y, sum->outputs);
    }
}

/* Whether a region belongs to a first layer: 3 channels in planes, 3x3 taps, and enough pixels for
 * a tile in each row. With vectors such a layer uses the tiles of all others. */
static int is_of_planes(const gm_riscv_tile *tile, const gm_riscv_window_sum *sum, const gm_riscv_region *region)
{
    return !GM_RISCV_SMALL && !GM_ARCH_ZVE32F && !sum->transposed && sum->inputs == 3 &&
           sum->outputs % GM_RISCV_COLUMNS == 0 && region->columns.count >= GM_RISCV_ROWS &&
           region->columns.taps.count == 3 && region->rows.taps.count > 0 && sum->source.w == 1 &&
           sum->columns.source_tap == 1 && sum->columns.source_step <= 2 && sum->w_w == 1 && sum->w_input == 9 &&
           tile->b_column == 3 * 9;
}

/* Six adjacent pixels of a row at a time; the last six may overlap those before. at: the first
 * pixel of the region. */
static void sum_planes(gm_riscv_tile *tile, const gm_riscv_window_sum *sum, const gm_riscv_region *region,
                       const gm_riscv_cursor *at)
{
    const uint32_t last = region->columns.count - GM_RISCV_ROWS;
    const gm_riscv_form form = at->x_step == 1 ? GM_FORM_PLANES : GM_FORM_PLANES_2;
    tile->k = 9, tile->taps = 1;
    tile->a_row = sum->rows.source_tap * sum->source.h, tile->b_row = sum->rows.tap_step * sum->w_h;
    for (uint32_t row = 0; row < region->rows.count; row++) {
        const float *x = at->x + row * (at->x_row + at->columns * at->x_step);
        float *y = at->y + row * (at->y_row + at->columns * at->y_step);
        for (uint32_t column = 0; column < region->columns.count; column += GM_RISCV_ROWS) {
            const uint32_t first = column < last ? column : last;
            gm_riscv_set_rows(tile, x + first * at->x_step, 0, y + first * at->y_step, at->y_step, GM_RISCV_ROWS);
            tile->a[1] += sum->source.channel, tile->a[2] += 2 * (size_t)sum->source.channel;
            sum_outputs_of_rows(tile, sum, form, GM_RISCV_ROWS, GM_RISCV_ROWS);
        }
    }
}

void gm_riscv_sum_dense(const gm_riscv_window_sum *sum, const gm_riscv_region *region, const float *x, const float *w,
                        const float *bias, float *y)
{
    if (sum->transposed && (region->rows.taps.count == 0 || region->columns.taps.count == 0)) {
        sum_nothing(sum, region, bias, y);
        return;
    }
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
    if (is_of_planes(&tile, sum, region)) {
        sum_planes(&tile, sum, region, &at);
        return;
    }
    while (at.left > 0) {
        uint32_t rows = gm_riscv_rows(at.left), count = gm_riscv_take_pixels(&tile, &at, rows);
        sum_outputs_of_rows(&tile, sum, form, rows, count);
    }
}

#endif
