#include "tile.h"
#include "weight_gradient.h"

#if GM_ARCH_SIMD && (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE)

/* Output channels and neighbouring taps of a kernel row whose sums are taken together: with an
 * input of each tap and a slope, they fill 16 registers. */
#define OUT_CHANNELS GM_STRIP_OUT_CHANNELS
#define TAPS 3u

/* The outputs of a block, roughly: their slopes and inputs stay in the first cache while all sums
 * pass by. */
#define OUTPUTS 64u

/* Neighbouring outputs of a row that have the same taps [tap, tap + taps) of a strip, which may be
 * none. Offsets of the first one's slope and of its input under `tap`: from the row's, by modular
 * arithmetic. */
typedef struct output_run {
    uint32_t outputs, tap, taps;
    size_t x, dy;
} output_run;

/* Up to TAPS taps of a kernel row, and all outputs of a row. Steps, in floats, to the next output
 * and tap. */
typedef struct tap_strip {
    const gm_conv_gradient *g;
    uint32_t taps, count;
    size_t x_step, tap_step;
    output_run runs[2 * TAPS + 1];
} tap_strip;

/* From output p on; columns: the outputs that have each of the strip's taps */
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

/* column: the first tap's */
static tap_strip strip_at(const gm_weight_gradient *w, uint32_t column)
{
    const gm_window *v = &w->g.window;
    uint32_t left = v->kernel_w - column;
    tap_strip s = {&w->g, left < TAPS ? left : TAPS, 0, (size_t)v->stride_w * w->g.x.w,
                   (size_t)v->dilation_w * w->g.x.w, {{0}}};
    for (uint32_t p = 0; p < v->out_w; p += s.runs[s.count++].outputs) {
        output_run r = run_at(w->columns + column, s.taps, p, v->out_w);
        r.x = p * s.x_step + (column + r.tap) * s.tap_step - (size_t)v->pad_w * w->g.x.w;
        r.dy = (size_t)p * w->g.dy.w;
        s.runs[s.count] = r;
    }
    return s;
}

/* tile[m,l] += dy[m] x[l] of `count` outputs that have the taps l in first..first+taps; x: under
 * the first */
GM_SIMD_INLINE void add_outputs(gm_vec *tile, const tap_strip *s, const float *x, const float *dy, uint32_t count,
                                uint32_t first, uint32_t taps)
{
    size_t x_step = s->x_step, tap_step = s->tap_step, dy_step = s->g->dy.w, out_channel_step = s->g->dy.channel;
    for (; count > 0; count--, x += x_step, dy += dy_step) {
        gm_vec inputs[TAPS];
        GM_UNROLL
        for (uint32_t l = 0; l < taps; l++) {
            inputs[l] = gm_vec_load(x + l * tap_step);
        }
        GM_UNROLL
        for (uint32_t m = 0; m < OUT_CHANNELS; m++) {
            gm_vec slope = gm_vec_splat(dy[m * out_channel_step]), *sums = tile + m * TAPS + first;
            GM_UNROLL
            for (uint32_t l = 0; l < taps; l++) {
                sums[l] = gm_vec_mac(sums[l], slope, inputs[l]);
            }
        }
    }
}

/* x and dy: of the row */
GM_SIMD_INLINE void add_output_run(gm_vec *tile, const tap_strip *s, const output_run *r, const float *x,
                                   const float *dy)
{
    x += r->x;
    dy += r->dy;
    switch (r->taps * TAPS + r->tap) {
    case 3 * TAPS: add_outputs(tile, s, x, dy, r->outputs, 0, 3); break;
    case 2 * TAPS: add_outputs(tile, s, x, dy, r->outputs, 0, 2); break;
    case 2 * TAPS + 1: add_outputs(tile, s, x, dy, r->outputs, 1, 2); break;
    case 1 * TAPS: add_outputs(tile, s, x, dy, r->outputs, 0, 1); break;
    case 1 * TAPS + 1: add_outputs(tile, s, x, dy, r->outputs, 1, 1); break;
    case 1 * TAPS + 2: add_outputs(tile, s, x, dy, r->outputs, 2, 1); break;
    default: break;
    }
}

/* MAPS output channels by GM_LANES channels, of output rows that have kernel row k. x and dy: of
 * the first channel and output channel in the image; values: of the first tap, output channel and
 * channel */
GM_SIMD_INLINE void add_tile(const tap_strip *s, uint32_t k, gm_span rows, const float *x, const float *dy,
                             float *values, const gm_gradient_sums *sums)
{
    const gm_window *v = &s->g->window;
    gm_vec tile[OUT_CHANNELS * TAPS];
    GM_UNROLL
    for (uint32_t i = 0; i < OUT_CHANNELS * TAPS; i++) {
        uint32_t tap = i % TAPS < s->taps ? i % TAPS : 0;
        tile[i] = gm_vec_load(values + i / TAPS * sums->out_channel_step + tap * sums->tap_step);
    }
    for (uint32_t o = rows.first; o < rows.end; o++) {
        uint32_t row = gm_input_index(o, k, v->stride_h, v->dilation_h, v->pad_h);
        for (uint32_t i = 0; i < s->count; i++) {
            add_output_run(tile, s, &s->runs[i], x + (size_t)row * s->g->x.h, dy + (size_t)o * s->g->dy.h);
        }
    }
    GM_UNROLL
    for (uint32_t i = 0; i < OUT_CHANNELS * TAPS; i++) {
        if (i % TAPS < s->taps) {
            gm_vec_store(values + i / TAPS * sums->out_channel_step + i % TAPS * sums->tap_step, tile[i]);
        }
    }
}

/* All output channels and channels */
static GM_SIMD_TARGET void add_tiles(const tap_strip *s, uint32_t k, gm_span rows, const float *x, const float *dy,
                                     float *values, const gm_gradient_sums *sums)
{
    for (uint32_t c = 0; c < sums->in_channels; c += GM_LANES) {
        for (uint32_t m = 0; m < sums->out_channels; m += OUT_CHANNELS) {
            add_tile(s, k, rows, x + c, dy + (size_t)m * s->g->dy.channel,
                     values + (size_t)m * sums->out_channel_step + c, sums);
        }
    }
}

/* Output rows of an image; x and dy: of the image */
static void add_row_block(const gm_weight_gradient *w, const float *x, const float *dy, gm_span rows,
                          gm_gradient_sums *sums)
{
    const gm_window *v = &w->g.window;
    for (uint32_t l = 0; l < v->kernel_w; l += TAPS) {
        tap_strip s = strip_at(w, l);
        for (uint32_t k = 0; k < v->kernel_h; k++) {
            add_tiles(&s, k, gm_both(rows, w->rows[k]), x, dy,
                      sums->values + (size_t)(k * v->kernel_w + l) * sums->tap_step,
                      sums);
        }
    }
}

void gm_gradient_strips(const gm_weight_gradient *w, const float *x, const float *dy, gm_gradient_sums *sums)
{
    const gm_window *v = &w->g.window;
    uint32_t height = v->out_w < OUTPUTS ? OUTPUTS / v->out_w : 1;
    for (uint32_t b = 0; b < w->g.batch; b++, x += w->g.x.batch, dy += w->g.dy.batch) {
        for (uint32_t o = 0; o < v->out_h; o += height) {
            add_row_block(w, x, dy, (gm_span){o, v->out_h - o < height ? v->out_h : o + height}, sums);
        }
    }
}

#endif
