#include "taps.h"

#include "../../../gemm_tile.h"
#include "../../arch.h"

#if GM_ARCH_ARM_M

__attribute__((noinline)) gm_span gm_rows_of_tap(const gm_window *w, uint32_t k)
{
    return gm_valid_outputs(k, w->stride_h, w->dilation_h, w->pad_h, w->in_h, w->out_h);
}

__attribute__((noinline)) gm_tap gm_tap_of_columns(const gm_window *window, const gm_layout *x, const gm_layout *y,
                                                   uint32_t k, uint32_t l, gm_span columns)
{
    const gm_window *w = window;
    gm_span rows = gm_rows_of_tap(w, k);
    int empty = rows.first == rows.end || columns.first == columns.end;
    return (gm_tap){
        .rows = empty ? 0 : rows.end - rows.first,
        .columns = empty ? 0 : columns.end - columns.first,
        .x = gm_input_index(rows.first, k, w->stride_h, w->dilation_h, w->pad_h) * x->h +
             gm_input_index(columns.first, l, w->stride_w, w->dilation_w, w->pad_w) * x->w,
        .x_row = w->stride_h * x->h,
        .x_column = w->stride_w * x->w,
        .y = rows.first * y->h + columns.first * y->w,
        .y_row = y->h,
        .y_column = y->w,
    };
}

gm_tap gm_tap_of(const gm_window *window, const gm_layout *x, const gm_layout *y, uint32_t k, uint32_t l)
{
    const gm_window *w = window;
    gm_span columns = gm_valid_outputs(l, w->stride_w, w->dilation_w, w->pad_w, w->in_w, w->out_w);
    return gm_tap_of_columns(window, x, y, k, l, columns);
}

/* One row of pixels by all outputs; adjacent outputs are contiguous in `out`. */
static void pixels_by_outputs(const gm_product *p, const float *in, const float *w, float *out)
{
    const gm_gemm_strides strides = { p->in.column, p->in.channel, p->w_in, p->w_out, p->sums };
    gm_gemm_matrix(in, w, out, p->columns, p->outputs, p->out.column, &strides);
}

/* The same if adjacent pixels are contiguous in `out`. */
static void outputs_by_pixels(const gm_product *p, const float *in, const float *w, float *out)
{
    const gm_gemm_strides strides = { p->w_out, p->w_in, p->in.channel, p->in.column, p->sums };
    gm_gemm_matrix(w, in, out, p->outputs, p->columns, p->out.channel, &strides);
}

/* Joins the rows of a product into one if those of both sides are contiguous. */
static void join_product_rows(gm_product *p)
{
    if (p->in.row == p->columns * p->in.column && p->out.row == p->columns * p->out.column) {
        p->columns *= p->rows;
        p->rows = 1;
    }
}

void gm_tap_product(gm_product *p, const float *in, const float *w, float *out)
{
    join_product_rows(p);
    if (gm_blocks_suit(p)) {
        gm_add_blocks(p, in, w, out);
        return;
    }
    int by_outputs = p->out.channel == 1 || p->outputs == 1, by_pixels = !by_outputs && p->out.column == 1;
    uint32_t blocks = by_outputs || by_pixels ? 1 : p->outputs;
    p->outputs /= blocks;
    for (uint32_t row = 0; row < p->rows; row++, in += p->in.row, out += p->out.row) {
        for (uint32_t i = 0; i < blocks; i++) {
            if (by_pixels) {
                outputs_by_pixels(p, in, w, out);
            } else {
                pixels_by_outputs(p, in, w + i * p->w_out, out + i * p->out.channel);
            }
        }
    }
}

#endif
