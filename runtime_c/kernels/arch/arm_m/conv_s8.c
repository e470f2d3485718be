/*
 * CONV_S8 on Cortex-M: the matrix product of windows and weights, both widened to int16 in
 * the panel. The weights of some output channels stay there, and all windows stream
 * through two at a time.
 */
#include "../../../generated/instructions/conv_s8.h"
#include "conv_s8.h"

#include "../helium/conv_s8.h"
#include "blocks/pairs.h"
#include "blocks/requantize.h"
#include "blocks/scaled.h"

#if GM_WITH_CONV_S8 && GM_ARCH_PAIRS

/* The values under a window are consecutive runs: the channels of a tap, or of all taps of a kernel
 * row if these are contiguous in x, or few. */
typedef struct conv_windows {
    const gm_insn_conv_s8 *insn;
    gm_pair_outputs outputs; /* what all tiles share, and the latest outputs */
    const int32_t *bias;     /* NULL: none */
    const float *multipliers, *offsets; /* offsets: NULL if absent */
    int32_t x_zero, w_zero;
    int is_pointwise;      /* one tap, never outside x */
    int are_neighbours;    /* whether the values of a kernel row are contiguous in x */
    int are_runs;          /* the same, and there are no gaps between rows */
    uint32_t last_row, last_column; /* of x, at which the last whole windows begin */
    uint32_t taps_at_once; /* 1, or those of a kernel row */
    uint32_t words;        /* of a window in the panel */
    uint32_t tiles;        /* of weights in the panel, at most */
    uint32_t *panel, *windows; /* windows: after the weights */
} conv_windows;

/* ---- Panels ---------------------------------------------------------------------------------- */

/* Taps of a kernel row whose channels, or rows of channels, are not contiguous. */
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

/* A tile of output channels, padded with zeros. */
static void pack_conv_tile(const conv_windows *c, const int8_t *w, uint32_t channels, uint32_t *to)
{
    const gm_insn_conv_s8 *insn = c->insn;
#if !GM_ARCH_HELIUM
    if (channels >= GM_PAIR_COLUMNS && c->is_pointwise && insn->w_in_channel == 1) {
        gm_pair_four_runs(to, w, insn->w_out_channel, insn->in_channels, c->w_zero);
        return;
    }
#endif
    for (uint32_t i = 0; i < GM_PAIR_COLUMNS; i++) {
        if (i < channels) {
            pack_conv_weights(c, w + i * insn->w_out_channel, to + i);
        } else {
            gm_pair_zeros(to + i, GM_PAIR_COLUMNS, c->words);
        }
    }
}

/* Fills tiles with output channels, and returns how many channels. */
static uint32_t pack_conv_tiles(const conv_windows *c, const int8_t *w, uint32_t channels, uint32_t *packed)
{
    uint32_t tiles = (channels + 3) / 4;
    tiles = tiles < c->tiles ? tiles : c->tiles;
    for (uint32_t i = 0; i < tiles; i++) {
        uint32_t first = i * GM_PAIR_COLUMNS;
        pack_conv_tile(c, w + first * c->insn->w_out_channel, channels - first, c->panel + first * c->words);
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

/* All taps of a kernel row; taps outside x become the zero point. x: its row; first: column
 * under the first tap. */
static uint32_t *pack_row(const conv_windows *c, const int8_t *x, uint32_t first, uint32_t *to)
{
    const gm_insn_conv_s8 *insn = c->insn;
    uint32_t n = insn->kernel_w * insn->in_channels;
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
static uint32_t *pack_taps(const conv_windows *c, const int8_t *x, uint32_t first, uint32_t *to)
{
    const gm_insn_conv_s8 *insn = c->insn;
    for (uint32_t l = 0; l < insn->kernel_w; l++) {
        uint32_t j = first + l * insn->dilation_w;
        if (j < insn->in_w) {
            to = gm_pair_run(to, GM_PAIR_ROWS, x + j * insn->x_w, insn->in_channels, insn->x_channel, c->x_zero);
        } else {
            to = gm_pair_zeros(to, GM_PAIR_ROWS, gm_pair_words_of(insn->in_channels));
        }
    }
    return to;
}

/* An output and its window, whose first tap is at this row and column of x, or outside x. Offsets
 * are in x and y of a sample and group. */
typedef struct window_place {
    uint32_t row, column, x, y;
    uint32_t left; /* outputs of this row, including this one */
} window_place;

static uint32_t *pack_any_window(const conv_windows *c, const int8_t *x, const window_place *at, uint32_t *to)
{
    const gm_insn_conv_s8 *insn = c->insn;
    if (c->is_pointwise) {
        return gm_pair_run(to, GM_PAIR_ROWS, x + at->x, insn->in_channels, insn->x_channel, c->x_zero);
    }
    for (uint32_t k = 0; k < insn->kernel_h; k++) {
        uint32_t i = at->row + k * insn->dilation_h;
        if (i >= insn->in_h) {
            for (uint32_t l = 0; l < insn->kernel_w; l += c->taps_at_once) {
                to = gm_pair_zeros(to, GM_PAIR_ROWS, gm_pair_words_of(c->taps_at_once * insn->in_channels));
            }
        } else if (c->taps_at_once > 1) {
            to = pack_row(c, x + i * insn->x_h, at->column, to);
        } else {
            to = pack_taps(c, x + i * insn->x_h, at->column, to);
        }
    }
    return to;
}

/* Whether the values under a window are runs inside x, one per kernel row. */
static inline int are_runs(const conv_windows *c, const window_place *at)
{
    return c->are_runs && at->row <= c->last_row && at->column <= c->last_column;
}

static void pack_windows(const conv_windows *c, const int8_t *x, const window_place at[2])
{
    const gm_insn_conv_s8 *insn = c->insn;
    uint32_t *to = c->windows, n = insn->kernel_w * insn->in_channels;
    if (!are_runs(c, &at[0]) || !are_runs(c, &at[1])) {
        pack_any_window(c, x, &at[0], to);
        pack_any_window(c, x, &at[1], to + 1);
        return;
    }
    const int8_t *first = x + at[0].x, *second = x + at[1].x;
    for (uint32_t k = 0; k < insn->kernel_h; k++, first += insn->x_h, second += insn->x_h) {
        to = gm_pair_two_runs(to, first, second, n, c->x_zero);
    }
}

/* ---- Products -------------------------------------------------------------------------------- */

/* Output channels of a group with weights in the panel. */
typedef struct packed_channels {
    uint32_t first, count, tiles; /* first: counted over all groups */
} packed_channels;

static const int32_t no_bias[GM_PAIR_COLUMNS];

static void multiply_whole_tiles(conv_windows *c, int8_t *const y[2], const packed_channels *m)
{
    gm_pair_outputs *outputs = &c->outputs;
    outputs->a = c->windows;
    outputs->b = c->panel;
    outputs->bias = c->bias ? c->bias + m->first : no_bias;
    outputs->multipliers = c->multipliers + m->first;
    outputs->offsets = c->offsets ? c->offsets + m->first : NULL;
    outputs->y[0] = y[0], outputs->y[1] = y[1];
    outputs->tiles = m->count / GM_PAIR_COLUMNS;
    gm_pair_requantize(outputs);
}

/* One tile with fewer channels, or with channels that are not adjacent in y. */
static void multiply_part(const conv_windows *c, int8_t *const y[2], const packed_channels *m, uint32_t first)
{
    float multipliers[GM_PAIR_COLUMNS] = {0}, offsets[GM_PAIR_COLUMNS] = {0};
    int32_t bias[GM_PAIR_COLUMNS] = {0};
    int8_t results[GM_PAIR_ROWS][GM_PAIR_COLUMNS];
    uint32_t channels = m->count - first < GM_PAIR_COLUMNS ? m->count - first : GM_PAIR_COLUMNS;
    for (uint32_t i = 0; i < channels; i++) {
        uint32_t channel = m->first + first + i;
        multipliers[i] = c->multipliers[channel];
        offsets[i] = c->offsets ? c->offsets[channel] : 0.0f;
        bias[i] = c->bias ? c->bias[channel] : 0;
    }
    gm_pair_outputs outputs = c->outputs;
    outputs.a = c->windows;
    outputs.b = c->panel + first * c->words;
    outputs.bias = bias;
    outputs.multipliers = multipliers;
    outputs.offsets = c->offsets ? offsets : NULL;
    outputs.y[0] = results[0], outputs.y[1] = results[1];
    outputs.tiles = 1;
    gm_pair_requantize(&outputs);
    for (uint32_t i = 0; i < channels; i++) {
        y[0][(first + i) * c->insn->y_channel] = results[0][i];
        y[1][(first + i) * c->insn->y_channel] = results[1][i];
    }
}

/* All tiles of two windows; y: the first output channel of each. */
static void multiply_windows(conv_windows *c, int8_t *const y[2], const packed_channels *m)
{
    uint32_t whole = c->insn->y_channel == 1 ? m->count / GM_PAIR_COLUMNS * GM_PAIR_COLUMNS : 0;
    if (whole > 0) {
        multiply_whole_tiles(c, y, m);
    }
    for (; whole < m->count; whole += GM_PAIR_COLUMNS) {
        multiply_part(c, y, m, whole);
    }
}

static window_place first_place(const gm_insn_conv_s8 *insn)
{
    uint32_t row = 0u - insn->pad_h, column = 0u - insn->pad_w;
    return (window_place){row, column, row * insn->x_h + column * insn->x_w, 0, insn->out_w};
}

static inline void to_next_place(const gm_insn_conv_s8 *insn, window_place *at)
{
    at->column += insn->stride_w;
    at->x += insn->stride_w * insn->x_w;
    at->y += insn->y_w;
    if (--at->left == 0) {
        at->row += insn->stride_h, at->column = 0u - insn->pad_w;
        at->x += insn->stride_h * insn->x_h - insn->out_w * insn->stride_w * insn->x_w;
        at->y += insn->y_h - insn->out_w * insn->y_w;
        at->left = insn->out_w;
    }
}

/* Whether windows are consecutive runs, also from row to row, their number is even, and
 * channels fill tiles. */
static int are_in_line(const conv_windows *c, const packed_channels *m)
{
    const gm_insn_conv_s8 *insn = c->insn;
    int is_row = insn->out_h == 1 || (insn->stride_h * insn->x_h == insn->out_w * insn->stride_w * insn->x_w &&
                                      insn->y_h == insn->out_w * insn->y_w);
    return is_row && c->is_pointwise && c->are_runs && insn->y_channel == 1 && m->count % GM_PAIR_COLUMNS == 0 &&
           insn->out_h * insn->out_w % 2 == 0;
}

static void each_window_in_line(conv_windows *c, const int8_t *x, int8_t *y, const packed_channels *m)
{
    const gm_insn_conv_s8 *insn = c->insn;
    uint32_t x_step = insn->stride_w * insn->x_w, y_step = insn->y_w;
    for (uint32_t left = insn->out_h * insn->out_w; left > 0; left -= 2, x += 2 * x_step, y += 2 * y_step) {
        int8_t *const to[2] = {y, y + y_step};
        gm_pair_two_runs(c->windows, x, x + x_step, insn->in_channels, c->x_zero);
        multiply_whole_tiles(c, to, m);
    }
}

/* Two windows at a time. If their number is odd, the last one is packed twice. */
static void each_window(conv_windows *c, const int8_t *x, int8_t *y, const packed_channels *m)
{
    const gm_insn_conv_s8 *insn = c->insn;
    window_place at[2] = {first_place(insn)};
    if (are_in_line(c, m)) {
        each_window_in_line(c, x, y, m);
        return;
    }
    for (uint32_t left = insn->out_h * insn->out_w; left > 0; left -= left > 1 ? 2 : 1) {
        at[1] = at[0];
        if (left > 1) {
            to_next_place(insn, &at[1]);
        }
        int8_t *const to[2] = {y + at[0].y, y + at[1].y};
        pack_windows(c, x, at);
        multiply_windows(c, to, m);
        at[0] = at[1];
        to_next_place(insn, &at[0]);
    }
}

static void each_conv_group(conv_windows *c, const int8_t *x, const int8_t *w, int8_t *y)
{
    const gm_insn_conv_s8 *insn = c->insn;
    for (uint32_t g = 0; g < insn->groups; g++) {
        packed_channels m = {0, 0, 0};
        for (uint32_t first = 0; first < insn->out_channels; first += m.count) {
            m.first = g * insn->out_channels + first;
            m.count = pack_conv_tiles(c, w + g * insn->w_group + first * insn->w_out_channel, insn->out_channels - first,
                                 &m.tiles);
            c->windows = c->panel + m.tiles * c->words * GM_PAIR_COLUMNS;
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

/* Whether all taps of a kernel row are one run. With fewer than four channels, taps are gathered
 * first, wherever they are: a run per tap would be padded to four. */
static int takes_rows(const gm_insn_conv_s8 *insn)
{
    int has_room = insn->in_channels <= GM_PAIR_BUFFER && insn->kernel_w <= GM_PAIR_BUFFER / insn->in_channels;
    return has_room && (row_is_one_run(insn) || insn->in_channels < 4);
}

static void set_outputs(conv_windows *c, const struct gm_session *session)
{
    const gm_insn_conv_s8 *insn = c->insn;
    c->bias = insn->bias == GM_NONE ? NULL : gm_i32(session, insn->bias);
    c->multipliers = gm_f32(session, insn->multipliers);
    c->offsets = gm_f32_optional(session, insn->offsets);
    c->outputs.bias_step = c->bias ? 16 : 0;
#if GM_ARCH_DSP
    float products = (float)insn->kernel_h * (float)insn->kernel_w * (float)insn->in_channels;
    float most = gm_most_of_products(products, c->x_zero, c->w_zero);
    uint32_t channels = insn->groups * insn->out_channels;
    c->outputs.is_narrow = GM_ALL_BYTES(insn) && gm_are_narrow(c->multipliers, c->offsets, c->bias, channels, most);
#else
    const gm_int8_bounds bounds = gm_int8_bounds_of(&c->outputs.range);
    uint32_t channels = insn->groups * insn->out_channels;
    c->outputs.by_factors = gm_are_whole(&bounds) && gm_have_factors(c->multipliers, c->offsets, channels);
#endif
}

static conv_windows windows_of(const struct gm_session *session, const gm_insn_conv_s8 *insn)
{
    int is_pointwise = insn->kernel_h == 1 && insn->kernel_w == 1 && insn->pad_h == 0 && insn->pad_w == 0;
    int are_neighbours = row_is_one_run(insn);
    uint32_t at_once = takes_rows(insn) ? insn->kernel_w : 1;
    uint64_t words = (uint64_t)insn->kernel_h * (insn->kernel_w / at_once) * gm_pair_words_of(at_once * insn->in_channels);
    uint32_t room = words < insn->panel_words ? insn->panel_words / (uint32_t)words : 0;
    conv_windows c = {
        .insn = insn,
        .outputs = GM_PAIR_OUTPUTS(insn, (uint32_t)words),
        .x_zero = gm_nearest_int8(insn->x_zero),
        .w_zero = gm_nearest_int8(insn->w_zero),
        .is_pointwise = is_pointwise,
        .are_neighbours = are_neighbours,
        .are_runs = insn->dilation_h == 1 && insn->in_h >= insn->kernel_h && insn->in_w >= insn->kernel_w &&
                    (is_pointwise ? insn->x_channel == 1 : at_once == insn->kernel_w && are_neighbours),
        .last_row = insn->in_h - insn->kernel_h,
        .last_column = insn->in_w - insn->kernel_w,
        .taps_at_once = at_once,
        .words = (uint32_t)words,
        .tiles = room < GM_PAIR_ROWS ? 0 : (room - GM_PAIR_ROWS) / GM_PAIR_COLUMNS,
        .panel = (uint32_t *)(void *)(session->arena + insn->panel),
    };
    set_outputs(&c, session);
    return c;
}

/* Whether there is a panel, and the scales of sums are finite. */
static int suits_conv(const struct gm_session *session, const gm_insn_conv_s8 *insn)
{
    uint32_t channels = insn->groups * insn->out_channels;
    return insn->panel != GM_NONE && gm_are_finite(gm_f32(session, insn->multipliers), channels) &&
           (insn->offsets == GM_NONE || gm_are_finite(gm_f32(session, insn->offsets), channels));
}

/* Separate from gm_arm_conv_s8(), whose frame stays on the stack while other functions compute. */
__attribute__((noinline)) static int convolve_by_pairs(const struct gm_session *session, const gm_insn_conv_s8 *insn)
{
    conv_windows c = windows_of(session, insn);
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
