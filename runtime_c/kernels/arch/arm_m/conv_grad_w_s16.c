/*
 * CONV_GRAD_W_S16 on Cortex-M: the matrix product of output gradients and inputs, both as pairs of
 * adjacent outputs in the panel. The inputs of some gradient columns stay there, and the output
 * channels stream through two at a time.
 */
#include "../../../generated/instructions/conv_grad_w_s16.h"
#include "conv_grad_s16.h"

#include "../../conv_gradient_s16.h"
#include "../helium/blocks/weight_tiles.h"
#include "../helium/conv_grad_s16.h"
#include "blocks/dsp.h"
#include "blocks/pairs.h"
#include "blocks/scaled.h"
#include "sum_steps.h"

#if GM_ARCH_CONV_GRAD_W_S16

/* Words whose products fit an int32 sum of a tile, whatever the values are: 256 outputs. */
#define MOST_WORDS 128u

/* A function whose frame is not on the stack during updates of weights, or in depthwise layers. */
#define OWN_FRAME __attribute__((noinline)) static

typedef struct grad_w {
    const gm_conv_gradient_s8 *g;
    uint32_t rows, columns;   /* of outputs */
    uint32_t row_words, words;
    uint32_t at_once;         /* adjacent channels that are one tile's columns, 4 or 1 */
    uint32_t taps, tiles;
    uint32_t *panel;
    float *second;            /* after the panel: the gradients of the second of two channels, if they update weights */
    float unit;
    uint32_t accumulate;
    int suits_steps;          /* updates of weights need only sums */
    const gm_weight_gradients *made;
} grad_w;

/* The tiles whose inputs are in the panel. If weights are updated, they make up whole runs
 * of adjacent weights. */
typedef struct tile_group {
    uint32_t first, tiles;
    uint32_t column;               /* the first of their columns */
    uint32_t runs, run_step, run;  /* the number of runs, the step from one to the next, and the columns of one */
} tile_group;

/* The columns of a tile in a row of the gradient: 4 channels of one tap, or adjacent columns if
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
    uint32_t channel = tile / w->taps * 4, tap = tile % w->taps, left = channels - channel;
    return (tile_columns){channel, tap, channel * w->taps + tap, w->taps, left < GM_PAIR_COLUMNS ? left : GM_PAIR_COLUMNS};
}

/* Advances to the next tile. */
static inline void next_columns(const grad_w *w, tile_columns *t)
{
    uint32_t channels = w->g->in_channels;
    if (w->at_once == 1) {
        uint32_t left = channels * w->taps - (t->first + GM_PAIR_COLUMNS);
        t->first += GM_PAIR_COLUMNS;
        t->count = left < GM_PAIR_COLUMNS ? left : GM_PAIR_COLUMNS;
        return;
    }
    t->tap++;
    if (t->tap == w->taps) {
        t->tap = 0;
        t->channel += GM_PAIR_COLUMNS;
    }
    t->first = t->channel * w->taps + t->tap;
    t->count = channels - t->channel < GM_PAIR_COLUMNS ? channels - t->channel : GM_PAIR_COLUMNS;
}

/* ---- Inputs ---------------------------------------------------------------------------------- */

/* One row of outputs under one tap, for `channels` adjacent channels. x: its row of inputs. */
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

/* The same for one channel, in one column of a tile. */
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

/* All outputs under tap (k, l). channels: 0 for a single column of a tile. x: of the channel. */
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

OWN_FRAME void pack_channels(const grad_w *w, const int16_t *dy, uint32_t channels, uint32_t *to)
{
    for (uint32_t b = 0; b < w->g->batch; b++) {
        for (uint32_t o = 0; o < w->rows; o++) {
            to = pack_row_of_outputs(w, dy + b * w->g->dy.batch + o * w->g->dy.h, channels, to);
        }
    }
}

/* ---- Products -------------------------------------------------------------------------------- */

/* Sums of a tile over so many words, which fit an int32. */
static inline void part_product(const uint32_t *outputs, const uint32_t *inputs, uint32_t words, gm_pair_tile *tile)
{
    gm_pair_empty(tile);
    tile->a = outputs;
    gm_pair_words(tile, inputs, words);
    gm_pair_product(tile);
}

/* The same over all words, in 64 bits, as floats. */
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

/* One row of a tile, for one output channel. to: its first column. */
static void store_row(const grad_w *w, const tile_columns *t, const float *sums, float factor, float *to)
{
    for (uint32_t c = 0; c < t->count; c++, to += t->step) {
        float value = sums[c] * w->unit * factor;
        *to = w->accumulate ? *to + value : value;
    }
}

/* Turns a sum into a gradient: without FPU by integers, bitwise equal. */
#if GM_ARCH_DSP
#define SUM_TIMES(sum, factor) ((float)(int32_t)(sum) * (factor))
#else
#define SUM_TIMES(sum, factor) sum_times((int32_t)(sum), factor)
OWN_FRAME float sum_times(int32_t sum, float factor)
{
    return gm_sum_times(sum, factor);
}
#endif

/* The gradients of 1 or 2 output channels, from column `column` on. */
typedef struct gradient_rows {
    uint32_t number, channels; /* of the first; 1 or 2 */
    const float *factor;
    float joint[GM_PAIR_ROWS]; /* factor times unit */
    int by_tiles;              /* both of these are exact, and gradients do not accumulate */
    int by_sums;               /* these are exact, and rows hold sums without them */
    uint32_t column;
    float *rows[GM_PAIR_ROWS];
} gradient_rows;

static gradient_rows gradient_rows_of(const grad_w *w, const tile_group *group, uint32_t number, uint32_t channels,
                                      const float *factor)
{
    uint32_t size = w->g->in_channels * w->taps;
    gradient_rows r = {number, channels, factor, {factor[0] * w->unit, factor[channels - 1] * w->unit}, 0, 0,
                       group->column, {w->made->y, w->second}};
    if (w->made->update == NULL) {
        r.rows[0] += number * size + group->column;
        r.rows[1] = r.rows[0] + (channels - 1) * size;
    }
    int is_exact = !w->accumulate && w->words <= MOST_WORDS;
    for (uint32_t i = 0; i < GM_PAIR_ROWS; i++) {
        uint32_t exponent = gm_bits_of(r.joint[i]) >> 23 & 0xffu;
        is_exact &= exponent > 0 && exponent < 255;
    }
    r.by_tiles = is_exact && channels == GM_PAIR_ROWS;
    r.by_sums = is_exact && w->suits_steps;
    return r;
}

static void multiply_tile(const grad_w *w, const gradient_rows *r, const tile_columns *t, const uint32_t *inputs)
{
    float sums[GM_PAIR_ROWS * GM_PAIR_COLUMNS];
    product(w, inputs, sums);
    for (uint32_t i = 0; i < r->channels; i++) {
        store_row(w, t, sums + GM_PAIR_COLUMNS * i, r->factor[i], r->rows[i] + (t->first - r->column));
    }
}

#if GM_ARCH_SUM_STEPS

/* Stores a tile's sums unchanged, in the place of gradients. */
static void multiply_for_steps(const grad_w *w, const gradient_rows *r, const tile_columns *t, const uint32_t *inputs)
{
    gm_pair_tile tile;
    part_product(w->panel, inputs, w->words, &tile);
    for (uint32_t i = 0; i < r->channels; i++) {
        uint32_t *to = (uint32_t *)(void *)(r->rows[i] + (t->first - r->column));
        for (uint32_t c = 0; c < t->count; c++, to += t->step) {
            *to = tile.sums[GM_PAIR_COLUMNS * i + c];
        }
    }
}

/* Updates the weights of a run from sums. */
static void update_by_sums(const grad_w *w, const gradient_rows *rows, uint32_t i, float *sums, uint32_t first,
                           uint32_t n)
{
    gm_update_by_sums(w->made->update, (int32_t *)(void *)sums, rows->joint[i],
                      w->made->units[rows->number + i], first, n);
}

#else
#define multiply_for_steps(w, r, t, inputs)
#define update_by_sums(w, r, i, sums, first, n)
#endif

#if GM_ARCH_HELIUM

/* Returns how many of the remaining tiles occupy adjacent places in a row of the gradient. */
static uint32_t tiles_in_a_run(const grad_w *w, const tile_columns *t, uint32_t left)
{
    uint32_t whole = (w->g->in_channels * w->taps - t->first) / GM_PAIR_COLUMNS;
    uint32_t run = t->step == 1 ? whole : w->taps - t->tap;
    return run < left ? run : left;
}

/* Whole tiles, at most `left`, that do not accumulate. Returns how many. */
static uint32_t multiply_run_of_tiles(const grad_w *w, const gradient_rows *r, const tile_columns *t, const uint32_t *inputs,
                                     uint32_t left)
{
    uint32_t at = t->first - r->column, run = tiles_in_a_run(w, t, left);
    gm_weight_tiles tiles = {
        .a = w->panel, .b = inputs, .fours_bytes = w->words / 4 * 64, .bytes = w->words * 16,
        .factors = {r->joint[0], r->joint[1]}, .y = {r->rows[0] + at, r->rows[1] + at},
        .column_bytes = t->step * (uint32_t)sizeof(float),
        .tile_bytes = (t->step == 1 ? GM_PAIR_COLUMNS : 1) * (uint32_t)sizeof(float), .tiles = run,
    };
    gm_make_weight_tiles(&tiles);
    return run;
}

#else

/* One row of a whole tile that does not accumulate. factor: includes the unit, which
 * is a power of two. */
static inline void store_whole_row(uint32_t step, const uint32_t *sums, float factor, float *to)
{
    float a = SUM_TIMES(sums[0], factor), b = SUM_TIMES(sums[1], factor);
    float c = SUM_TIMES(sums[2], factor), d = SUM_TIMES(sums[3], factor);
    *to = a, to += step;
    *to = b, to += step;
    *to = c, to += step;
    *to = d;
}

/* One whole tile that does not accumulate. Returns how many tiles that is. */
static inline uint32_t multiply_run_of_tiles(const grad_w *w, const gradient_rows *r, const tile_columns *t,
                                            const uint32_t *inputs, uint32_t left)
{
    uint32_t at = t->first - r->column;
    gm_pair_tile tile;
    (void)left;
    part_product(w->panel, inputs, w->words, &tile);
    store_whole_row(t->step, tile.sums, r->joint[0], r->rows[0] + at);
    store_whole_row(t->step, tile.sums + GM_PAIR_COLUMNS, r->joint[1], r->rows[1] + at);
    return 1;
}

#endif

OWN_FRAME void multiply_channels(const grad_w *w, const tile_group *group, const gradient_rows *rows)
{
    const uint32_t *inputs = w->panel + GM_PAIR_ROWS * w->words;
    tile_columns t = columns_of(w, group->first);
    for (uint32_t left = group->tiles, run = 1; left > 0; left -= run) {
        if (rows->by_sums) {
            multiply_for_steps(w, rows, &t, inputs);
            run = 1;
        } else if (rows->by_tiles && t.count == GM_PAIR_COLUMNS) {
            run = multiply_run_of_tiles(w, rows, &t, inputs, left);
        } else {
            multiply_tile(w, rows, &t, inputs);
            run = 1;
        }
        inputs += run * GM_PAIR_COLUMNS * w->words;
        for (uint32_t i = 0; i < run; i++) {
            next_columns(w, &t);
        }
    }
}

/* Updates the weights of the group's columns. */
static void update_channels(const grad_w *w, const tile_group *group, const gradient_rows *rows)
{
    const gm_weight_gradients *made = w->made;
    for (uint32_t i = 0; i < rows->channels; i++) {
        float *gradients = rows->rows[i];
        uint32_t number = rows->number + i, first = number * w->g->in_channels * w->taps + group->column;
        for (uint32_t run = 0; run < group->runs; run++, gradients += group->run_step, first += group->run_step) {
            if (rows->by_sums) {
                update_by_sums(w, rows, i, gradients, first, group->run);
            } else {
                gm_update_stored(made->update, gradients, 1.0f, made->units[number], first, group->run);
            }
        }
    }
}

/* Returns the tiles from index `first` on that fit the panel. If weights are updated, they cover
 * all taps of some channels, or some taps of up to four. */
static tile_group group_from(const grad_w *w, uint32_t first, uint32_t all)
{
    uint32_t taps = w->taps, tiles = all - first < w->tiles ? all - first : w->tiles, tap = first % taps;
    const tile_columns t = columns_of(w, first);
    if (w->made->update != NULL && w->at_once > 1) {
        if (tiles < taps) {
            tiles = tiles < taps - tap ? tiles : taps - tap;
            return (tile_group){first, tiles, t.first, t.count, taps, tiles};
        }
        tiles -= tiles % taps;
    }
    uint32_t left = w->g->in_channels * taps - t.first, columns = GM_PAIR_COLUMNS * tiles;
    return (tile_group){first, tiles, t.first, 1, 0, columns < left ? columns : left};
}

OWN_FRAME void pack_group(const grad_w *w, const int8_t *x, const tile_group *group)
{
    for (uint32_t tile = 0; tile < group->tiles; tile++) {
        pack_tile(w, x, group->first + tile, w->panel + (GM_PAIR_ROWS + GM_PAIR_COLUMNS * tile) * w->words);
    }
}

/* All output channels of one group of the convolution. number: index of the first of them. */
static void each_pair_tile(const grad_w *w, const int8_t *x, const int16_t *dy, uint32_t number, uint32_t out_channels,
                           const float *factor)
{
    uint32_t channels = w->g->in_channels, size = channels * w->taps;
    uint32_t all = w->at_once == 1 ? (size + 3) / 4 : (channels + 3) / 4 * w->taps;
    tile_group group;
    for (uint32_t first = 0; first < all; first += group.tiles) {
        group = group_from(w, first, all);
        pack_group(w, x, &group);
        for (uint32_t m = 0; m < out_channels; m += 2) {
            const gradient_rows rows = gradient_rows_of(w, &group, number + m, out_channels - m < 2 ? 1 : 2, factor + m);
            pack_channels(w, dy + m * w->g->dy.channel, rows.channels, w->panel);
            multiply_channels(w, &group, &rows);
            if (w->made->update != NULL) {
                update_channels(w, &group, &rows);
            }
        }
    }
}

/* ---- The choice ------------------------------------------------------------------------------ */

/* Whether all outputs and their inputs are contiguous, so that they are like one row. */
static int is_one_row(const gm_conv_gradient_s8 *g)
{
    const gm_window *v = &g->window;
    return v->kernel_h == 1 && v->kernel_w == 1 && v->pad_h == 0 && v->pad_w == 0 && v->stride_h == 1 &&
           v->stride_w == 1 && g->x.h == v->in_w * g->x.w && g->dy.h == v->out_w * g->dy.w && v->in_w == v->out_w;
}

/* Returns how many tiles fit in a panel besides the rows and `more` words. */
static uint32_t tiles_beside(uint32_t panel_words, uint32_t words, uint64_t more)
{
    uint64_t others = more + (uint64_t)GM_PAIR_ROWS * words;
    return others <= panel_words ? (panel_words - (uint32_t)others) / (GM_PAIR_COLUMNS * words) : 0;
}

/* The same if weights are updated: the gradients of the second of two channels follow the
 * tiles. They have as many columns, or all taps of four input channels, and never more
 * than a channel has. */
static uint32_t tiles_that_update(const grad_w *w, uint32_t panel_words)
{
    uint32_t whole = tiles_beside(panel_words, w->words, (uint64_t)w->g->in_channels * w->taps);
    uint32_t some = tiles_beside(panel_words, w->words, (uint64_t)GM_PAIR_COLUMNS * w->taps);
    uint32_t most = (panel_words - GM_PAIR_ROWS * w->words) / (GM_PAIR_COLUMNS * (w->words + 1));
    some = some < most ? some : most;
    return whole > some ? whole : some;
}

/* Returns 0 if the panel is too small. */
static int divide_panel(grad_w *w, uint32_t panel_words)
{
    uint64_t words = (uint64_t)w->g->batch * w->rows * w->row_words;
    if (words > panel_words / (GM_PAIR_ROWS + GM_PAIR_COLUMNS)) {
        return 0;
    }
    w->words = (uint32_t)words;
    w->tiles = w->made->update == NULL ? tiles_beside(panel_words, w->words, 0) : tiles_that_update(w, panel_words);
    w->second = (float *)(void *)(w->panel + (GM_PAIR_ROWS + GM_PAIR_COLUMNS * w->tiles) * w->words);
    return w->tiles > 0;
}

OWN_FRAME int tiled_gradient(const gm_session *session, const gm_insn_conv_grad_w_s16 *insn,
                             const gm_weight_gradients *made)
{
    gm_conv_gradient_s8 g = GM_CONV_GRADIENT_S8(insn);
    grad_w w = {.g = &g, .rows = insn->out_h, .columns = insn->out_w, .taps = insn->kernel_h * insn->kernel_w,
                .at_once = insn->in_channels < 4 ? 1 : 4,
                .unit = gm_power_of_two(gm_exponent_of(session, insn->dy_exponent).exponent),
                .accumulate = insn->accumulate, .made = made,
                .panel = (uint32_t *)(void *)(session->arena + insn->panel)};
    if (is_one_row(&g)) {
        w.columns *= w.rows, w.rows = 1, g.window.in_w = w.columns;
    }
    w.row_words = (w.columns + 1) / 2;
    if (!divide_panel(&w, insn->panel_words)) {
        return 0;
    }
#if GM_ARCH_SUM_STEPS
    w.suits_steps = made->update != NULL && gm_suits_sum_steps(made->update);
#endif
    const float *factor = gm_f32(session, insn->factor);
    for (uint32_t group = 0, number = 0; group < insn->groups; group++, number += insn->out_channels) {
        each_pair_tile(&w, gm_i8(session, insn->x) + group * insn->x_group,
                       gm_i16(session, insn->dy) + group * insn->y_group, number, insn->out_channels, factor + number);
    }
    return 1;
}

int gm_arm_conv_grad_w_s16(const struct gm_session *session, const gm_insn_conv_grad_w_s16 *insn,
                           const gm_weight_gradients *made)
{
    if (insn->panel == GM_NONE) {
        return 0;
    }
    return gm_helium_depthwise_grad_w_s16(session, insn, made) || gm_arm_depthwise_grad_w_s16(session, insn, made) ||
           tiled_gradient(session, insn, made);
}

#endif
