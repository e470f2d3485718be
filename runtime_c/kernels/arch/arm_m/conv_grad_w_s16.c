/*
 * CONV_GRAD_W_S16 on Cortex-M: the matrix product of output gradients and inputs, both as pairs of
 * neighbouring outputs in the panel. Inputs of some columns of the gradient stay there while all
 * output channels pass, two at a time.
 */
#include "conv_grad_s16.h"

#include "../../conv_gradient_s16.h"
#include "blocks/dsp.h"
#include "blocks/pairs.h"

#if GM_ARCH_CONV_GRAD_W_S16

/* Words whose products an int32 sum of a tile can take, whatever the numbers are: 256 outputs. */
#define MOST_WORDS 128u

typedef struct grad_w {
    const gm_conv_gradient_s8 *g;
    uint32_t rows, columns;   /* of outputs */
    uint32_t row_words, words;
    uint32_t at_once;         /* neighbouring channels that are one tile's columns, 4 or 1 */
    uint32_t taps, tiles;
    uint32_t *panel;
    float unit;
    uint32_t accumulate;
} grad_w;

/* The columns of a tile in a row of the gradient: 4 channels of one tap, or neighbours where
 * channels are fewer. */
typedef struct tile_columns {
    uint32_t channel, tap;       /* of the first column */
    uint32_t first, step, count;
} tile_columns;

static tile_columns columns_of(const grad_w *w, uint32_t tile)
{
    uint32_t channels = w->g->in_channels, size = channels * w->taps;
    if (w->at_once == 1) {
        uint32_t first = tile * GM_PAIR_COLUMNS, left = size - first;
        return (tile_columns){0, 0, first, 1, left < GM_PAIR_COLUMNS ? left : GM_PAIR_COLUMNS};
    }
    uint32_t blocks = (channels + 3) / 4, channel = tile % blocks * 4, tap = tile / blocks, left = channels - channel;
    return (tile_columns){channel, tap, channel * w->taps + tap, w->taps, left < GM_PAIR_COLUMNS ? left : GM_PAIR_COLUMNS};
}

/* Moves on to the next tile. */
static inline void next_columns(const grad_w *w, tile_columns *t)
{
    uint32_t channels = w->g->in_channels;
    if (w->at_once == 1) {
        uint32_t left = channels * w->taps - (t->first + GM_PAIR_COLUMNS);
        t->first += GM_PAIR_COLUMNS;
        t->count = left < GM_PAIR_COLUMNS ? left : GM_PAIR_COLUMNS;
        return;
    }
    t->channel += GM_PAIR_COLUMNS;
    if (t->channel >= channels) {
        t->channel = 0;
        t->tap++;
    }
    t->first = t->channel * w->taps + t->tap;
    t->count = channels - t->channel < GM_PAIR_COLUMNS ? channels - t->channel : GM_PAIR_COLUMNS;
}

/* ---- Inputs ---------------------------------------------------------------------------------- */

/* One row of outputs under one tap, of `channels` neighbouring channels. x: its row of inputs. */
static uint32_t *pack_row_of_four(const grad_w *w, const int8_t *x, uint32_t l, uint32_t channels, uint32_t *to)
{
    const gm_window *v = &w->g->window;
    gm_span inside = gm_valid_outputs(l, v->stride_w, v->dilation_w, v->pad_w, v->in_w, w->columns);
    uint32_t step = v->stride_w * w->g->x.w, first = inside.first + (inside.first & 1), end = inside.end & ~1u;
    const int8_t *from = x + gm_input_index(0, l, 1, v->dilation_w, v->pad_w) * w->g->x.w;
    if (first >= end) {
        first = end = w->columns;
    }
    for (uint32_t p = 0; p < w->columns;) {
        if (p == first) {
            to = gm_pair_columns(to, from + first * step, end - first, step, channels, w->g->x.channel, w->g->x_zero);
            p = end;
            continue;
        }
        uint32_t left = p - inside.first < inside.end - inside.first, right = p + 1 - inside.first < inside.end - inside.first;
        if (left && right) {
            to = gm_pair_columns(to, from + p * step, 2, step, channels, w->g->x.channel, w->g->x_zero);
        } else if (left) {
            to = gm_pair_columns(to, from + p * step, 1, step, channels, w->g->x.channel, w->g->x_zero);
        } else if (right) {
            to = gm_pair_columns(to, from + (p + 1) * step, 1, step, channels, w->g->x.channel, w->g->x_zero);
            for (uint32_t c = 0; c < GM_PAIR_COLUMNS; c++) {
                to[c - GM_PAIR_COLUMNS] <<= 16;
            }
        } else {
            to[0] = 0, to[1] = 0, to[2] = 0, to[3] = 0;
            to += GM_PAIR_COLUMNS;
        }
        p += 2;
    }
    return to;
}

/* The same of one channel, in one column of a tile. */
static uint32_t *pack_row_of_one(const grad_w *w, const int8_t *x, uint32_t l, uint32_t *to)
{
    const gm_window *v = &w->g->window;
    int32_t left = 0;
    for (uint32_t p = 0; p < w->columns; p++) {
        uint32_t j = gm_input_index(p, l, v->stride_w, v->dilation_w, v->pad_w);
        int32_t value = j < v->in_w ? x[j * w->g->x.w] - w->g->x_zero : 0;
        if (p % 2 > 0 || p + 1 == w->columns) {
            *to = p % 2 > 0 ? gm_pair(left, value) : gm_pair(value, 0);
            to += GM_PAIR_COLUMNS;
        }
        left = value;
    }
    return to;
}

/* All outputs under tap (k, l). channels: 0 for one column of a tile alone. x: of the channel. */
static void pack_tap(const grad_w *w, const int8_t *x, uint32_t k, uint32_t l, uint32_t channels, uint32_t *to)
{
    const gm_window *v = &w->g->window;
    for (uint32_t b = 0; b < w->g->batch; b++) {
        for (uint32_t o = 0; o < w->rows; o++) {
            uint32_t i = gm_input_index(o, k, v->stride_h, v->dilation_h, v->pad_h);
            const int8_t *row = x + b * w->g->x.batch + i * w->g->x.h;
            if (channels > 0) {
                to = i < v->in_h ? pack_row_of_four(w, row, l, channels, to)
                                 : gm_pair_zeros(to, 1, GM_PAIR_COLUMNS * w->row_words);
            } else {
                to = i < v->in_h ? pack_row_of_one(w, row, l, to) : gm_pair_zeros(to, GM_PAIR_COLUMNS, w->row_words);
            }
        }
    }
}

static void pack_tile(const grad_w *w, const int8_t *x, uint32_t tile, uint32_t *to)
{
    const gm_conv_gradient_s8 *g = w->g;
    const tile_columns t = columns_of(w, tile);
    if (w->at_once > 1) {
        pack_tap(w, x + t.channel * g->x.channel, t.tap / g->window.kernel_w, t.tap % g->window.kernel_w, t.count, to);
        return;
    }
    for (uint32_t i = 0; i < GM_PAIR_COLUMNS; i++, to++) {
        uint32_t channel = (t.first + i) / w->taps, tap = (t.first + i) % w->taps;
        if (i < t.count) {
            pack_tap(w, x + channel * g->x.channel, tap / g->window.kernel_w, tap % g->window.kernel_w, 0, to);
        } else {
            gm_pair_zeros(to, GM_PAIR_COLUMNS, w->words);
        }
    }
}

/* ---- Output gradients ------------------------------------------------------------------------ */

/* A row of outputs of 1 or 2 channels. */
static uint32_t *pack_row_of_outputs(const grad_w *w, const int16_t *dy, uint32_t channels, uint32_t *to)
{
    const gm_layout *s = &w->g->dy;
    uint32_t second = channels > 1 ? s->channel : 0, p = w->columns;
    if (second == 1) {
        return gm_pair_two_gradients(to, dy, p, s->w);
    }
    for (; p >= 2; p -= 2, dy += 2 * s->w, to += GM_PAIR_ROWS) {
        to[0] = gm_pair(dy[0], dy[s->w]);
        to[1] = gm_pair(dy[second], dy[s->w + second]);
    }
    if (p > 0) {
        to[0] = gm_pair(dy[0], 0);
        to[1] = gm_pair(dy[second], 0);
        to += GM_PAIR_ROWS;
    }
    return to;
}

static void pack_channels(const grad_w *w, const int16_t *dy, uint32_t channels, uint32_t *to)
{
    for (uint32_t b = 0; b < w->g->batch; b++) {
        for (uint32_t o = 0; o < w->rows; o++) {
            to = pack_row_of_outputs(w, dy + b * w->g->dy.batch + o * w->g->dy.h, channels, to);
        }
    }
}

/* ---- Products -------------------------------------------------------------------------------- */

/* Sums of a tile over so many words, which an int32 can take. */
static inline void part_product(const uint32_t *outputs, const uint32_t *inputs, uint32_t words, gm_pair_tile *tile)
{
    gm_pair_empty(tile);
    tile->a = outputs;
    gm_pair_words(tile, inputs, words);
    gm_pair_product(tile);
}

/* The same over all words, of 64 bits, as floats. */
static void long_product(const grad_w *w, const uint32_t *inputs, float *sums)
{
    int64_t longs[GM_PAIR_ROWS * GM_PAIR_COLUMNS] = {0};
    gm_pair_tile tile;
    for (uint32_t from = 0; from < w->words; from += MOST_WORDS) {
        uint32_t words = w->words - from < MOST_WORDS ? w->words - from : MOST_WORDS;
        part_product(w->panel + from * GM_PAIR_ROWS, inputs + from * GM_PAIR_COLUMNS, words, &tile);
        for (uint32_t i = 0; i < GM_PAIR_ROWS * GM_PAIR_COLUMNS; i++) {
            longs[i] += (int32_t)tile.sums[i];
        }
    }
    for (uint32_t i = 0; i < GM_PAIR_ROWS * GM_PAIR_COLUMNS; i++) {
        sums[i] = (float)longs[i];
    }
}

static void product(const grad_w *w, const uint32_t *inputs, float *sums)
{
    gm_pair_tile tile;
    if (w->words > MOST_WORDS) {
        long_product(w, inputs, sums);
        return;
    }
    part_product(w->panel, inputs, w->words, &tile);
    for (uint32_t i = 0; i < GM_PAIR_ROWS * GM_PAIR_COLUMNS; i++) {
        sums[i] = (float)(int32_t)tile.sums[i];
    }
}

/* One row of a tile, of an output channel. to: its first column. */
static void store_row(const grad_w *w, const tile_columns *t, const float *sums, float factor, float *to)
{
    for (uint32_t c = 0; c < t->count; c++, to += t->step) {
        float value = sums[c] * w->unit * factor;
        *to = w->accumulate ? *to + value : value;
    }
}

/* The same of a whole tile's row, which is not added to. factor: with the unit, which is a power of two. */
static inline void store_whole_row(uint32_t step, const uint32_t *sums, float factor, float *to)
{
    float a = (float)(int32_t)sums[0] * factor, b = (float)(int32_t)sums[1] * factor;
    float c = (float)(int32_t)sums[2] * factor, d = (float)(int32_t)sums[3] * factor;
    *to = a, to += step;
    *to = b, to += step;
    *to = c, to += step;
    *to = d;
}

/* The gradients of 1 or 2 output channels: row, of the first. */
typedef struct gradient_rows {
    uint32_t channels;
    const float *factor;
    float joint[GM_PAIR_ROWS]; /* factor times unit */
    int by_tiles;              /* both of these are exact, and nothing is added to */
    float *row;
} gradient_rows;

static gradient_rows gradient_rows_of(const grad_w *w, uint32_t channels, const float *factor, float *row)
{
    gradient_rows r = {channels, factor, {factor[0] * w->unit, factor[channels - 1] * w->unit}, 0, row};
    r.by_tiles = channels == GM_PAIR_ROWS && !w->accumulate && w->words <= MOST_WORDS;
    for (uint32_t i = 0; i < GM_PAIR_ROWS; i++) {
        uint32_t exponent = gm_bits_of(r.joint[i]) >> 23 & 0xffu;
        r.by_tiles &= exponent > 0 && exponent < 255;
    }
    return r;
}

static void multiply_tile(const grad_w *w, const gradient_rows *r, const tile_columns *t, const uint32_t *inputs)
{
    float sums[GM_PAIR_ROWS * GM_PAIR_COLUMNS];
    product(w, inputs, sums);
    store_row(w, t, sums, r->factor[0], r->row + t->first);
    if (r->channels > 1) {
        store_row(w, t, sums + GM_PAIR_COLUMNS, r->factor[1], r->row + w->g->in_channels * w->taps + t->first);
    }
}

static inline void multiply_whole_tile(const grad_w *w, const gradient_rows *r, const tile_columns *t, const uint32_t *inputs)
{
    float *first = r->row + t->first;
    gm_pair_tile tile;
    part_product(w->panel, inputs, w->words, &tile);
    store_whole_row(t->step, tile.sums, r->joint[0], first);
    store_whole_row(t->step, tile.sums + GM_PAIR_COLUMNS, r->joint[1], first + w->g->in_channels * w->taps);
}

/* Tiles from number `first` on. */
static void multiply_channels(const grad_w *w, uint32_t first, uint32_t tiles, const gradient_rows *rows)
{
    const uint32_t *inputs = w->panel + GM_PAIR_ROWS * w->words;
    tile_columns t = columns_of(w, first);
    for (uint32_t i = 0; i < tiles; i++, inputs += GM_PAIR_COLUMNS * w->words) {
        if (rows->by_tiles && t.count == GM_PAIR_COLUMNS) {
            multiply_whole_tile(w, rows, &t, inputs);
        } else {
            multiply_tile(w, rows, &t, inputs);
        }
        next_columns(w, &t);
    }
}

/* All output channels of one group. */
static void each_pair_tile(const grad_w *w, const int8_t *x, const int16_t *dy, uint32_t out_channels, const float *factor,
                      float *y)
{
    uint32_t size = w->g->in_channels * w->taps, tiles;
    uint32_t all = w->at_once == 1 ? (size + 3) / 4 : (w->g->in_channels + 3) / 4 * w->taps;
    for (uint32_t first = 0; first < all; first += tiles) {
        tiles = all - first < w->tiles ? all - first : w->tiles;
        for (uint32_t i = 0; i < tiles; i++) {
            pack_tile(w, x, first + i, w->panel + (GM_PAIR_ROWS + GM_PAIR_COLUMNS * i) * w->words);
        }
        for (uint32_t m = 0; m < out_channels; m += 2) {
            uint32_t channels = out_channels - m < 2 ? 1 : 2;
            pack_channels(w, dy + m * w->g->dy.channel, channels, w->panel);
            const gradient_rows rows = gradient_rows_of(w, channels, factor + m, y + m * size);
            multiply_channels(w, first, tiles, &rows);
        }
    }
}

/* ---- The choice ------------------------------------------------------------------------------ */

/* Whether all outputs and their inputs lie side by side, so that they are like one row. */
static int is_one_row(const gm_conv_gradient_s8 *g)
{
    const gm_window *v = &g->window;
    return v->kernel_h == 1 && v->kernel_w == 1 && v->pad_h == 0 && v->pad_w == 0 && v->stride_h == 1 &&
           v->stride_w == 1 && g->x.h == v->in_w * g->x.w && g->dy.h == v->out_w * g->dy.w && v->in_w == v->out_w;
}

int gm_arm_conv_grad_w_s16(const struct gm_session *session, const gm_insn_conv_grad_w_s16 *insn)
{
    if (insn->panel != GM_NONE && gm_arm_depthwise_grad_w_s16(session, insn)) {
        return 1;
    }
    gm_conv_gradient_s8 g = GM_CONV_GRADIENT_S8(insn);
    grad_w w = {.g = &g, .rows = insn->out_h, .columns = insn->out_w, .taps = insn->kernel_h * insn->kernel_w,
                .at_once = insn->in_channels < 4 ? 1 : 4,
                .unit = gm_power_of_two(gm_exponent_of(session, insn->dy_exponent).exponent),
                .accumulate = insn->accumulate};
    if (is_one_row(&g)) {
        w.columns *= w.rows, w.rows = 1, g.window.in_w = w.columns;
    }
    uint64_t words = (uint64_t)insn->batch * w.rows * ((w.columns + 1) / 2);
    if (insn->panel == GM_NONE || words > insn->panel_words / (GM_PAIR_ROWS + GM_PAIR_COLUMNS)) {
        return 0;
    }
    w.words = (uint32_t)words, w.row_words = (w.columns + 1) / 2;
    w.tiles = (insn->panel_words / w.words - GM_PAIR_ROWS) / GM_PAIR_COLUMNS;
    w.panel = (uint32_t *)(void *)(session->arena + insn->panel);
    const float *factor = gm_f32(session, insn->factor);
    float *y = gm_f32_out(session, insn->y);
    for (uint32_t group = 0; group < insn->groups; group++, factor += insn->out_channels) {
        each_pair_tile(&w, gm_i8(session, insn->x) + group * insn->x_group,
                  gm_i16(session, insn->dy) + group * insn->y_group, insn->out_channels, factor, y);
        y += insn->out_channels * insn->in_channels * w.taps;
    }
    return 1;
}

#endif
