/* Weight gradients in one vector of output channels or groups for each of several taps. */
#include "../../../../generated/instructions/conv_grad_w.h"
#include "../../../../generated/instructions/conv_update.h"
#include "../avx512.h"
#include "tile.h"
#include "weight_gradient_methods.h"

#if GM_ARCH_SIMD && (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE)

/* Taps whose sums stay in registers. */
#define SET_TAPS 9u
#define ALL_TAPS ((1u << SET_TAPS) - 1)

/* The most outputs of a row without all taps for which the taps are determined beforehand. */
#define MOST_EDGES 16u

typedef struct tap_set {
    uint32_t count;
    size_t offset[SET_TAPS];          /* of a tap from the first one, which may be outside the input */
    gm_span rows[SET_TAPS], columns[SET_TAPS]; /* the outputs that have each of them inside the input */
    gm_span common_rows, common_columns;       /* the outputs that have all of them */
    uint32_t edges[MOST_EDGES];                /* bits of the taps of each output left and right of common_columns */
} tap_set;

/* Bit r: whether i is in span r. */
static inline uint32_t taps_inside_of(const gm_span *spans, uint32_t i)
{
    uint32_t found = 0;
    GM_UNROLL
    for (uint32_t r = 0; r < SET_TAPS; r++) {
        found |= (uint32_t)gm_inside(spans[r], i) << r;
    }
    return found;
}

/* Bits of the taps of an output of a row that does not have all. */
static inline uint32_t taps_at_edge(const tap_set *t, uint32_t column)
{
    gm_span middle = t->common_columns;
    uint32_t edge = column < middle.first ? column : column - (middle.end - middle.first);
    return edge < MOST_EDGES ? t->edges[edge] : taps_inside_of(t->columns, column);
}

static void find_taps_at_edges(tap_set *t, uint32_t columns)
{
    gm_span middle = t->common_columns;
    uint32_t gap = middle.end - middle.first;
    for (uint32_t edge = 0; edge < MOST_EDGES && edge < columns - gap; edge++) {
        t->edges[edge] = taps_inside_of(t->columns, edge < middle.first ? edge : edge + gap);
    }
}

/* The taps from `tap` on. If fewer are left, the last one is repeated. */
static tap_set tap_set_at(const gm_weight_gradient *w, uint32_t tap)
{
    const gm_window *window = &w->g.window;
    tap_set t = {.count = w->taps - tap < SET_TAPS ? w->taps - tap : SET_TAPS,
                 .common_rows = {0, window->out_h},
                 .common_columns = {0, window->out_w}};
    for (uint32_t r = 0; r < SET_TAPS; r++) {
        uint32_t own = tap + (r < t.count ? r : t.count - 1), k = own / window->kernel_w, l = own % window->kernel_w;
        t.offset[r] = (size_t)k * window->dilation_h * w->g.x.h + (size_t)l * window->dilation_w * w->g.x.w;
        t.rows[r] = w->rows[k], t.columns[r] = w->columns[l];
        t.common_rows = gm_both(t.common_rows, t.rows[r]);
        t.common_columns = gm_both(t.common_columns, t.columns[r]);
    }
    find_taps_at_edges(&t, window->out_w);
    return t;
}

/* sums[r] += dy x[r] over outputs of one row that have all taps r. x + at and dy: of the row's
 * first output; `at` wraps if that is outside the input. */
GM_SIMD_INLINE void add_outputs_with_all_taps(gm_vec *sums, const tap_set *t, const gm_conv_gradient *g, const float *x,
                                              size_t at, const float *dy, gm_span outputs, uint32_t columns,
                                              int grouped)
{
    size_t x_step = (size_t)g->window.stride_w * g->x.w;
    const float *tap_set[SET_TAPS];
    if (outputs.first >= outputs.end) { /* x + at may then be outside the input, for each tap */
        return;
    }
    at += outputs.first * x_step;
    dy += (size_t)outputs.first * g->dy.w;
    for (uint32_t r = 0; r < SET_TAPS; r++) {
        tap_set[r] = x + (at + t->offset[r]);
    }
    at = 0;
    for (uint32_t p = outputs.first; p < outputs.end; p++, at += x_step, dy += g->dy.w) {
        gm_vec gradient, value;
        gm_tile_load(&gradient, dy, columns, 1);
        GM_UNROLL
        for (uint32_t r = 0; r < SET_TAPS; r++) {
            if (grouped) {
                gm_tile_load(&value, tap_set[r] + at, columns, 1);
            }
            sums[r] = gm_vec_mac(sums[r], gradient, grouped ? value : gm_vec_splat(tap_set[r][at]));
        }
    }
}

/* sums[r] += dy x[r] for one output, for the taps r whose bit is set. x + at: the start of its
 * window; `at` wraps if that is outside the input. */
GM_SIMD_INLINE void add_output(gm_vec *sums, const tap_set *t, const float *x, size_t at, const float *dy,
                               uint32_t taps, uint32_t columns, int grouped)
{
    gm_vec gradient, value;
    gm_tile_load(&gradient, dy, columns, 1);
    GM_UNROLL
    for (uint32_t r = 0; r < SET_TAPS; r++) {
        if (taps >> r & 1) {
            const float *from = x + (at + t->offset[r]);
            if (grouped) {
                gm_tile_load(&value, from, columns, 1);
            }
            sums[r] = gm_vec_mac(sums[r], gradient, grouped ? value : gm_vec_splat(*from));
        }
    }
}

/* Outputs of one row that lack some taps. rows: bits of the taps whose kernel row is inside; edge:
 * whether some are outside the row. */
GM_SIMD_INLINE void add_outputs_at_edge(gm_vec *sums, const tap_set *t, const gm_conv_gradient *g, const float *x,
                                        size_t at, const float *dy, uint32_t rows, gm_span outputs, int edge,
                                        uint32_t columns, int grouped)
{
    for (uint32_t p = outputs.first; p < outputs.end; p++) {
        uint32_t taps = edge ? rows & taps_at_edge(t, p) : rows;
        add_output(sums, t, x, at + (size_t)p * g->window.stride_w * g->x.w, dy + (size_t)p * g->dy.w, taps, columns,
                   grouped);
    }
}

/* One row of outputs: those with all taps inside the row, and those on both sides. at: in x, the
 * start of the row's first window; it wraps if that is outside the input. taps: bits of those whose
 * kernel row is inside. */
typedef struct output_row {
    size_t at;
    gm_span left, middle, right;
    uint32_t taps;
} output_row;

static inline output_row output_row_of(const tap_set *t, const gm_conv_gradient *g, uint32_t o)
{
    const gm_window *w = &g->window;
    gm_span middle = t->common_columns;
    size_t row = (size_t)o * w->stride_h - w->pad_h;
    return (output_row){.at = row * g->x.h - (size_t)w->pad_w * g->x.w,
                        .left = {0, middle.first},
                        .middle = middle,
                        .right = {middle.end, w->out_w},
                        .taps = gm_inside(t->common_rows, o) ? ALL_TAPS : taps_inside_of(t->rows, o)};
}

/* All outputs of one sample with these x and dy. */
GM_SIMD_INLINE void add_image(gm_vec *sums, const tap_set *t, const gm_conv_gradient *g, const float *x,
                              const float *dy, uint32_t columns, int grouped)
{
    for (uint32_t o = 0; o < g->window.out_h; o++, dy += g->dy.h) {
        const output_row row = output_row_of(t, g, o);
        add_outputs_at_edge(sums, t, g, x, row.at, dy, row.taps, row.left, 1, columns, grouped);
        if (row.taps == ALL_TAPS) {
            add_outputs_with_all_taps(sums, t, g, x, row.at, dy, row.middle, columns, grouped);
        } else {
            add_outputs_at_edge(sums, t, g, x, row.at, dy, row.taps, row.middle, 0, columns, grouped);
        }
        add_outputs_at_edge(sums, t, g, x, row.at, dy, row.taps, row.right, 1, columns, grouped);
    }
}

#if GM_ARCH_AVX512

/* add_outputs_with_all_taps() for GM_TILE_COLUMNS output channels. */
GM_SIMD_INLINE_512 void add_outputs_with_all_taps_512(gm_wide *sums, const tap_set *t, const gm_conv_gradient *g,
                                                      const float *x, size_t at, const float *dy, gm_span outputs)
{
    size_t x_step = (size_t)g->window.stride_w * g->x.w;
    const float *inputs[SET_TAPS];
    if (outputs.first >= outputs.end) { /* x + at may then be outside the input, for each tap */
        return;
    }
    at += outputs.first * x_step;
    dy += (size_t)outputs.first * g->dy.w;
    for (uint32_t r = 0; r < SET_TAPS; r++) {
        inputs[r] = x + (at + t->offset[r]);
    }
    at = 0;
    for (uint32_t p = outputs.first; p < outputs.end; p++, at += x_step, dy += g->dy.w) {
        gm_wide gradient = gm_wide_load(dy);
        GM_UNROLL
        for (uint32_t r = 0; r < SET_TAPS; r++) {
            sums[r] = gm_wide_mac(sums[r], gradient, gm_wide_splat(inputs[r][at]));
        }
    }
}

/* add_outputs_at_edge() for as many. */
GM_SIMD_INLINE_512 void add_outputs_at_edge_512(gm_wide *sums, const tap_set *t, const gm_conv_gradient *g,
                                                const float *x, size_t at, const float *dy, uint32_t rows,
                                                gm_span outputs, int edge)
{
    for (uint32_t p = outputs.first; p < outputs.end; p++) {
        uint32_t taps = edge ? rows & taps_at_edge(t, p) : rows;
        size_t first = at + (size_t)p * g->window.stride_w * g->x.w;
        gm_wide gradient = gm_wide_load(dy + (size_t)p * g->dy.w);
        GM_UNROLL
        for (uint32_t r = 0; r < SET_TAPS; r++) {
            if (taps >> r & 1) {
                sums[r] = gm_wide_mac(sums[r], gradient, gm_wide_splat(x[first + t->offset[r]]));
            }
        }
    }
}

/* add_image() for as many. */
GM_SIMD_INLINE_512 void add_image_512(gm_wide *sums, const tap_set *t, const gm_conv_gradient *g, const float *x,
                                      const float *dy)
{
    for (uint32_t o = 0; o < g->window.out_h; o++, dy += g->dy.h) {
        const output_row row = output_row_of(t, g, o);
        add_outputs_at_edge_512(sums, t, g, x, row.at, dy, row.taps, row.left, 1);
        if (row.taps == ALL_TAPS) {
            add_outputs_with_all_taps_512(sums, t, g, x, row.at, dy, row.middle);
        } else {
            add_outputs_at_edge_512(sums, t, g, x, row.at, dy, row.taps, row.middle, 0);
        }
        add_outputs_at_edge_512(sums, t, g, x, row.at, dy, row.taps, row.right, 1);
    }
}

/* add_all_taps() for as many. */
static GM_SIMD_TARGET_512 void add_all_taps_512(const gm_conv_gradient *g, const tap_set *t, const float *x,
                                                const float *dy, float *values, uint32_t tap_step)
{
    gm_wide sums[SET_TAPS];
    GM_UNROLL
    for (uint32_t r = 0; r < SET_TAPS; r++) {
        sums[r] = gm_wide_load(values + (r < t->count ? r : 0) * tap_step);
    }
    add_image_512(sums, t, g, x, dy);
    GM_UNROLL
    for (uint32_t r = 0; r < SET_TAPS; r++) {
        if (r < t->count) {
            gm_wide_store(values + r * tap_step, sums[r]);
        }
    }
}

#endif

/* values[r,m] of the taps r and of `columns` adjacent output channels or
 * groups m, in one sample. */
GM_SIMD_INLINE void add_all_taps(const gm_conv_gradient *g, const tap_set *t, const float *x, const float *dy,
                                 float *values, uint32_t tap_step, uint32_t columns, int grouped)
{
    gm_vec sums[SET_TAPS];
    GM_UNROLL
    for (uint32_t r = 0; r < SET_TAPS; r++) {
        sums[r] = gm_vec_load(values + (r < t->count ? r : 0) * tap_step);
    }
    add_image(sums, t, g, x, dy, columns, grouped);
    GM_UNROLL
    for (uint32_t r = 0; r < SET_TAPS; r++) {
        if (r < t->count) {
            gm_vec_store(values + r * tap_step, sums[r]);
        }
    }
}

GM_SIMD_INLINE void add_groups_or_channels(const gm_weight_gradient *w, const tap_set *t, const float *x,
                                           const float *dy, float *values, const gm_gradient_sums *sums, int grouped)
{
    uint32_t m = 0;
#if GM_ARCH_AVX512
    for (; !grouped && sums->out_channels - m >= GM_TILE_COLUMNS && gm_simd_runs_512(); m += GM_TILE_COLUMNS) {
        add_all_taps_512(&w->g, t, x, dy + m, values + m, sums->tap_step);
    }
#endif
    for (; sums->out_channels - m >= GM_LANES; m += GM_LANES) {
        add_all_taps(&w->g, t, x + (grouped ? m : 0), dy + m, values + m, sums->tap_step, GM_LANES, grouped);
    }
    if (m < sums->out_channels) {
        add_all_taps(&w->g, t, x + (grouped ? m : 0), dy + m, values + m, sums->tap_step, sums->out_channels - m,
                     grouped);
    }
}

static GM_SIMD_TARGET void add_groups(const gm_weight_gradient *w, const tap_set *t, const float *x, const float *dy,
                                      float *values, const gm_gradient_sums *sums)
{
    add_groups_or_channels(w, t, x, dy, values, sums, 1);
}

static GM_SIMD_TARGET void add_out_channels(const gm_weight_gradient *w, const tap_set *t, const float *x,
                                            const float *dy, float *values, const gm_gradient_sums *sums)
{
    add_groups_or_channels(w, t, x, dy, values, sums, 0);
}

void gm_gradient_taps(const gm_weight_gradient *w, const float *x, const float *dy, gm_gradient_sums *sums)
{
    for (uint32_t b = 0; b < w->g.batch; b++, x += w->g.x.batch, dy += w->g.dy.batch) {
        for (uint32_t tap = 0; tap < w->taps; tap += SET_TAPS) {
            tap_set t = tap_set_at(w, tap);
            for (uint32_t c = 0; c < sums->in_channels; c++) {
                float *values = sums->values + c * sums->in_channel_step + tap * sums->tap_step;
                (w->grouped ? add_groups : add_out_channels)(w, &t, x + (size_t)c * w->g.x.channel, dy, values, sums);
            }
        }
    }
}

#endif
