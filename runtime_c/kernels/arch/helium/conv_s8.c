/*
 * CONV_S8 with Helium: the matrix product of windows and weights as 8-bit values. Keeps a block of
 * output channels' weights in the panel, and streams the windows through it two at a time. Windows
 * are packed in the panel too, unless they are runs of x.
 *
 * Because sum of (x - x_zero) w = sum of x w - x_zero sum of w, the zero point becomes part of the
 * starting value of sums.
 */
#include "../../../generated/instructions/conv_s8.h"
#include "conv_s8.h"

#include "blocks/byte_runs.h"
#include "blocks/byte_tiles.h"

#if GM_WITH_CONV_S8 && GM_ARCH_PAIRS && GM_ARCH_HELIUM

/* The panel: tiles, then two windows. */
typedef struct byte_windows {
    const gm_insn_conv_s8 *insn;
    gm_requantization to_int8;
    gm_byte_tiles product;  /* what all tiles share */
    int32_t x_zero;
    int is_pointwise;       /* one tap, never outside x, with contiguous channels */
    int rows_are_runs;      /* all taps of a kernel row are contiguous in x */
    int weights_are_runs;   /* so are all weights of an output channel, in the order of a window */
    uint32_t n;             /* values under a window */
    uint32_t most_tiles;
    uint64_t tile_size;     /* bytes */
    uint8_t *panel;
    int8_t *windows[GM_BYTE_ROWS];
} byte_windows;

/* Output channels of a group with weights in the panel. */
typedef struct byte_channels {
    uint32_t first, count; /* first: counted over all groups */
} byte_channels;

/* ---- Weights --------------------------------------------------------------------------------- */

/* Returns the weights of one output channel in the order of a window. */
static const int8_t *weights_in_order(const byte_windows *c, const int8_t *w)
{
    const gm_insn_conv_s8 *insn = c->insn;
    int8_t *to = c->windows[0];
    if (c->weights_are_runs) {
        return w;
    }
    for (uint32_t k = 0; k < insn->kernel_h; k++) {
        for (uint32_t l = 0; l < insn->kernel_w; l++) {
            to = gm_byte_gather(to, w + k * insn->w_h + l * insn->w_w, insn->in_channels, insn->w_in_channel);
        }
    }
    return c->windows[0];
}

/* Fills column i of a tile with output channel m. */
static void pack_byte_column(const byte_windows *c, const int8_t *w, uint32_t m, gm_byte_columns *tile, uint32_t i)
{
    const gm_requantization *r = &c->to_int8;
    int32_t sum = gm_byte_column((int8_t *)(tile + 1) + 16 * i, weights_in_order(c, w), c->n);
    tile->starts[i] = gm_start_of_sum(r, m) - (uint32_t)c->x_zero * (uint32_t)sum;
    tile->multipliers[i] = r->multipliers[m];
    tile->offsets[i] = r->offsets ? r->offsets[m] : 0.0f;
}

/* Fills tiles with output channels; the last one may have fewer. */
static void pack_byte_tiles(const byte_windows *c, const int8_t *w, const byte_channels *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        void *tile = c->panel + i / GM_BYTE_COLUMNS * c->tile_size;
        pack_byte_column(c, w + i * c->insn->w_out_channel, m->first + i, tile, i % GM_BYTE_COLUMNS);
    }
}

/* ---- Windows --------------------------------------------------------------------------------- */

/* All taps of a kernel row. Taps outside x get its zero point. x: its row; column: the window's. */
static int8_t *copy_row_of_taps(const byte_windows *c, const int8_t *x, uint32_t column, int8_t *to)
{
    const gm_insn_conv_s8 *insn = c->insn;
    uint32_t channels = insn->in_channels, taps = insn->kernel_w, at = column * insn->stride_w;
    uint32_t left = at < insn->pad_w ? insn->pad_w - at : 0, first = at + left - insn->pad_w;
    uint32_t count = left < taps && first < insn->in_w ? taps - left : 0;
    count = count < insn->in_w - first ? count : insn->in_w - first;
    if (count < taps) {
        gm_byte_fill(to, c->x_zero, taps * channels);
    }
    if (count > 0) {
        gm_byte_copy(to + left * channels, x + first * channels, count * channels);
    }
    return to + taps * channels;
}

/* As above, for non-contiguous taps. */
static int8_t *gather_taps(const byte_windows *c, const int8_t *x, uint32_t column, int8_t *to)
{
    const gm_insn_conv_s8 *insn = c->insn;
    for (uint32_t l = 0; l < insn->kernel_w; l++) {
        uint32_t j = gm_input_index(column, l, insn->stride_w, insn->dilation_w, insn->pad_w);
        to = j < insn->in_w ? gm_byte_gather(to, x + j * insn->x_w, insn->in_channels, insn->x_channel)
                            : gm_byte_fill(to, c->x_zero, insn->in_channels);
    }
    return to;
}

/* Returns the window of output (row, column), the `number`-th of two. x: its sample and group. */
static const int8_t *byte_window(const byte_windows *c, const int8_t *x, uint32_t row, uint32_t column, uint32_t number)
{
    const gm_insn_conv_s8 *insn = c->insn;
    int8_t *to = c->windows[number];
    if (c->is_pointwise) {
        return x + row * insn->stride_h * insn->x_h + column * insn->stride_w * insn->x_w;
    }
    for (uint32_t k = 0; k < insn->kernel_h; k++) {
        uint32_t i = gm_input_index(row, k, insn->stride_h, insn->dilation_h, insn->pad_h);
        if (i >= insn->in_h) {
            to = gm_byte_fill(to, c->x_zero, insn->kernel_w * insn->in_channels);
        } else {
            to = (c->rows_are_runs ? copy_row_of_taps : gather_taps)(c, x + i * insn->x_h, column, to);
        }
    }
    return c->windows[number];
}

/* ---- Products -------------------------------------------------------------------------------- */

/* One tile with fewer channels, or with channels that are not adjacent in y. */
static void make_part(gm_byte_tiles *product, int8_t *const y[GM_BYTE_ROWS], uint32_t channels, uint32_t step)
{
    int8_t results[GM_BYTE_ROWS][GM_BYTE_COLUMNS];
    product->y[0] = results[0], product->y[1] = results[1];
    product->tiles = 1;
    gm_make_byte_tiles(product);
    for (uint32_t i = 0; i < channels; i++) {
        y[0][i * step] = results[0][i];
        y[1][i * step] = results[1][i];
    }
}

/* All tiles of two windows; y: the first output channel of each. */
static void make_outputs(const byte_windows *c, const int8_t *const windows[2], int8_t *const y[2], uint32_t count)
{
    gm_byte_tiles product = c->product;
    uint32_t step = c->insn->y_channel, m = step == 1 ? count / GM_BYTE_COLUMNS * GM_BYTE_COLUMNS : 0;
    product.a[0] = windows[0], product.a[1] = windows[1];
    product.sixteens_end = windows[0] + c->n / 16 * 16;
    product.y[0] = y[0], product.y[1] = y[1];
    product.tiles = m / GM_BYTE_COLUMNS;
    if (m > 0) {
        gm_make_byte_tiles(&product);
    }
    for (; m < count; m += GM_BYTE_COLUMNS) {
        int8_t *const to[] = {y[0] + m * step, y[1] + m * step};
        make_part(&product, to, count - m < GM_BYTE_COLUMNS ? count - m : GM_BYTE_COLUMNS, step);
    }
}

/* Two windows at a time. If their number is odd, the last one is done twice. */
static void each_byte_window(const byte_windows *c, const int8_t *x, int8_t *y, uint32_t count)
{
    const gm_insn_conv_s8 *insn = c->insn;
    const int8_t *windows[GM_BYTE_ROWS] = {NULL, NULL};
    int8_t *to[GM_BYTE_ROWS] = {NULL, NULL};
    uint32_t second = 0;
    for (uint32_t row = 0; row < insn->out_h; row++) {
        for (uint32_t column = 0; column < insn->out_w; column++) {
            windows[second] = byte_window(c, x, row, column, second);
            to[second] = y + row * insn->y_h + column * insn->y_w;
            if (second) {
                make_outputs(c, windows, to, count);
            }
            second ^= 1;
        }
    }
    if (second) {
        windows[1] = windows[0], to[1] = to[0];
        make_outputs(c, windows, to, count);
    }
}

static void each_byte_group(const byte_windows *c, const int8_t *x, const int8_t *w, int8_t *y)
{
    const gm_insn_conv_s8 *insn = c->insn;
    uint32_t most = c->most_tiles < insn->out_channels ? GM_BYTE_COLUMNS * c->most_tiles : insn->out_channels;
    for (uint32_t g = 0; g < insn->groups; g++) {
        for (uint32_t first = 0; first < insn->out_channels; first += most) {
            uint32_t left = insn->out_channels - first;
            const byte_channels m = {g * insn->out_channels + first, left < most ? left : most};
            pack_byte_tiles(c, w + g * insn->w_group + first * insn->w_out_channel, &m);
            for (uint32_t b = 0; b < insn->batch; b++) {
                each_byte_window(c, x + b * insn->x_batch + g * insn->x_group,
                                 y + b * insn->y_batch + g * insn->y_group + first * insn->y_channel, m.count);
            }
        }
    }
}

/* ---- The choice ------------------------------------------------------------------------------ */

static int has_runs_of_weights(const gm_insn_conv_s8 *insn)
{
    uint32_t row = insn->kernel_w * insn->in_channels;
    return (insn->w_in_channel == 1 || insn->in_channels == 1) &&
           (insn->w_w == insn->in_channels || insn->kernel_w == 1) && (insn->w_h == row || insn->kernel_h == 1);
}

static byte_windows byte_windows_of(const struct gm_session *session, const gm_insn_conv_s8 *insn)
{
    int has_neighbours = insn->x_channel == 1 || insn->in_channels == 1;
    return (byte_windows){
        .insn = insn,
        .to_int8 = GM_REQUANTIZATION(session, insn),
        .product = {.zero = gm_nearest_int8(insn->y_zero), .low = gm_nearest_int8(insn->low),
                    .high = gm_nearest_int8(insn->high)},
        .x_zero = gm_nearest_int8(insn->x_zero),
        .is_pointwise = has_neighbours && insn->kernel_h == 1 && insn->kernel_w == 1 && insn->pad_h == 0 && insn->pad_w == 0,
        .rows_are_runs = has_neighbours && insn->dilation_w == 1 && insn->x_w == insn->in_channels,
        .weights_are_runs = has_runs_of_weights(insn),
        .panel = session->arena + insn->panel,
    };
}

/* Returns 0 if the panel has no room for a tile. */
static int divide_byte_panel(byte_windows *c)
{
    const gm_insn_conv_s8 *insn = c->insn;
    uint64_t n = (uint64_t)insn->kernel_h * insn->kernel_w, room = 4 * (uint64_t)insn->panel_words;
    n = n < room ? n * insn->in_channels : room;
    if (n >= room) {
        return 0;
    }
    c->n = (uint32_t)n;
    c->tile_size = gm_byte_tile_size(c->n);
    c->most_tiles = (uint32_t)(room / GM_BYTE_ROWS > n ? (room - GM_BYTE_ROWS * n) / c->tile_size : 0);
    c->windows[0] = (int8_t *)c->panel + c->most_tiles * c->tile_size;
    c->windows[1] = c->windows[0] + n;
    c->product.b = c->panel, c->product.rest = c->n % 16;
    return c->most_tiles > 0;
}

int gm_helium_conv_s8(const struct gm_session *session, const gm_insn_conv_s8 *insn)
{
    byte_windows c = byte_windows_of(session, insn);
    if (insn->w_zero != 0 || !divide_byte_panel(&c)) {
        return 0;
    }
    each_byte_group(&c, gm_i8(session, insn->x), gm_i8(session, insn->w), gm_i8_out(session, insn->y));
    return 1;
}

#endif
