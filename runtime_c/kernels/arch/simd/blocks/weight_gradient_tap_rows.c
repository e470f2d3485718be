/* Weight gradients by kernel rows: output channels by adjacent taps, in vectors of input channels;
 * or, if each group has one of both, vectors of groups by adjacent taps. */
#include "../../../../generated/instructions/conv_grad_w.h"
#include "../../../../generated/instructions/conv_update.h"
#include "tile.h"
#include "weight_gradient_methods.h"

#if GM_ARCH_SIMD && (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE)

/* Output channels and adjacent taps of a kernel row whose sums stay in registers: with an input for
 * each tap and an output gradient they fill 16 registers. */
#define ROW_OUT_CHANNELS GM_TAP_ROW_OUT_CHANNELS
#define ROW_TAPS 3u

/* About so many outputs form a block: its gradients and inputs stay in the L1 cache while all sums
 * take their products. */
#define ROW_BLOCK_OUTPUTS 64u

/* Adjacent outputs of a row for which the same taps [tap, tap + taps) are inside the input; there
 * may be none. dy and x: the offsets of the first output and of its input under `tap` from those of
 * the row. They may wrap, since an input left of the row's first one has a negative offset. */
typedef struct output_run {
    uint32_t outputs, tap, taps;
    size_t x, dy;
} output_run;

/* Up to ROW_TAPS adjacent taps of a kernel row, with all outputs of a row in runs. Steps in floats
 * from the input of one output, or tap, to that of the next. */
typedef struct tap_row {
    const gm_conv_gradient *g;
    uint32_t taps, count;
    size_t x_step, tap_step;
    output_run runs[2 * ROW_TAPS + 1];
} tap_row;

/* The run that begins at output p. columns: the outputs that have each of the taps. */
static output_run run_at(const gm_span *columns, uint32_t taps, uint32_t p, uint32_t end)
{
    output_run r = {0};
    for (uint32_t l = taps; l-- > 0;) {
        gm_span own = columns[l];
        if (gm_inside(own, p)) {
            r.tap = l;
            r.taps++;
        }
        end = own.first > p && own.first < end ? own.first : end;
        end = own.end > p && own.end < end ? own.end : end;
    }
    r.outputs = end - p;
    return r;
}

/* column: the kernel column of the first tap. */
static tap_row tap_row_at(const gm_weight_gradient *w, uint32_t column)
{
    const gm_window *v = &w->g.window;
    uint32_t left = v->kernel_w - column;
    tap_row s = {
        &w->g, left < ROW_TAPS ? left : ROW_TAPS, 0, (size_t)v->stride_w * w->g.x.w, (size_t)v->dilation_w * w->g.x.w,
        {{0}}};
    for (uint32_t p = 0; p < v->out_w; p += s.runs[s.count++].outputs) {
        output_run r = run_at(w->columns + column, s.taps, p, v->out_w);
        r.x = p * s.x_step + (column + r.tap) * s.tap_step - (size_t)v->pad_w * w->g.x.w;
        r.dy = (size_t)p * w->g.dy.w;
        s.runs[s.count] = r;
    }
    return s;
}

/* tile[m,l] += dy[m] x[l] over `count` outputs, for the taps first <= l < first + taps. x: under
 * the first of these taps. grouped: m is a vector of groups in both operands, else an output
 * channel. rows, taps and grouped: constants. */
GM_SIMD_INLINE void add_outputs(gm_vec *tile, const tap_row *s, const float *x, const float *dy, uint32_t count,
                                uint32_t first, uint32_t taps, uint32_t rows, int grouped)
{
    size_t x_step = s->x_step, tap_step = s->tap_step, dy_step = s->g->dy.w, out_channel_step = s->g->dy.channel;
    for (; count > 0; count--, x += x_step, dy += dy_step) {
        gm_vec inputs[ROW_TAPS];
        GM_UNROLL
        for (uint32_t l = 0; l < taps; l++) {
            inputs[l] = gm_vec_load(x + l * tap_step); /* unused if grouped */
        }
        GM_UNROLL
        for (uint32_t m = 0; m < rows; m++) {
            gm_vec gradient = grouped ? gm_vec_load(dy + m * GM_LANES) : gm_vec_splat(dy[m * out_channel_step]);
            gm_vec *sums = tile + m * ROW_TAPS + first;
            GM_UNROLL
            for (uint32_t l = 0; l < taps; l++) {
                gm_vec value = grouped ? gm_vec_load(x + l * tap_step + m * GM_LANES) : inputs[l];
                sums[l] = gm_vec_mac(sums[l], gradient, value);
            }
        }
    }
}

/* x and dy: of the row. The number of taps is a constant in each case, so that sums
 * stay in registers. */
GM_SIMD_INLINE void add_output_run(gm_vec *tile, const tap_row *s, const output_run *r, const float *x, const float *dy,
                                   uint32_t rows, int grouped)
{
    x += r->x;
    dy += r->dy;
    switch (r->taps * ROW_TAPS + r->tap) {
    case 3 * ROW_TAPS: add_outputs(tile, s, x, dy, r->outputs, 0, 3, rows, grouped); break;
    case 2 * ROW_TAPS: add_outputs(tile, s, x, dy, r->outputs, 0, 2, rows, grouped); break;
    case 2 * ROW_TAPS + 1: add_outputs(tile, s, x, dy, r->outputs, 1, 2, rows, grouped); break;
    case 1 * ROW_TAPS: add_outputs(tile, s, x, dy, r->outputs, 0, 1, rows, grouped); break;
    case 1 * ROW_TAPS + 1: add_outputs(tile, s, x, dy, r->outputs, 1, 1, rows, grouped); break;
    case 1 * ROW_TAPS + 2: add_outputs(tile, s, x, dy, r->outputs, 2, 1, rows, grouped); break;
    default: break;
    }
}

/* Whether all rows have three taps and borders of one: outputs without the first tap, outputs with
 * all, and outputs without the last. */
static int is_bordered(const tap_row *s)
{
    const output_run *r = s->runs;
    return ROW_TAPS == 3 && s->count == 3 && r[0].tap == 1 && r[0].taps == 2 && r[1].taps == 3 && r[2].tap == 0 &&
           r[2].taps == 2;
}

/* All runs of a row with these x and dy. bordered: as above; then nothing needs
 * checking for each run. */
GM_SIMD_INLINE void add_output_row(gm_vec *tile, const tap_row *s, const float *x, const float *dy, int bordered,
                                   uint32_t rows, int grouped)
{
    const output_run *r = s->runs;
    if (bordered) {
        add_outputs(tile, s, x + r[0].x, dy + r[0].dy, r[0].outputs, 1, 2, rows, grouped);
        add_outputs(tile, s, x + r[1].x, dy + r[1].dy, r[1].outputs, 0, 3, rows, grouped);
        add_outputs(tile, s, x + r[2].x, dy + r[2].dy, r[2].outputs, 0, 2, rows, grouped);
        return;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        add_output_run(tile, s, &r[i], x, dy, rows, grouped);
    }
}

/* Output channels by GM_LANES input channels, or vectors of groups, over output rows for which
 * kernel row k is inside the input. x and dy: of the sample, at the first of these channels.
 * values: of the first tap and channels, `step` from row to row of the tile. */
GM_SIMD_INLINE void add_tile(const tap_row *s, uint32_t k, gm_span outputs, const float *x, const float *dy,
                             float *values, uint32_t step, uint32_t tap_step, uint32_t rows, int grouped)
{
    const gm_window *v = &s->g->window;
    int bordered = is_bordered(s);
    gm_vec tile[ROW_OUT_CHANNELS * ROW_TAPS];
    GM_UNROLL
    for (uint32_t i = 0; i < rows * ROW_TAPS; i++) {
        uint32_t tap = i % ROW_TAPS < s->taps ? i % ROW_TAPS : 0;
        tile[i] = gm_vec_load(values + i / ROW_TAPS * step + tap * tap_step);
    }
    for (uint32_t o = outputs.first; o < outputs.end; o++) {
        uint32_t row = gm_input_index(o, k, v->stride_h, v->dilation_h, v->pad_h);
        add_output_row(tile, s, x + (size_t)row * s->g->x.h, dy + (size_t)o * s->g->dy.h, bordered, rows, grouped);
    }
    GM_UNROLL
    for (uint32_t i = 0; i < rows * ROW_TAPS; i++) {
        if (i % ROW_TAPS < s->taps) {
            gm_vec_store(values + i / ROW_TAPS * step + i % ROW_TAPS * tap_step, tile[i]);
        }
    }
}

/* All output and input channels. */
static GM_SIMD_TARGET void add_tiles(const tap_row *s, uint32_t k, gm_span outputs, const float *x, const float *dy,
                                     float *values, const gm_gradient_sums *sums)
{
    for (uint32_t c = 0; c < sums->in_channels; c += GM_LANES) {
        for (uint32_t m = 0; m < sums->out_channels; m += ROW_OUT_CHANNELS) {
            add_tile(s, k, outputs, x + c, dy + (size_t)m * s->g->dy.channel,
                     values + (size_t)m * sums->out_channel_step + c, sums->out_channel_step, sums->tap_step,
                     ROW_OUT_CHANNELS, 0);
        }
    }
}

#if GM_TAP_ROWS_OF_GROUPS

/* All groups. */
static GM_SIMD_TARGET void add_tiles_of_groups(const tap_row *s, uint32_t k, gm_span outputs, const float *x,
                                               const float *dy, float *values, const gm_gradient_sums *sums)
{
    const uint32_t widest = ROW_OUT_CHANNELS * GM_LANES;
    uint32_t m = 0;
    for (; sums->out_channels - m >= widest; m += widest) {
        add_tile(s, k, outputs, x + m, dy + m, values + m, GM_LANES, sums->tap_step, ROW_OUT_CHANNELS, 1);
    }
    for (; m < sums->out_channels; m += GM_LANES) {
        add_tile(s, k, outputs, x + m, dy + m, values + m, GM_LANES, sums->tap_step, 1, 1);
    }
}

#endif

/* All sums over some output rows of a sample. */
static void add_row_block(const gm_weight_gradient *w, const float *x, const float *dy, gm_span rows,
                          gm_gradient_sums *sums)
{
    const gm_window *v = &w->g.window;
    for (uint32_t l = 0; l < v->kernel_w; l += ROW_TAPS) {
        tap_row s = tap_row_at(w, l);
        for (uint32_t k = 0; k < v->kernel_h; k++) {
            float *values = sums->values + (size_t)(k * v->kernel_w + l) * sums->tap_step;
#if GM_TAP_ROWS_OF_GROUPS
            if (w->grouped) {
                add_tiles_of_groups(&s, k, gm_both(rows, w->rows[k]), x, dy, values, sums);
                continue;
            }
#endif
            add_tiles(&s, k, gm_both(rows, w->rows[k]), x, dy, values, sums);
        }
    }
}

void gm_gradient_tap_rows(const gm_weight_gradient *w, const float *x, const float *dy, gm_gradient_sums *sums)
{
    const gm_window *v = &w->g.window;
    uint32_t height = v->out_w < ROW_BLOCK_OUTPUTS ? ROW_BLOCK_OUTPUTS / v->out_w : 1;
    for (uint32_t b = 0; b < w->g.batch; b++, x += w->g.x.batch, dy += w->g.dy.batch) {
        for (uint32_t o = 0; o < v->out_h; o += height) {
            add_row_block(w, x, dy, (gm_span){o, v->out_h - o < height ? v->out_h : o + height}, sums);
        }
    }
}

#endif
