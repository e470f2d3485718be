/*
 * CONV_S8 on Cortex-M: the matrix product of windows and weights, both widened to int16 in the
 * panel. Weights of some output channels stay there while all windows pass, two at a time.
 */
#include "conv_s8.h"

#include "../helium/conv_s8.h"
#include "blocks/pairs.h"
#include "blocks/requantize.h"

#if GM_WITH_CONV_S8 && GM_ARCH_PAIRS

/* The numbers under a window are one run after another: the channels of a tap, or of all taps of a
 * kernel row where these are neighbours in x, or few. */
typedef struct conv_windows {
    const gm_insn_conv_s8 *insn;
    gm_pair_outputs outputs; /* what all tiles share */
    const int32_t *bias;   /* NULL: none */
    int32_t x_zero, w_zero;
    int is_pointwise;      /* one tap, never outside of x */
    int are_neighbours;    /* the numbers of a kernel row, in x */
    uint32_t taps_at_once; /* 1, or those of a kernel row */
    uint32_t words;        /* of a window in the panel */
    uint32_t tiles;        /* of weights in the panel, at most */
    uint32_t *panel;
} conv_windows;

/* ---- Panels ---------------------------------------------------------------------------------- */

/* Taps of a kernel row in which the channels, or the rows of channels, are not neighbours. */
static uint32_t *scattered_weights(const conv_windows *c, const int8_t *w, uint32_t *to)
{
    const gm_insn_conv_s8 *insn = c->insn;
    int8_t buffer[GM_PAIR_BUFFER];
    uint32_t n = 0;
    for (uint32_t l = 0; l < c->taps_at_once; l++) {
        for (uint32_t i = 0; i < insn->in_channels; i++) {
            buffer[n++] = w[l * insn->w_w + i * insn->w_in_channel];
        }
    }
    return gm_pair_run(to, GM_PAIR_COLUMNS, buffer, n, 1, c->w_zero);
}

/* One output channel. */
static void pack_conv_weights(const conv_windows *c, const int8_t *w, uint32_t *to)
{
    const gm_insn_conv_s8 *insn = c->insn;
    if (c->is_pointwise) {
        gm_pair_run(to, GM_PAIR_COLUMNS, w, insn->in_channels, insn->w_in_channel, c->w_zero);
        return;
    }
    for (uint32_t k = 0; k < insn->kernel_h; k++) {
        for (uint32_t l = 0; l < insn->kernel_w; l += c->taps_at_once) {
            const int8_t *from = w + k * insn->w_h + l * insn->w_w;
            if (c->taps_at_once > 1) {
                to = scattered_weights(c, from, to);
            } else {
                to = gm_pair_run(to, GM_PAIR_COLUMNS, from, insn->in_channels, insn->w_in_channel, c->w_zero);
            }
        }
    }
}

/* Fills tiles with output channels, behind the last of which there are zeros, and returns how many
 * channels those are. */
static uint32_t pack_conv_tiles(const conv_windows *c, const int8_t *w, uint32_t channels, uint32_t *packed)
{
    uint32_t *to = c->panel, tiles = (channels + 3) / 4;
    tiles = tiles < c->tiles ? tiles : c->tiles;
    for (uint32_t i = 0; i < tiles * GM_PAIR_COLUMNS; i++) {
        uint32_t *column = to + i / GM_PAIR_COLUMNS * c->words * GM_PAIR_COLUMNS + i % GM_PAIR_COLUMNS;
        if (i < channels) {
            pack_conv_weights(c, w + i * c->insn->w_out_channel, column);
        } else {
            gm_pair_zeros(column, GM_PAIR_COLUMNS, c->words);
        }
    }
    *packed = tiles;
    return channels < tiles * GM_PAIR_COLUMNS ? channels : tiles * GM_PAIR_COLUMNS;
}

/* The channels of one tap, from x on. */
static int8_t *gather_tap(const gm_insn_conv_s8 *insn, const int8_t *x, int8_t *to)
{
    uint32_t step = insn->x_channel;
    for (uint32_t left = insn->in_channels; left > 0; left--) {
        *to++ = *x;
        x += step;
    }
    return to;
}

/* All taps of a kernel row, some of which may lie outside of x: there stands the zero point. x: its
 * row; column: the window's. */
static uint32_t *pack_row(const conv_windows *c, const int8_t *x, uint32_t column, uint32_t *to)
{
    const gm_insn_conv_s8 *insn = c->insn;
    uint32_t n = insn->kernel_w * insn->in_channels, first = column * insn->stride_w - insn->pad_w;
    int8_t buffer[GM_PAIR_BUFFER], *at = buffer;
    if (c->are_neighbours && first < insn->in_w && first + insn->kernel_w <= insn->in_w) {
        return gm_pair_run(to, GM_PAIR_ROWS, x + first * insn->x_w, n, 1, c->x_zero);
    }
    for (uint32_t l = 0; l < insn->kernel_w; l++) {
        uint32_t j = first + l * insn->dilation_w;
        if (j < insn->in_w) {
            at = gather_tap(insn, x + j * insn->x_w, at);
        } else {
            for (uint32_t i = 0; i < insn->in_channels; i++) {
                *at++ = (int8_t)c->x_zero;
            }
        }
    }
    return gm_pair_run(to, GM_PAIR_ROWS, buffer, n, 1, c->x_zero);
}

/* A row of taps, one after another. */
static uint32_t *pack_taps(const conv_windows *c, const int8_t *x, uint32_t column, uint32_t *to)
{
    const gm_insn_conv_s8 *insn = c->insn;
    for (uint32_t l = 0; l < insn->kernel_w; l++) {
        uint32_t j = gm_input_index(column, l, insn->stride_w, insn->dilation_w, insn->pad_w);
        if (j < insn->in_w) {
            to = gm_pair_run(to, GM_PAIR_ROWS, x + j * insn->x_w, insn->in_channels, insn->x_channel, c->x_zero);
        } else {
            to = gm_pair_zeros(to, GM_PAIR_ROWS, gm_pair_words_of(insn->in_channels));
        }
    }
    return to;
}

/* The window of output (row, column). x: of its sample and group. */
static void pack_window(const conv_windows *c, const int8_t *x, uint32_t row, uint32_t column, uint32_t *to)
{
    const gm_insn_conv_s8 *insn = c->insn;
    if (c->is_pointwise) {
        gm_pair_run(to, GM_PAIR_ROWS, x + row * insn->stride_h * insn->x_h + column * insn->stride_w * insn->x_w,
                    insn->in_channels, insn->x_channel, c->x_zero);
        return;
    }
    for (uint32_t k = 0; k < insn->kernel_h; k++) {
        uint32_t i = gm_input_index(row, k, insn->stride_h, insn->dilation_h, insn->pad_h);
        if (i >= insn->in_h) {
            for (uint32_t l = 0; l < insn->kernel_w; l += c->taps_at_once) {
                to = gm_pair_zeros(to, GM_PAIR_ROWS, gm_pair_words_of(c->taps_at_once * insn->in_channels));
            }
        } else if (c->taps_at_once > 1) {
            to = pack_row(c, x + i * insn->x_h, column, to);
        } else {
            to = pack_taps(c, x + i * insn->x_h, column, to);
        }
    }
}

/* ---- Products -------------------------------------------------------------------------------- */

/* Output channels of a group whose weights are in the panel. */
typedef struct packed_channels {
    uint32_t first, count, tiles; /* first: counted through all groups */
} packed_channels;

static const int32_t no_bias[GM_PAIR_COLUMNS];

static void multiply_whole_tiles(const conv_windows *c, int8_t *const y[2], const packed_channels *m)
{
    gm_pair_outputs outputs = c->outputs;
    outputs.a = c->panel + m->tiles * c->words * GM_PAIR_COLUMNS;
    outputs.b = c->panel;
    outputs.bias = c->bias ? c->bias + m->first : no_bias;
    outputs.multipliers += m->first;
    outputs.offsets = outputs.offsets ? outputs.offsets + m->first : NULL;
    outputs.y[0] = y[0], outputs.y[1] = y[1];
    outputs.tiles = m->count / GM_PAIR_COLUMNS;
    gm_pair_requantize(&outputs);
}

/* One tile of which channels are missing, or are no neighbours in y. */
static void multiply_part(const conv_windows *c, int8_t *const y[2], const packed_channels *m, uint32_t first)
{
    float multipliers[GM_PAIR_COLUMNS] = {0}, offsets[GM_PAIR_COLUMNS] = {0};
    int32_t bias[GM_PAIR_COLUMNS] = {0};
    int8_t results[GM_PAIR_ROWS][GM_PAIR_COLUMNS];
    uint32_t channels = m->count - first < GM_PAIR_COLUMNS ? m->count - first : GM_PAIR_COLUMNS;
    for (uint32_t i = 0; i < channels; i++) {
        uint32_t channel = m->first + first + i;
        multipliers[i] = c->outputs.multipliers[channel];
        offsets[i] = c->outputs.offsets ? c->outputs.offsets[channel] : 0.0f;
        bias[i] = c->bias ? c->bias[channel] : 0;
    }
    gm_pair_outputs outputs = c->outputs;
    outputs.a = c->panel + m->tiles * c->words * GM_PAIR_COLUMNS;
    outputs.b = c->panel + first * c->words;
    outputs.bias = bias;
    outputs.multipliers = multipliers;
    outputs.offsets = outputs.offsets ? offsets : NULL;
    outputs.y[0] = results[0], outputs.y[1] = results[1];
    outputs.tiles = 1;
    gm_pair_requantize(&outputs);
    for (uint32_t i = 0; i < channels; i++) {
        y[0][(first + i) * c->insn->y_channel] = results[0][i];
        y[1][(first + i) * c->insn->y_channel] = results[1][i];
    }
}

/* All tiles of two windows; y: the first output channel of each. */
static void multiply_windows(const conv_windows *c, int8_t *const y[2], const packed_channels *m)
{
    uint32_t whole = c->insn->y_channel == 1 ? m->count / GM_PAIR_COLUMNS * GM_PAIR_COLUMNS : 0;
    if (whole > 0) {
        multiply_whole_tiles(c, y, m);
    }
    for (; whole < m->count; whole += GM_PAIR_COLUMNS) {
        multiply_part(c, y, m, whole);
    }
}

/* Two windows at a time. Where their number is odd, the last one is there twice. */
static void each_window(const conv_windows *c, const int8_t *x, int8_t *y, const packed_channels *m)
{
    const gm_insn_conv_s8 *insn = c->insn;
    uint32_t *windows = c->panel + m->tiles * c->words * GM_PAIR_COLUMNS, second = 0;
    int8_t *to[2] = {y, y};
    for (uint32_t row = 0; row < insn->out_h; row++) {
        for (uint32_t column = 0; column < insn->out_w; column++) {
            int last = row + 1 == insn->out_h && column + 1 == insn->out_w;
            to[second] = y + row * insn->y_h + column * insn->y_w;
            pack_window(c, x, row, column, windows + second);
            if (last && !second) {
                to[1] = to[0];
                pack_window(c, x, row, column, windows + 1);
            }
            if (last || second) {
                multiply_windows(c, to, m);
            }
            second ^= 1;
        }
    }
}

static void each_conv_group(const conv_windows *c, const int8_t *x, const int8_t *w, int8_t *y)
{
    const gm_insn_conv_s8 *insn = c->insn;
    for (uint32_t g = 0; g < insn->groups; g++) {
        packed_channels m = {0, 0, 0};
        for (uint32_t first = 0; first < insn->out_channels; first += m.count) {
            m.first = g * insn->out_channels + first;
            m.count = pack_conv_tiles(c, w + g * insn->w_group + first * insn->w_out_channel, insn->out_channels - first,
                                 &m.tiles);
            for (uint32_t b = 0; b < insn->batch; b++) {
                each_window(c, x + b * insn->x_batch + g * insn->x_group,
                            y + b * insn->y_batch + g * insn->y_group + first * insn->y_channel, &m);
            }
        }
    }
}

/* ---- The choice ------------------------------------------------------------------------------ */

static int row_is_one_run(const gm_insn_conv_s8 *insn)
{
    return insn->dilation_w == 1 && insn->x_w == insn->in_channels && (insn->x_channel == 1 || insn->in_channels == 1);
}

/* Whether all taps of a kernel row are one run. Those of fewer than four channels are gathered first,
 * wherever they lie: a run for each tap would be filled up to four. */
static int takes_rows(const gm_insn_conv_s8 *insn)
{
    int has_room = insn->in_channels <= GM_PAIR_BUFFER && insn->kernel_w <= GM_PAIR_BUFFER / insn->in_channels;
    return has_room && (row_is_one_run(insn) || insn->in_channels < 4);
}

static conv_windows windows_of(const struct gm_session *session, const gm_insn_conv_s8 *insn)
{
    uint32_t at_once = takes_rows(insn) ? insn->kernel_w : 1;
    uint64_t words = (uint64_t)insn->kernel_h * (insn->kernel_w / at_once) * gm_pair_words_of(at_once * insn->in_channels);
    uint32_t room = words < insn->panel_words ? insn->panel_words / (uint32_t)words : 0;
    conv_windows c = {
        .insn = insn,
        .outputs = GM_PAIR_OUTPUTS(insn, (uint32_t)words),
        .bias = insn->bias == GM_NONE ? NULL : gm_i32(session, insn->bias),
        .x_zero = gm_nearest_int8(insn->x_zero),
        .w_zero = gm_nearest_int8(insn->w_zero),
        .is_pointwise = insn->kernel_h == 1 && insn->kernel_w == 1 && insn->pad_h == 0 && insn->pad_w == 0,
        .are_neighbours = row_is_one_run(insn),
        .taps_at_once = at_once,
        .words = (uint32_t)words,
        .tiles = room < GM_PAIR_ROWS ? 0 : (room - GM_PAIR_ROWS) / GM_PAIR_COLUMNS,
        .panel = (uint32_t *)(void *)(session->arena + insn->panel),
    };
    c.outputs.multipliers = gm_f32(session, insn->multipliers);
    c.outputs.offsets = gm_f32_optional(session, insn->offsets);
    c.outputs.bias_step = c.bias ? 16 : 0;
    return c;
}

/* Whether there is a panel, and what scales sums is finite. */
static int suits_conv(const struct gm_session *session, const gm_insn_conv_s8 *insn)
{
    uint32_t channels = insn->groups * insn->out_channels;
    return insn->panel != GM_NONE && gm_are_finite(gm_f32(session, insn->multipliers), channels) &&
           (insn->offsets == GM_NONE || gm_are_finite(gm_f32(session, insn->offsets), channels));
}

/* Not part of gm_arm_conv_s8(), whose frame lies on the stack while others compute. */
__attribute__((noinline)) static int convolve_by_pairs(const struct gm_session *session, const gm_insn_conv_s8 *insn)
{
    const conv_windows c = windows_of(session, insn);
    if (c.tiles > 0) {
        each_conv_group(&c, gm_i8(session, insn->x), gm_i8(session, insn->w), gm_i8_out(session, insn->y));
    }
    return c.tiles > 0;
}

int gm_arm_conv_s8(const struct gm_session *session, const gm_insn_conv_s8 *insn)
{
    return suits_conv(session, insn) &&
           (gm_helium_depthwise_s8(session, insn) || gm_arm_depthwise_s8(session, insn) ||
            gm_helium_conv_s8(session, insn) || convolve_by_pairs(session, insn));
}

#endif
