#include "tile.h"
#include "weight_gradient.h"

#if GM_ARCH_SIMD && (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE)

/* Kernel taps whose sums are taken together. */
#define TAPS 9u

typedef struct taps {
    uint32_t count;
    size_t offset[TAPS];          /* from the first tap of a window, which may lie outside of the input */
    gm_span rows[TAPS], columns[TAPS], common_rows, common_columns; /* common: outputs that have all */
} taps;

/* Those from `tap` on; behind the last tap it stands again. */
static taps taps_of(const gm_weight_gradient *w, uint32_t tap)
{
    const gm_window *window = &w->g.window;
    taps t = {.count = w->taps - tap < TAPS ? w->taps - tap : TAPS, .common_rows = {0, UINT32_MAX},
              .common_columns = {0, UINT32_MAX}};
    for (uint32_t r = 0; r < TAPS; r++) {
        uint32_t own = tap + (r < t.count ? r : t.count - 1), k = own / window->kernel_w, l = own % window->kernel_w;
        t.offset[r] = (size_t)k * window->dilation_h * w->g.x.h + (size_t)l * window->dilation_w * w->g.x.w;
        t.rows[r] = w->rows[k], t.columns[r] = w->columns[l];
        t.common_rows = gm_both(t.common_rows, t.rows[r]);
        t.common_columns = gm_both(t.common_columns, t.columns[r]);
    }
    return t;
}

/* sums[r] += dy x[r] of outputs [first, end) of one row, which have all taps; x and dy: of the
 * row's first output, by modular arithmetic where that lies outside */
GM_SIMD_INLINE void add_common(gm_vec *sums, const taps *t, const gm_conv_gradient *g, const float *x, size_t at,
                               const float *dy, gm_span outputs, uint32_t columns, int grouped)
{
    size_t x_step = (size_t)g->window.stride_w * g->x.w;
    const float *taps[TAPS];
    at += outputs.first * x_step;
    dy += (size_t)outputs.first * g->dy.w;
    for (uint32_t r = 0; r < TAPS; r++) {
        taps[r] = x + (at + t->offset[r]);
    }
    at = 0;
    for (uint32_t p = outputs.first; p < outputs.end; p++, at += x_step, dy += g->dy.w) {
        gm_vec slope, value;
        gm_tile_load(&slope, dy, columns, 1);
        GM_UNROLL
        for (uint32_t r = 0; r < TAPS; r++) {
            if (grouped) {
                gm_tile_load(&value, taps[r] + at, columns, 1);
            }
            sums[r] = gm_vec_mac(sums[r], slope, grouped ? value : gm_vec_splat(taps[r][at]));
        }
    }
}

/* Bit r: whether the outputs of span r have i. */
static inline uint32_t members(const gm_span *spans, uint32_t i)
{
    uint32_t found = 0;
    GM_UNROLL
    for (uint32_t r = 0; r < TAPS; r++) {
        found |= (uint32_t)gm_inside(spans[r], i) << r;
    }
    return found;
}

/* The same of outputs that lack some taps; rows: the taps that their row has */
GM_SIMD_INLINE void add_edge(gm_vec *sums, const taps *t, const gm_conv_gradient *g, const float *x, size_t at,
                             const float *dy, uint32_t rows, gm_span outputs, uint32_t columns, int grouped)
{
    for (uint32_t p = outputs.first; p < outputs.end; p++) {
        uint32_t found = rows & members(t->columns, p);
        size_t pixel = at + (size_t)p * g->window.stride_w * g->x.w;
        gm_vec slope, value;
        gm_tile_load(&slope, dy + (size_t)p * g->dy.w, columns, 1);
        GM_UNROLL
        for (uint32_t r = 0; r < TAPS; r++) {
            if (found >> r & 1) {
                const float *from = x + (pixel + t->offset[r]);
                if (grouped) {
                    gm_tile_load(&value, from, columns, 1);
                }
                sums[r] = gm_vec_mac(sums[r], slope, grouped ? value : gm_vec_splat(*from));
            }
        }
    }
}

/* All outputs of one image; x and dy: of the image */
GM_SIMD_INLINE void add_image(gm_vec *sums, const taps *t, const gm_conv_gradient *g, const float *x, const float *dy,
                              uint32_t columns, int grouped)
{
    const gm_window *w = &g->window;
    for (uint32_t o = 0; o < w->out_h; o++, dy += g->dy.h) {
        size_t row = (size_t)o * w->stride_h - w->pad_h;
        size_t at = row * g->x.h - (size_t)w->pad_w * g->x.w;
        gm_span all = gm_inside(t->common_rows, o) ? t->common_columns : (gm_span){w->out_w, w->out_w};
        uint32_t rows = members(t->rows, o);
        add_edge(sums, t, g, x, at, dy, rows, (gm_span){0, all.first}, columns, grouped);
        if (all.first < all.end) {
            add_common(sums, t, g, x, at, dy, all, columns, grouped);
        }
        add_edge(sums, t, g, x, at, dy, rows, (gm_span){all.end, w->out_w}, columns, grouped);
    }
}

/* values[r,m] of the taps r, of `columns` neighbouring output channels or groups m */
GM_SIMD_INLINE void add_all_taps(const gm_conv_gradient *g, const taps *t, const float *x, const float *dy,
                                 float *values, uint32_t tap_step, uint32_t columns, int grouped)
{
    gm_vec sums[TAPS];
    GM_UNROLL
    for (uint32_t r = 0; r < TAPS; r++) {
        sums[r] = gm_vec_load(values + (r < t->count ? r : 0) * tap_step);
    }
    add_image(sums, t, g, x, dy, columns, grouped);
    GM_UNROLL
    for (uint32_t r = 0; r < TAPS; r++) {
        if (r < t->count) {
            gm_vec_store(values + r * tap_step, sums[r]);
        }
    }
}

GM_SIMD_INLINE void add_groups_or_channels(const gm_weight_gradient *w, const taps *t, const float *x, const float *dy,
                                           float *values, const gm_gradient_sums *sums, int grouped)
{
    uint32_t m = 0;
    for (; sums->out_channels - m >= GM_LANES; m += GM_LANES) {
        add_all_taps(&w->g, t, x + (grouped ? m : 0), dy + m, values + m, sums->tap_step, GM_LANES, grouped);
    }
    if (m < sums->out_channels) {
        add_all_taps(&w->g, t, x + (grouped ? m : 0), dy + m, values + m, sums->tap_step, sums->out_channels - m,
                     grouped);
    }
}

static GM_SIMD_TARGET void add_groups(const gm_weight_gradient *w, const taps *t, const float *x, const float *dy,
                                      float *values, const gm_gradient_sums *sums)
{
    add_groups_or_channels(w, t, x, dy, values, sums, 1);
}

static GM_SIMD_TARGET void add_out_channels(const gm_weight_gradient *w, const taps *t, const float *x, const float *dy,
                                            float *values, const gm_gradient_sums *sums)
{
    add_groups_or_channels(w, t, x, dy, values, sums, 0);
}

void gm_gradient_taps(const gm_weight_gradient *w, const float *x, const float *dy, gm_gradient_sums *sums)
{
    for (uint32_t b = 0; b < w->g.batch; b++, x += w->g.x.batch, dy += w->g.dy.batch) {
        for (uint32_t tap = 0; tap < w->taps; tap += TAPS) {
            taps t = taps_of(w, tap);
            for (uint32_t c = 0; c < sums->in_channels; c++) {
                float *values = sums->values + c * sums->in_channel_step + tap * sums->tap_step;
                (w->grouped ? add_groups : add_out_channels)(w, &t, x + (size_t)c * w->g.x.channel, dy, values, sums);
            }
        }
    }
}

#endif
