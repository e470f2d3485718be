#include "taps.h"

#include "../../gemm_tile.h"
#include "../../rows.h"
#include "../arch.h"

#if GM_ARCH_ARM_M

gm_tap gm_tap_of(const gm_window *window, const gm_layout *x, const gm_layout *y, uint32_t k, uint32_t l)
{
    const gm_window *w = window;
    gm_span rows = gm_valid_outputs(k, w->stride_h, w->dilation_h, w->pad_h, w->in_h, w->out_h);
    gm_span columns = gm_valid_outputs(l, w->stride_w, w->dilation_w, w->pad_w, w->in_w, w->out_w);
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

/* One row of pixels by all outputs, of which out's neighbours are contiguous. */
static void pixels_by_outputs(const gm_product *p, const float *in, const float *w, float *out)
{
    const gm_gemm_strides strides = { p->in.column, p->in.channel, p->w_in, p->w_out, p->sums };
    gm_gemm_matrix(in, w, out, p->columns, p->outputs, p->out.column, &strides);
}

/* The same where neighbouring pixels of out are contiguous. */
static void outputs_by_pixels(const gm_product *p, const float *in, const float *w, float *out)
{
    const gm_gemm_strides strides = { p->w_out, p->w_in, p->in.channel, p->in.column, p->sums };
    gm_gemm_matrix(w, in, out, p->outputs, p->columns, p->out.channel, &strides);
}

/* Where the rows of both sides follow each other without a gap, they are one. */
static gm_product with_joined_rows(gm_product p)
{
    if (p.in.row == p.columns * p.in.column && p.out.row == p.columns * p.out.column) {
        p.columns *= p.rows;
        p.rows = 1;
    }
    return p;
}

void gm_tap_product(const gm_product *product, const float *in, const float *w, float *out)
{
    gm_product p = with_joined_rows(*product);
    int by_outputs = p.out.channel == 1 || p.outputs == 1, by_pixels = !by_outputs && p.out.column == 1;
    uint32_t blocks = by_outputs || by_pixels ? 1 : p.outputs;
    p.outputs /= blocks;
    for (uint32_t row = 0; row < p.rows; row++, in += p.in.row, out += p.out.row) {
        for (uint32_t i = 0; i < blocks; i++) {
            if (by_pixels) {
                outputs_by_pixels(&p, in, w, out);
            } else {
                pixels_by_outputs(&p, in, w + i * p.w_out, out + i * p.out.channel);
            }
        }
    }
}

/* Runs `ROW` over the contiguous outputs `at` of each pixel; where they are not neighbours, of each alone. */
#define EACH_PIXEL(p, out, ROW)                                                         \
    uint32_t together = (p)->out.channel == 1 ? (p)->outputs : 1;                       \
    for (uint32_t row = 0; row < (p)->rows; row++) {                                    \
        for (uint32_t column = 0; column < (p)->columns; column++) {                    \
            float *at = (out) + row * (p)->out.row + column * (p)->out.column;          \
            for (uint32_t n = 0; n < (p)->outputs; n += together) {                     \
                ROW;                                                                    \
                at += together * (p)->out.channel;                                      \
            }                                                                           \
        }                                                                               \
    }

/* Where the pixels of a row follow each other without a gap, they are one. */
static gm_product with_joined_pixels(gm_product p)
{
    if (p.out.channel == 1 && p.out.column == p.outputs) {
        p.outputs *= p.columns;
        p.columns = 1;
    }
    return p;
}

void gm_start_pixels(const gm_product *product, const float *bias, float *out)
{
    const gm_product joined = bias ? *product : with_joined_pixels(*product);
    EACH_PIXEL(&joined, out, gm_start_row(at, bias ? bias + n : NULL, together))
}

void gm_relu_pixels(const gm_product *product, float *out)
{
    const gm_product joined = with_joined_pixels(*product);
    EACH_PIXEL(&joined, out, gm_relu_row(at, at, together))
}

static void add_zero(float *y, uint32_t n)
{
    uint32_t i = 0;
    for (; n - i >= 4; i += 4) {
        float a = y[i] + 0.0f, b = y[i + 1] + 0.0f, c = y[i + 2] + 0.0f, d = y[i + 3] + 0.0f;
        y[i] = a, y[i + 1] = b, y[i + 2] = c, y[i + 3] = d;
    }
    for (; i < n; i++) {
        y[i] = y[i] + 0.0f;
    }
}

void gm_add_zero_to_pixels(const gm_product *product, float *out)
{
    const gm_product joined = with_joined_pixels(*product);
    EACH_PIXEL(&joined, out, add_zero(at, together))
}

#endif
