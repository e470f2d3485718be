/*
 * CONV_GRAD_X_S16 on Cortex-M: the matrix product of output gradients and weights, both as pairs of
 * int16 in the panel. Inputs whose rows and columns have the same remainders modulo the strides
 * meet the same kernel taps: these are one product. Weights for some input channels stay in the
 * panel, and all these inputs stream through two at a time.
 */
#include "../../../generated/instructions/conv_grad_x_s16.h"
#include "conv_grad_s16.h"

#include "../helium/conv_grad_s16.h"
#include "blocks/finish_s16.h"
#include "blocks/gradient_tiles.h"
#include "blocks/pairs.h"
#include "blocks/requantize.h"

#if GM_ARCH_CONV_GRAD_X_S16

/* The kernel taps along an axis that meet inputs with the given remainder modulo the stride. */
typedef struct axis_taps {
    uint32_t remainder, stride, dilation, pad, kernel;
} axis_taps;

static int is_tap(const axis_taps *t, uint32_t k)
{
    return k * t->dilation % t->stride == (t->remainder + t->pad) % t->stride;
}

static uint32_t count_taps(const axis_taps *t)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < t->kernel; k++) {
        count += (uint32_t)is_tap(t, k);
    }
    return count;
}

typedef struct grad_x {
    const gm_insn_conv_grad_x_s16 *insn;
    gm_finish_s16 finish;
    axis_taps rows, columns;
    uint32_t words;   /* of an input in the panel */
    uint32_t count;   /* of input channels in the panel */
    uint32_t tiles;
    int32_t w_zero;
    int by_tiles;      /* whole tiles can be finished at once */
    int is_pointwise;  /* one tap, and no inputs between those of adjacent outputs */
    uint32_t *panel;
#if GM_ARCH_DSP
    gm_gradient_tiles whole;
#define TILES_OF(x) (&(x).whole)
#else
#define TILES_OF(x) NULL
#endif
} grad_x;

/* ---- Panels ---------------------------------------------------------------------------------- */

/* One tile of input channels. w: of its first one. */
static void pack_turned_weights(const grad_x *x, const int8_t *w, uint32_t channels, uint32_t *to)
{
    const gm_insn_conv_grad_x_s16 *insn = x->insn;
    for (uint32_t k = 0; k < insn->kernel_h; k++) {
        for (uint32_t l = 0; l < insn->kernel_w && is_tap(&x->rows, k); l++) {
            if (is_tap(&x->columns, l)) {
                to = gm_pair_columns(to, w + k * insn->w_h + l * insn->w_w, insn->out_channels, insn->w_out_channel,
                                     channels, insn->w_in_channel, x->w_zero);
            }
        }
    }
}

static void pack_grad_x_tiles(grad_x *x, const int8_t *w, uint32_t left, uint32_t room)
{
    x->tiles = (left + 3) / 4;
    x->tiles = x->tiles < room ? x->tiles : room;
    x->count = left < 4 * x->tiles ? left : 4 * x->tiles;
    for (uint32_t i = 0; i < x->tiles; i++) {
        uint32_t channels = x->count - 4 * i < 4 ? x->count - 4 * i : 4;
        pack_turned_weights(x, w + 4 * i * x->insn->w_in_channel, channels, x->panel + i * x->words * GM_PAIR_COLUMNS);
    }
}

/* The outputs whose windows cover an input. dy: its sample and group. */
static void pack_outputs_of(const grad_x *x, const int16_t *dy, uint32_t row, uint32_t column, uint32_t *to)
{
    const gm_insn_conv_grad_x_s16 *insn = x->insn;
    uint32_t words = (insn->out_channels + 1) / 2;
    if (x->is_pointwise) {
        gm_pair_gradients(to, dy + row * insn->y_h + column * insn->y_w, insn->out_channels, insn->y_channel);
        return;
    }
    for (uint32_t k = 0; k < insn->kernel_h; k++) {
        uint32_t o = gm_output_index(row, k, insn->stride_h, insn->dilation_h, insn->pad_h, insn->out_h);
        for (uint32_t l = 0; l < insn->kernel_w && is_tap(&x->rows, k); l++) {
            if (!is_tap(&x->columns, l)) {
                continue;
            }
            uint32_t p = gm_output_index(column, l, insn->stride_w, insn->dilation_w, insn->pad_w, insn->out_w);
            if (o != GM_NO_OUTPUT && p != GM_NO_OUTPUT) {
                to = gm_pair_gradients(to, dy + o * insn->y_h + p * insn->y_w, insn->out_channels, insn->y_channel);
            } else {
                to = gm_pair_zeros(to, GM_PAIR_ROWS, words);
            }
        }
    }
}

/* ---- Products -------------------------------------------------------------------------------- */

#if GM_ARCH_DSP

/* Whole tiles of two inputs at once. Returns how many channels they cover. */
static uint32_t make_whole_tiles(grad_x *x, const uint32_t at[2], uint32_t channel)
{
    uint32_t tiles = x->count / GM_PAIR_COLUMNS;
    x->whole.a = x->panel + x->tiles * x->words * GM_PAIR_COLUMNS;
    x->whole.b = x->panel;
    x->whole.tiles = tiles;
    if (tiles > 0) {
        gm_make_gradients(&x->whole, &x->finish, at, channel);
    }
    return tiles * GM_PAIR_COLUMNS;
}

#else
#define make_whole_tiles(x, at, channel) 0
#endif

/* All tiles of 1 or 2 inputs. at: their offsets in dx at the first of these channels. */
static void multiply_inputs(grad_x *x, const uint32_t at[2], uint32_t inputs, uint32_t channel)
{
    uint32_t step = x->insn->x_channel, tile_words = x->words * GM_PAIR_COLUMNS;
    uint32_t c = x->by_tiles && inputs > 1 && x->words > 0 ? make_whole_tiles(x, at, channel) : 0;
    const uint32_t *weights = x->panel + c * x->words;
    gm_pair_tile tile;
    tile.a = x->panel + x->tiles * tile_words;
    for (; c < x->count; c += GM_PAIR_COLUMNS, weights += tile_words) {
        uint32_t channels = x->count - c < GM_PAIR_COLUMNS ? x->count - c : GM_PAIR_COLUMNS;
        gm_pair_empty(&tile);
        if (x->words > 0) {
            gm_pair_words(&tile, weights, x->words);
            gm_pair_product(&tile);
        }
        const gm_finish_place place = {at[0] + c * step, channel + c, channels, step, inputs, at[1] - at[0]};
        gm_finish_positions(&x->finish, &place, tile.sums);
    }
}

/* The inputs of one sample and group. at: offset in dx of the first one and its first channel. */
static void each_input(grad_x *x, const int16_t *dy, uint32_t at, uint32_t channel)
{
    const gm_insn_conv_grad_x_s16 *insn = x->insn;
    uint32_t *outputs = x->panel + x->tiles * x->words * GM_PAIR_COLUMNS, inputs = 0, places[2] = {0, 0};
    for (uint32_t row = x->rows.remainder; row < insn->in_h; row += insn->stride_h) {
        for (uint32_t column = x->columns.remainder; column < insn->in_w; column += insn->stride_w) {
            places[inputs] = at + row * insn->x_h + column * insn->x_w;
            pack_outputs_of(x, dy, row, column, outputs + inputs);
            if (++inputs == 2) {
                multiply_inputs(x, places, 2, channel);
                inputs = 0;
            }
        }
    }
    if (inputs > 0) {
        multiply_inputs(x, places, 1, channel);
    }
}

static void each_grad_x_group(grad_x *x, const int16_t *dy, const int8_t *w, uint32_t room)
{
    const gm_insn_conv_grad_x_s16 *insn = x->insn;
    for (uint32_t g = 0; g < insn->groups; g++) {
        for (uint32_t first = 0; first < insn->in_channels; first += x->count) {
            pack_grad_x_tiles(x, w + g * insn->w_group + first * insn->w_in_channel, insn->in_channels - first, room);
            for (uint32_t b = 0; b < insn->batch; b++) {
                each_input(x, dy + b * insn->y_batch + g * insn->y_group,
                           b * insn->x_batch + g * insn->x_group + first * insn->x_channel,
                           g * insn->in_channels + first);
            }
        }
    }
}

/* ---- The choice ------------------------------------------------------------------------------ */

/* Returns the number of words of the longest sum; the result may exceed 32 bits. */
static uint64_t most_words(const gm_insn_conv_grad_x_s16 *insn)
{
    uint64_t rows = (insn->kernel_h + insn->stride_h - 1) / insn->stride_h;
    uint64_t columns = (insn->kernel_w + insn->stride_w - 1) / insn->stride_w;
    rows = insn->dilation_h == 1 ? rows : insn->kernel_h;
    columns = insn->dilation_w == 1 ? columns : insn->kernel_w;
    return rows * columns > UINT32_MAX ? UINT64_MAX : rows * columns * ((insn->out_channels + 1) / 2);
}

static void each_remainder(const struct gm_session *session, grad_x *x)
{
    const gm_insn_conv_grad_x_s16 *insn = x->insn;
    axis_taps *rows = &x->rows, *columns = &x->columns;
    for (; rows->remainder < insn->stride_h && rows->remainder < insn->in_h; rows->remainder++) {
        columns->remainder = 0;
        for (; columns->remainder < insn->stride_w && columns->remainder < insn->in_w; columns->remainder++) {
            x->words = count_taps(rows) * count_taps(columns) * ((insn->out_channels + 1) / 2);
#if GM_ARCH_DSP
            x->whole = gm_gradient_tiles_of(&x->finish, x->words);
#endif
            uint32_t room = x->words > 0 ? (insn->panel_words / x->words - GM_PAIR_ROWS) / GM_PAIR_COLUMNS : UINT32_MAX;
            each_grad_x_group(x, gm_i16(session, insn->dy), gm_i8(session, insn->w), room);
#if GM_ARCH_DSP
            if (x->by_tiles) {
                gm_see_gradients(&x->whole, &x->finish);
            }
#endif
        }
    }
}

/* Whether there is a panel, and the scales of sums are finite. */
static int suits_grad_x(const struct gm_session *session, const gm_insn_conv_grad_x_s16 *insn)
{
    return insn->panel != GM_NONE && insn->kernel_h <= 255 && insn->kernel_w <= 255 &&
           (insn->scale == GM_NONE || gm_are_finite(gm_f32(session, insn->scale), insn->groups * insn->in_channels));
}

int gm_arm_conv_grad_x_s16(const struct gm_session *session, const gm_insn_conv_grad_x_s16 *insn,
                           gm_gradient_s16 *made, int16_t *dx)
{
    grad_x x = {
        .insn = insn, .finish = gm_finish_of(session, insn, made, dx), .w_zero = gm_nearest_int8(insn->w_zero),
        .rows = {0, insn->stride_h, insn->dilation_h, insn->pad_h, insn->kernel_h},
        .columns = {0, insn->stride_w, insn->dilation_w, insn->pad_w, insn->kernel_w},
        .is_pointwise = insn->kernel_h == 1 && insn->kernel_w == 1 && insn->stride_h == 1 && insn->stride_w == 1 &&
                        insn->pad_h == 0 && insn->pad_w == 0 && insn->in_h == insn->out_h && insn->in_w == insn->out_w,
    };
    if (!suits_grad_x(session, insn)) {
        return 0;
    }
    if (!gm_helium_depthwise_grad_x_s16(session, insn, &x.finish) &&
        !gm_arm_depthwise_grad_x_s16(session, insn, &x.finish, TILES_OF(x))) {
        if (most_words(insn) > insn->panel_words / (GM_PAIR_ROWS + GM_PAIR_COLUMNS)) {
            return 0;
        }
        x.panel = (uint32_t *)(void *)(session->arena + insn->panel);
#if GM_ARCH_DSP
        x.by_tiles = insn->x_channel == 1 && gm_suits_gradient_tiles(&x.finish, insn);
#endif
        each_remainder(session, &x);
    }
    made->largest = x.finish.largest;
    return 1;
}

#endif
