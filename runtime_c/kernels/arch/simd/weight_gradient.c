#include "weight_gradient.h"
#include "tile.h"

#if GM_ARCH_SIMD && (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE)

/* Kernel cells of one kernel row whose sums are taken together. */
#define TAPS GM_TILE_ROWS

/* Outputs [first, end) whose kernel cell lies inside the input. */
typedef struct reach {
    uint32_t first, end;
} reach;

static reach outputs_of(uint32_t k, uint32_t stride, uint32_t dilation, uint32_t pad, uint32_t in, uint32_t out)
{
    uint32_t shift = k * dilation; /* o stride + shift - pad in 0 .. in - 1 */
    reach r = {shift < pad ? (pad - shift + stride - 1) / stride : 0, 0};
    r.end = in + pad > shift ? (in + pad - shift - 1) / stride + 1 : 0;
    r.end = r.end < out ? r.end : out;
    r.first = r.first < r.end ? r.first : r.end;
    return r;
}

static reach rows_of(const gm_window *w, uint32_t k)
{
    return outputs_of(k, w->stride_h, w->dilation_h, w->pad_h, w->in_h, w->out_h);
}

static reach columns_of(const gm_window *w, uint32_t l)
{
    return outputs_of(l, w->stride_w, w->dilation_w, w->pad_w, w->in_w, w->out_w);
}

/* x of the cell (k, l) of output (o, p), which lies inside. */
static const float *x_of(const gm_conv_gradient *g, const float *x, uint32_t b, uint32_t o, uint32_t p, uint32_t k,
                         uint32_t l)
{
    const gm_window *w = &g->window;
    uint32_t i = gm_input_index(o, k, w->stride_h, w->dilation_h, w->pad_h);
    uint32_t j = gm_input_index(p, l, w->stride_w, w->dilation_w, w->pad_w);
    return x + (size_t)b * g->x.batch + (size_t)i * g->x.h + (size_t)j * g->x.w;
}

static const float *dy_of(const gm_conv_gradient *g, const float *dy, uint32_t b, uint32_t o, uint32_t p)
{
    return dy + (size_t)b * g->dy.batch + (size_t)o * g->dy.h + (size_t)p * g->dy.w;
}

/* p[lane stride] for `lanes` of each of the vectors */
GM_SIMD_INLINE void load_sums(gm_vec *v, const float *p, size_t stride, uint32_t columns, uint32_t vectors, int accumulate)
{
    float line[GM_TILE_COLUMNS];
    for (uint32_t c = 0; c < vectors * GM_LANES; c++) {
        line[c] = accumulate && c < columns ? p[c * stride] : GM_EMPTY_SUM;
    }
    gm_tile_load(v, line, vectors * GM_LANES, vectors);
}

GM_SIMD_INLINE void store_sums(float *p, const gm_vec *v, size_t stride, uint32_t columns, uint32_t vectors)
{
    float line[GM_TILE_COLUMNS];
    gm_tile_store(line, v, vectors * GM_LANES, vectors);
    for (uint32_t c = 0; c < columns && c < vectors * GM_LANES; c++) {
        p[c * stride] = line[c];
    }
}

/* ---- Along channels: a tile of maps by channels of one kernel cell --------------------------------------------- */

/* Channels c to c + columns of `count` maps, GM_TILE_ROWS at most; rows: of the first map. */
GM_SIMD_INLINE void channels_of_cell(const gm_weight_gradient *w, const float *x, const float *dy, uint32_t count,
                                     uint32_t k, uint32_t l, uint32_t columns, uint32_t vectors, float *rows)
{
    const gm_conv_gradient *g = &w->g;
    reach o_reach = rows_of(&g->window, k), p_reach = columns_of(&g->window, l);
    uint32_t pixels = p_reach.end - p_reach.first;
    size_t cells = g->window.kernel_h * g->window.kernel_w, x_step = (size_t)g->window.stride_w * g->x.w;
    gm_vec sums[GM_TILE_ROWS * GM_TILE_VECTORS];
    GM_UNROLL
    for (uint32_t r = 0; r < GM_TILE_ROWS; r++) {
        load_sums(sums + r * vectors, rows + (r < count ? r : 0) * (size_t)w->size, cells, columns, vectors, w->accumulate);
    }
    for (uint32_t b = 0; b < g->batch && pixels > 0; b++) {
        for (uint32_t o = o_reach.first; o < o_reach.end; o++) {
            const float *from = x_of(g, x, b, o, p_reach.first, k, l);
            const float *a = dy_of(g, dy, b, o, p_reach.first), *maps[GM_TILE_ROWS];
            GM_UNROLL
            for (uint32_t r = 0; r < GM_TILE_ROWS; r++) {
                maps[r] = a + (r < count ? r : 0) * (size_t)g->dy.channel;
            }
            gm_tile_mac(sums, maps, g->dy.w, from, x_step, pixels, GM_TILE_ROWS, vectors);
        }
    }
    GM_UNROLL
    for (uint32_t r = 0; r < GM_TILE_ROWS; r++) {
        if (r < count) {
            store_sums(rows + r * (size_t)w->size, sums + r * vectors, cells, columns, vectors);
        }
    }
}

static GM_SIMD_TARGET void along_channels(const gm_weight_gradient *w, const float *x, const float *dy, uint32_t count,
                                          float *rows)
{
    const gm_window *window = &w->g.window;
    uint32_t cells = window->kernel_h * window->kernel_w;
    for (uint32_t cell = 0; cell < cells; cell++) {
        uint32_t k = cell / window->kernel_w, l = cell % window->kernel_w, c = 0;
        for (; w->g.channels - c >= GM_TILE_COLUMNS; c += GM_TILE_COLUMNS) {
            channels_of_cell(w, x + c, dy, count, k, l, GM_TILE_COLUMNS, GM_TILE_VECTORS, rows + c * cells + cell);
        }
        for (; w->g.channels - c >= GM_LANES; c += GM_LANES) {
            channels_of_cell(w, x + c, dy, count, k, l, GM_LANES, 1, rows + c * cells + cell);
        }
    }
}

/* ---- Along maps or groups: a tile of a kernel row's cells by maps ----------------------------------------------- */

/* Cells l to l + count of kernel row k. */
typedef struct taps {
    uint32_t k, l, count;
    reach rows, columns[TAPS], common; /* common: of all cells */
    uint32_t first, end;               /* of any */
} taps;

static taps taps_of(const gm_window *w, uint32_t k, uint32_t l)
{
    taps t = {.k = k, .l = l, .count = w->kernel_w - l < TAPS ? w->kernel_w - l : TAPS, .rows = rows_of(w, k),
              .common = {0, UINT32_MAX}, .first = UINT32_MAX};
    for (uint32_t r = 0; r < t.count; r++) {
        reach own = columns_of(w, l + r);
        t.columns[r] = own;
        t.common.first = own.first > t.common.first ? own.first : t.common.first;
        t.common.end = own.end < t.common.end ? own.end : t.common.end;
        t.first = own.first < t.first ? own.first : t.first;
        t.end = own.end > t.end ? own.end : t.end;
    }
    t.common.end = t.common.end > t.common.first ? t.common.end : t.common.first;
    return t;
}

/* sums[r] += dy x[r] of output column p, of the cells that it has there */
GM_SIMD_INLINE void add_edge(gm_vec *sums, const taps *t, const gm_conv_gradient *g, const float *x, const float *dy,
                             uint32_t b, uint32_t o, uint32_t p, uint32_t columns, uint32_t vectors, int grouped)
{
    gm_vec slope[GM_TILE_VECTORS], value[GM_TILE_VECTORS];
    gm_tile_load(slope, dy_of(g, dy, b, o, p), columns, vectors);
    GM_UNROLL
    for (uint32_t r = 0; r < TAPS; r++) {
        if (r < t->count && p >= t->columns[r].first && p < t->columns[r].end) {
            const float *at = x_of(g, x, b, o, p, t->k, t->l + r);
            if (grouped) {
                gm_tile_load(value, at, columns, vectors);
            }
            GM_UNROLL
            for (uint32_t v = 0; v < vectors; v++) {
                gm_vec factor = grouped ? value[v] : gm_vec_splat(*at);
                sums[r * vectors + v] = gm_vec_mac(sums[r * vectors + v], slope[v], factor);
            }
        }
    }
}

/* The same of output columns that have all cells. */
GM_SIMD_INLINE void add_common(gm_vec *sums, const taps *t, const gm_conv_gradient *g, const float *x, const float *dy,
                               uint32_t b, uint32_t o, uint32_t columns, uint32_t vectors, int grouped)
{
    const float *at[TAPS], *slopes = dy_of(g, dy, b, o, t->common.first);
    size_t x_step = (size_t)g->window.stride_w * g->x.w, offset = 0;
    for (uint32_t r = 0; r < TAPS; r++) {
        at[r] = x_of(g, x, b, o, t->common.first, t->k, t->l + (r < t->count ? r : 0));
    }
    for (uint32_t p = t->common.first; p < t->common.end; p++, offset += x_step, slopes += g->dy.w) {
        gm_vec slope[GM_TILE_VECTORS], value[GM_TILE_VECTORS];
        gm_tile_load(slope, slopes, columns, vectors);
        GM_UNROLL
        for (uint32_t r = 0; r < TAPS; r++) {
            if (grouped) {
                gm_tile_load(value, at[r] + offset, columns, vectors);
            }
            GM_UNROLL
            for (uint32_t v = 0; v < vectors; v++) {
                gm_vec factor = grouped ? value[v] : gm_vec_splat(at[r][offset]);
                sums[r * vectors + v] = gm_vec_mac(sums[r * vectors + v], slope[v], factor);
            }
        }
    }
}

/* The cells of t of channel c, for `columns` neighbouring maps or groups; row: of the first one and the first cell */
GM_SIMD_INLINE void sum_taps(const gm_weight_gradient *w, const taps *t, const float *x, const float *dy, float *row,
                             uint32_t columns, uint32_t vectors, int grouped)
{
    const gm_conv_gradient *g = &w->g;
    gm_vec sums[TAPS * GM_TILE_VECTORS];
    GM_UNROLL
    for (uint32_t r = 0; r < TAPS; r++) {
        load_sums(sums + r * vectors, row + (r < t->count ? r : 0), w->size, columns, vectors, w->accumulate);
    }
    for (uint32_t b = 0; b < g->batch; b++) {
        for (uint32_t o = t->rows.first; o < t->rows.end; o++) {
            uint32_t p = t->first;
            for (; p < t->end && p < t->common.first; p++) {
                add_edge(sums, t, g, x, dy, b, o, p, columns, vectors, grouped);
            }
            if (p < t->common.end) {
                add_common(sums, t, g, x, dy, b, o, columns, vectors, grouped);
                p = t->common.end;
            }
            for (; p < t->end; p++) {
                add_edge(sums, t, g, x, dy, b, o, p, columns, vectors, grouped);
            }
        }
    }
    GM_UNROLL
    for (uint32_t r = 0; r < TAPS; r++) {
        if (r < t->count) {
            store_sums(row + r, sums + r * vectors, w->size, columns, vectors);
        }
    }
}

static GM_SIMD_TARGET void along_maps(const gm_weight_gradient *w, const taps *t, const float *x, const float *dy,
                                      uint32_t count, float *row)
{
    uint32_t m = 0;
    for (; count - m >= GM_TILE_COLUMNS; m += GM_TILE_COLUMNS) {
        sum_taps(w, t, x, dy + m, row + (size_t)m * w->size, GM_TILE_COLUMNS, GM_TILE_VECTORS, 0);
    }
    for (; count - m >= GM_LANES; m += GM_LANES) {
        sum_taps(w, t, x, dy + m, row + (size_t)m * w->size, GM_LANES, 1, 0);
    }
    if (m < count) {
        sum_taps(w, t, x, dy + m, row + (size_t)m * w->size, count - m, 1, 0);
    }
}

static GM_SIMD_TARGET void along_groups(const gm_weight_gradient *w, const taps *t, const float *x, const float *dy,
                                        uint32_t count, float *row)
{
    uint32_t m = 0;
    for (; count - m >= GM_TILE_COLUMNS; m += GM_TILE_COLUMNS) {
        sum_taps(w, t, x + m, dy + m, row + (size_t)m * w->size, GM_TILE_COLUMNS, GM_TILE_VECTORS, 1);
    }
    for (; count - m >= GM_LANES; m += GM_LANES) {
        sum_taps(w, t, x + m, dy + m, row + (size_t)m * w->size, GM_LANES, 1, 1);
    }
    if (m < count) {
        sum_taps(w, t, x + m, dy + m, row + (size_t)m * w->size, count - m, 1, 1);
    }
}

static void all_taps(const gm_weight_gradient *w, const float *x, const float *dy, uint32_t count, float *rows)
{
    const gm_window *window = &w->g.window;
    for (uint32_t c = 0; c < w->g.channels; c++) {
        for (uint32_t k = 0; k < window->kernel_h; k++) {
            for (uint32_t l = 0; l < window->kernel_w; l += TAPS) {
                taps t = taps_of(window, k, l);
                float *row = rows + (size_t)(c * window->kernel_h + k) * window->kernel_w + l;
                (w->form == GM_ALONG_MAPS ? along_maps : along_groups)(w, &t, x + c * w->g.x.channel, dy, count, row);
            }
        }
    }
}

/* ---- Choice ---------------------------------------------------------------------------------------------------- */

/* Pixels of 1x1 windows that touch are one row. */
static void join_rows(gm_conv_gradient *g)
{
    gm_window *w = &g->window;
    int single = w->kernel_h * w->kernel_w == 1 && w->stride_h == 1 && w->stride_w == 1 && w->pad_h == 0 && w->pad_w == 0;
    if (!single || w->in_h != w->out_h || w->in_w != w->out_w || g->x.h != w->in_w * g->x.w ||
        g->dy.h != w->out_w * g->dy.w) {
        return;
    }
    w->in_w *= w->in_h, w->out_w *= w->out_h;
    w->in_h = 1, w->out_h = 1;
    if (g->x.batch == w->in_w * g->x.w && g->dy.batch == w->out_w * g->dy.w) {
        w->in_w *= g->batch, w->out_w *= g->batch;
        g->batch = 1;
    }
}

void gm_weight_gradient_start(gm_weight_gradient *w)
{
    gm_conv_gradient *g = &w->g;
    w->size = g->channels * g->window.kernel_h * g->window.kernel_w;
    w->form = GM_ALONG_NOTHING;
    if (!gm_simd_runs()) {
        return;
    }
    join_rows(g);
    if (g->channels == 1 && w->maps == 1) {
        w->form = g->x.group == 1 && g->dy.group == 1 ? GM_ALONG_GROUPS : GM_ALONG_NOTHING;
    } else if (g->x.channel == 1 && g->channels % GM_LANES == 0) {
        w->form = GM_ALONG_CHANNELS;
    } else if (g->dy.channel == 1 && w->maps >= GM_LANES / 2) {
        w->form = GM_ALONG_MAPS;
    }
}

void gm_weight_gradient_rows(const gm_weight_gradient *w, const float *x, const float *dy, uint32_t count, float *rows)
{
    if (w->form != GM_ALONG_CHANNELS) {
        all_taps(w, x, dy, count, rows);
        return;
    }
    for (uint32_t m = 0; m < count; m += GM_TILE_ROWS) {
        uint32_t own = count - m < GM_TILE_ROWS ? count - m : GM_TILE_ROWS;
        along_channels(w, x, dy + (size_t)m * w->g.dy.channel, own, rows + (size_t)m * w->size);
    }
}

#endif

#if GM_ARCH_SIMD && GM_WITH_CONV_GRAD_W

int gm_simd_conv_grad_w(const struct gm_session *session, const gm_insn_conv_grad_w *insn)
{
    gm_weight_gradient w = {.g = GM_CONV_GRADIENT(insn), .groups = insn->groups, .maps = insn->maps,
                            .accumulate = insn->accumulate != 0};
    const float *x = gm_f32(session, insn->x), *dy = gm_f32(session, insn->dy);
    float *rows = gm_f32_out(session, insn->y);
    gm_weight_gradient_start(&w);
    if (w.form == GM_ALONG_NOTHING) {
        return 0;
    }
    if (w.form == GM_ALONG_GROUPS) {
        gm_weight_gradient_rows(&w, x, dy, insn->groups, rows);
        return 1;
    }
    for (uint32_t group = 0; group < insn->groups; group++) {
        gm_weight_gradient_rows(&w, x + (size_t)group * insn->x_group, dy + (size_t)group * insn->y_group, insn->maps,
                                rows + (size_t)group * insn->maps * w.size);
    }
    return 1;
}

#endif

#if GM_ARCH_SIMD && GM_WITH_CONV_UPDATE

/* `count` maps or groups from the first of x and dy on: their gradients, then the rule. */
static void update_rows(const gm_weight_gradient *w, const float *x, const float *dy, uint32_t count, gm_rule_args *args)
{
    float rows[GM_PANEL_FLOATS];
    uint32_t most = GM_PANEL_FLOATS / w->size;
    most = most > GM_TILE_COLUMNS ? most / GM_TILE_COLUMNS * GM_TILE_COLUMNS : most;
    size_t x_step = w->form == GM_ALONG_GROUPS ? w->g.x.group : 0;
    size_t dy_step = w->form == GM_ALONG_GROUPS ? w->g.dy.group : w->g.dy.channel;
    for (uint32_t first = 0; first < count; first += most) {
        uint32_t own = count - first < most ? count - first : most;
        gm_weight_gradient_rows(w, x + first * x_step, dy + first * dy_step, own, rows);
        args->g = rows;
        args->n = own * w->size;
        gm_rules[*(const uint32_t *)args->rule](args);
        gm_rule_advance(args);
    }
}

int gm_simd_conv_update(const struct gm_session *session, const gm_insn_conv_update *insn, gm_rule_args *args)
{
    gm_weight_gradient w = {.g = GM_CONV_GRADIENT(insn), .groups = insn->groups, .maps = insn->maps};
    const float *x = gm_f32(session, insn->x), *dy = gm_f32(session, insn->dy);
    gm_weight_gradient_start(&w);
    if (w.form == GM_ALONG_NOTHING || w.size > GM_PANEL_FLOATS / GM_TILE_ROWS) {
        return 0;
    }
    if (w.form == GM_ALONG_GROUPS) {
        update_rows(&w, x, dy, insn->groups, args);
        return 1;
    }
    for (uint32_t group = 0; group < insn->groups; group++) {
        update_rows(&w, x + (size_t)group * insn->x_group, dy + (size_t)group * insn->y_group, insn->maps, args);
    }
    return 1;
}

#endif
