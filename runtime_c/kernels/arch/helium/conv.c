/*
 * CONV, and along with it CONV_TRANSPOSE, with Helium. Positions that the same kernel taps reach
 * form a region: one rectangle in the interior, one at each edge and corner, and for a transposed
 * convolution one for each remainder modulo the stride. Within a region, tiles of 5 or 4 positions
 * by 4 outputs keep their sums over all taps.
 */
#include "../../../generated/instructions/conv.h"
#include "../../../generated/instructions/conv_transpose.h"
#include "../../window.h"
#include "helium.h"
#include "blocks/panel.h"
#include "blocks/tile.h"

#if GM_ARCH_HELIUM && (GM_WITH_CONV || GM_WITH_CONV_TRANSPOSE)

/* Rows or columns. Positions are those of the outputs; at each, the kernel taps whose source is
 * inside count. If transposed, positions are the convolution's inputs, and sources its outputs. */
typedef struct axis {
    uint32_t positions, sources, kernel, stride, dilation, pad;
    int transposed;
} axis;

/* out[position,n] += sum over taps and i of in[source,i] w[tap,i,n]. Steps in elements. */
typedef struct convolution {
    axis rows, columns;
    uint32_t sums, outputs;
    uint32_t in_row, in_column, in_sum;
    uint32_t out_row, out_column;
    uint32_t w_row, w_column, w_sum, w_out;
} convolution;

/* Positions first, first + step, ..., which the same taps reach: tap, tap + step, ... */
typedef struct same_taps {
    uint32_t first, count;
    uint32_t tap, taps;
    uint32_t source; /* of the first position and tap */
} same_taps;

/* ---- Axes ------------------------------------------------------------------------------------ */

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b > 0) {
        uint32_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}

/* The step from one position or tap of a run to the next, and the step of its source. */
static uint32_t position_step(const axis *a)
{
    return a->transposed ? a->stride : 1;
}

static uint32_t tap_step(const axis *a)
{
    return a->transposed ? a->stride / common_divisor(a->stride, a->dilation) : 1;
}

static uint32_t source_by_position(const axis *a)
{
    return a->transposed ? 1 : a->stride;
}

static uint32_t source_by_tap(const axis *a)
{
    return a->transposed ? 0 - a->dilation / common_divisor(a->stride, a->dilation) : a->dilation;
}

/* At least `sources` if there is none. */
static uint32_t source_of(const axis *a, uint32_t position, uint32_t tap)
{
    return a->transposed
               ? gm_output_index(position, tap, a->stride, a->dilation, a->pad, a->sources)
               : gm_input_index(position, tap, a->stride, a->dilation, a->pad);
}

/* A run of one position */
static same_taps run_of_position(const axis *a, uint32_t position)
{
    same_taps r = { position, 1, 0, 0, 0 };
    for (uint32_t tap = 0; tap < a->kernel; tap++) {
        uint32_t source = source_of(a, position, tap);
        if (source < a->sources && r.taps++ == 0) {
            r.tap = tap, r.source = source;
        }
    }
    return r;
}

/* The whole run that begins at a position */
static same_taps run_from(const axis *a, uint32_t first)
{
    same_taps r = run_of_position(a, first);
    for (uint32_t next = first + position_step(a); next < a->positions; next += position_step(a), r.count++) {
        same_taps other = run_of_position(a, next);
        if (other.tap != r.tap || other.taps != r.taps) {
            break;
        }
    }
    return r;
}

/* The run after another: after the last position of its remainder comes the next remainder. count
 * is 0 if there is none. */
static same_taps next_run(const axis *a, const same_taps *r)
{
    uint32_t step = position_step(a), first = r->first + r->count * step;
    if (first >= a->positions) {
        first = r->first % step + 1;
        if (first >= step || first >= a->positions) {
            return (same_taps){ 0, 0, 0, 0, 0 };
        }
    }
    return run_from(a, first);
}

/* ---- Regions --------------------------------------------------------------------------------- */

/* The sums of a position: over the taps of rows and columns, and over k. If `in` has one
 * channel, k are columns. */
static gm_tile tile_of(const convolution *c, const same_taps *rows, const same_taps *columns)
{
    int by_columns = c->sums == 1;
    uint32_t in_tap = source_by_tap(&c->columns) * c->in_column, w_tap = tap_step(&c->columns) * c->w_column;
    uint32_t in_k = by_columns ? in_tap : c->in_sum, w_k = by_columns ? w_tap : c->w_sum;
    uint32_t k = by_columns ? columns->taps : c->sums, taps = by_columns ? 1 : columns->taps;
    uint32_t in_row = source_by_tap(&c->rows) * c->in_row, w_row = tap_step(&c->rows) * c->w_row;
    return (gm_tile){
        .a_k = 4 * in_k, .b_k = 4 * w_k, .y_column = 4, .b_column = 4 * c->w_out,
        .k = k, .taps = taps, .rows = rows->taps,
        .a_tap = 4 * (in_tap - k * in_k), .b_tap = 4 * (w_tap - k * w_k),
        .a_row = 4 * (in_row - (taps - 1) * in_tap - k * in_k),
        .b_row = 4 * (w_row - (taps - 1) * w_tap - k * w_k),
    };
}

/* Puts the addresses of the region's position (row, column) in row i of the tile. */
static void put_position(const convolution *c, const same_taps *rows, const same_taps *columns, uint32_t row,
                         uint32_t column, const float *in, float *out, gm_tile *tile, uint32_t i)
{
    uint32_t in_row = rows->source + row * source_by_position(&c->rows);
    uint32_t in_column = columns->source + column * source_by_position(&c->columns);
    uint32_t out_row = rows->first + row * position_step(&c->rows);
    uint32_t out_column = columns->first + column * position_step(&c->columns);
    tile->a[i] = in + in_row * c->in_row + in_column * c->in_column;
    tile->y[i] = out + out_row * c->out_row + out_column * c->out_column;
}

static void region(const convolution *c, const same_taps *rows, const same_taps *columns, gm_tile_form form,
                   const float *in, const float *w, float *out)
{
    gm_tile tile = tile_of(c, rows, columns);
    uint32_t row = 0, column = 0, least = gm_tile_least_rows(form);
    for (uint32_t left = rows->count * columns->count, count; left > 0; left -= count) {
        count = gm_tile_rows(form, left);
        for (uint32_t i = 0; i < count; i++) {
            put_position(c, rows, columns, row, column, in, out, &tile, i);
            if (++column == columns->count) {
                column = 0, row++;
            }
        }
        for (uint32_t i = count; i < least; i++) {
            tile.a[i] = tile.a[count - 1], tile.y[i] = tile.y[count - 1];
        }
        tile.b = w + rows->tap * c->w_row + columns->tap * c->w_column;
        gm_tile_columns(&tile, form, count < least ? least : count, c->outputs);
    }
}

/* Returns 0, and does nothing, if the terms of a sum are not contiguous in `in`, or
 * outputs are too few. */
static int by_tiles(const convolution *c, const float *in, const float *w, float *out)
{
    int by_columns = c->sums == 1;
    uint32_t in_k = by_columns ? source_by_tap(&c->columns) * c->in_column : c->in_sum;
    uint32_t w_k = by_columns ? tap_step(&c->columns) * c->w_column : c->w_sum;
    if (in_k != 1 || c->outputs < 4) {
        return 0;
    }
    gm_tile_form form = gm_tile_form_by_eight(gm_tile_form_of(0, 1, w_k, c->w_out), c->outputs);
    for (same_taps rows = run_from(&c->rows, 0); rows.count > 0; rows = next_run(&c->rows, &rows)) {
        for (same_taps columns = run_from(&c->columns, 0); columns.count > 0;
             columns = next_run(&c->columns, &columns)) {
            if (rows.taps > 0 && columns.taps > 0) {
                region(c, &rows, &columns, form, in, w, out);
            }
        }
    }
    return 1;
}

/* The distance between positions if it is the same throughout, for sources too; else 0. */
static uint32_t joined_step(const axis *rows, const axis *columns, uint32_t row, uint32_t column)
{
    return rows->positions == 1 || row == columns->positions * column ? column : 0;
}

/* Kernels of one tap with stride 1 whose positions are all one run, from the empty
 * sum: a matrix product. */
static int from_empty(const convolution *c, const float *in, const float *w, float *out, uint32_t plus_zero)
{
    const axis *rows = &c->rows, *columns = &c->columns;
    int is_one_tap = rows->kernel == 1 && columns->kernel == 1 && rows->stride == 1 && columns->stride == 1 &&
                     rows->positions == rows->sources && columns->positions == columns->sources && rows->pad == 0 &&
                     columns->pad == 0;
    const gm_panel_product product = {
        .a = in, .a_row = joined_step(rows, columns, c->in_row, c->in_column),
        .b = w, .b_k = c->w_sum, .b_column = c->w_out,
        .y = out, .y_row = joined_step(rows, columns, c->out_row, c->out_column),
        .rows = rows->positions * columns->positions, .k = c->sums, .columns = c->outputs,
        .from_empty = 1, .plus_zero = plus_zero,
    };
    return is_one_tap && c->in_sum == 1 && product.a_row > 0 && product.y_row > 0 && gm_panel_product_of(&product);
}

#if GM_WITH_CONV

static convolution convolution_of(const gm_insn_conv *insn)
{
    return (convolution){
        .rows = { insn->out_h, insn->in_h, insn->kernel_h, insn->stride_h, insn->dilation_h, insn->pad_h, 0 },
        .columns = { insn->out_w, insn->in_w, insn->kernel_w, insn->stride_w, insn->dilation_w, insn->pad_w, 0 },
        .sums = insn->in_channels, .outputs = insn->out_channels,
        .in_row = insn->x_h, .in_column = insn->x_w, .in_sum = insn->x_channel,
        .out_row = insn->y_h, .out_column = insn->y_w,
        .w_row = insn->w_h, .w_column = insn->w_w, .w_sum = insn->w_in_channel, .w_out = insn->w_out_channel,
    };
}

int gm_helium_conv(const gm_insn_conv *insn, const float *x, const float *w, float *y)
{
    const convolution c = convolution_of(insn);
    return insn->y_channel == 1 && by_tiles(&c, x, w, y);
}

int gm_helium_conv_from_empty(const gm_insn_conv *insn, const float *x, const float *w, float *y)
{
    const convolution c = convolution_of(insn);
    return insn->y_channel == 1 && from_empty(&c, x, w, y, 0);
}

#endif

#if GM_WITH_CONV_TRANSPOSE

static convolution transposed_of(const gm_insn_conv_transpose *insn)
{
    return (convolution){
        .rows = { insn->in_h, insn->out_h, insn->kernel_h, insn->stride_h, insn->dilation_h, insn->pad_h, 1 },
        .columns = { insn->in_w, insn->out_w, insn->kernel_w, insn->stride_w, insn->dilation_w, insn->pad_w, 1 },
        .sums = insn->out_channels, .outputs = insn->in_channels,
        .in_row = insn->y_h, .in_column = insn->y_w, .in_sum = insn->y_channel,
        .out_row = insn->x_h, .out_column = insn->x_w,
        .w_row = insn->w_h, .w_column = insn->w_w, .w_sum = insn->w_out_channel, .w_out = insn->w_in_channel,
    };
}

int gm_helium_conv_transpose(const gm_insn_conv_transpose *insn, const float *y, const float *w, float *x)
{
    const convolution c = transposed_of(insn);
    return insn->x_channel == 1 && by_tiles(&c, y, w, x);
}

int gm_helium_conv_transpose_from_empty(const gm_insn_conv_transpose *insn, const float *y, const float *w, float *x)
{
    const convolution c = transposed_of(insn);
    return insn->x_channel == 1 && from_empty(&c, y, w, x, 1);
}

#endif

#endif
