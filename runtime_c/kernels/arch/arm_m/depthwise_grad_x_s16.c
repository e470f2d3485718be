/*
 * Depthwise CONV_GRAD_X_S16 on Cortex-M: a convolution of the output gradients, interleaved with
 * zeros if the stride is larger than 1, with the flipped kernel.
 */
#include "../../../generated/instructions/conv_grad_x_s16.h"
#include "conv_grad_s16.h"

#include "blocks/depthwise_3x3.h"
#include "blocks/depthwise_kernel.h"
#include "blocks/depthwise_outputs.h"
#include "blocks/depthwise_pixels.h"
#include "blocks/finish_s16.h"
#include "blocks/gradient_tiles.h"

#if GM_ARCH_CONV_GRAD_X_S16 && GM_ARCH_PAIRS

/* The panel: weights, then sums of a row of inputs, then rows of output gradients. */
typedef struct depthwise_grad_x {
    const gm_insn_conv_grad_x_s16 *insn;
    gm_depthwise_kernel kernel;
    gm_depthwise_outputs outputs;
    uint32_t first;        /* channel */
    uint32_t *sums, *rows;
    struct gm_gradient_tiles *columns; /* finishes two columns at once; NULL: one at a time */
} depthwise_grad_x;

/* Row `row` of the gradients with zeros inserted. dy: its sample and channels. */
static void pack_gradient_row(const depthwise_grad_x *d, const int16_t *dy, uint32_t row, uint32_t *to)
{
    const gm_insn_conv_grad_x_s16 *insn = d->insn;
    uint32_t o = insn->stride_h == 1 ? row : row / insn->stride_h;
    int is_there = o < insn->out_h && o * insn->stride_h == row;
    gm_pack_depthwise_outputs(&d->outputs, is_there ? dy + o * insn->y_h : NULL, to);
}

/* Sums of a row of inputs. */
static void sum_row(const depthwise_grad_x *d, gm_depthwise_pixels *pixels, uint32_t row)
{
    uint32_t rows = d->kernel.rows, turn = row % rows;
    pixels->weights[0] = d->sums - 2 * d->kernel.set_words + (turn > 0 ? rows - turn : 0) * GM_DEPTHWISE_CHANNELS;
    pixels->weights[1] = pixels->weights[0] + d->kernel.set_words;
    pixels->column = 0, pixels->left = d->insn->in_w, pixels->y = d->sums;
    gm_depthwise_sums(pixels, rows, d->kernel.columns);
}

/* Finishes two columns at a time. Returns how many columns. at: of the row in dx. */
static uint32_t finish_columns(const depthwise_grad_x *d, const gm_finish_s16 *finish, uint32_t at)
{
#if GM_ARCH_DSP
    uint32_t pairs = d->insn->in_w / 2;
    if (d->columns && d->kernel.channels == GM_DEPTHWISE_CHANNELS && pairs > 0) {
        d->columns->tiles = pairs;
        gm_make_gradients_of_row(d->columns, finish, d->sums, at, d->insn->x_w, d->first);
        return 2 * pairs;
    }
#else
    (void)d, (void)finish, (void)at;
#endif
    return 0;
}

/* One sample of four channels. Rows count from the first padding row. at: offset in dx. */
static void finish_each_row(const depthwise_grad_x *d, gm_depthwise_pixels *pixels, gm_finish_s16 *finish, const int16_t *dy,
                     uint32_t at)
{
    const gm_insn_conv_grad_x_s16 *insn = d->insn;
    uint32_t next = 0, pad_h = insn->kernel_h - 1 - insn->pad_h; /* of the flipped kernel */
    for (uint32_t row = 0; row < insn->in_h; row++, at += insn->x_h) {
        for (; next < row + insn->kernel_h; next++) {
            pack_gradient_row(d, dy, next - pad_h, d->rows + next % insn->kernel_h * GM_DEPTHWISE_CHANNELS);
        }
        sum_row(d, pixels, row);
        uint32_t done = finish_columns(d, finish, at);
        const gm_finish_place place = {
            at + done * insn->x_w, d->first, d->kernel.channels, insn->x_group, insn->in_w - done, insn->x_w,
        };
        gm_finish_positions(finish, &place, d->sums + done * GM_DEPTHWISE_CHANNELS);
    }
}

static void each_grad_x_channel(const struct gm_session *session, depthwise_grad_x *d, gm_finish_s16 *finish, uint32_t *panel)
{
    static const int32_t no_bias[GM_DEPTHWISE_CHANNELS];
    const gm_insn_conv_grad_x_s16 *insn = d->insn;
    gm_depthwise_pixels pixels = {
        .x = d->rows, .pair_bytes = 4 * d->outputs.pair_words, .stride = 1, .bias = no_bias,
        .window_bytes = 4 * gm_pairs_under(insn->kernel_w) * d->outputs.pair_words,
        .weights_skip = 4 * (insn->kernel_h - 1) * GM_DEPTHWISE_CHANNELS,
        .sums = d->sums + (insn->in_w + insn->in_w % 2) * GM_DEPTHWISE_CHANNELS == d->rows ? d->sums : NULL,
    };
    d->kernel.is_by_pairs = insn->kernel_h == 3 && insn->kernel_w == 3 && pixels.sums != NULL && GM_ARCH_DSP;
    uint32_t last_tap = (insn->kernel_h - 1) * insn->w_h + (insn->kernel_w - 1) * insn->w_w;
    for (; d->first < insn->groups; d->first += GM_DEPTHWISE_CHANNELS) {
        uint32_t left = insn->groups - d->first;
        d->kernel.channels = d->outputs.channels = left < GM_DEPTHWISE_CHANNELS ? left : GM_DEPTHWISE_CHANNELS;
        gm_pack_depthwise_kernel(&d->kernel, gm_i8(session, insn->w) + d->first * insn->w_group + last_tap, panel);
        for (uint32_t b = 0; b < insn->batch; b++) {
            finish_each_row(d, &pixels, finish, gm_i16(session, insn->dy) + b * insn->y_batch + d->first,
                     b * insn->x_batch + d->first * insn->x_group);
        }
    }
}

/* Returns `tiles`, uninitialized so far, if finishing two columns at once gives the same bits, else
 * NULL. Its frame is not on the stack while rows are computed. */
__attribute__((noinline)) static struct gm_gradient_tiles *
columns_at_once(const gm_insn_conv_grad_x_s16 *insn, const gm_finish_s16 *finish, struct gm_gradient_tiles *tiles)
{
#if GM_ARCH_DSP
    if (insn->x_group == 1 && gm_suits_gradient_tiles(finish, insn)) {
        *tiles = gm_gradient_tiles_of(finish, 0);
        return tiles;
    }
#else
    (void)insn, (void)finish, (void)tiles;
#endif
    return NULL;
}

static int suits_depthwise_grad_x(const gm_insn_conv_grad_x_s16 *insn)
{
    return insn->in_channels == 1 && insn->out_channels == 1 && insn->y_group == 1 && insn->dilation_h == 1 &&
           insn->dilation_w == 1 && insn->kernel_h <= 255 && insn->kernel_w <= 255 && insn->pad_h < insn->kernel_h &&
           insn->pad_w < insn->kernel_w;
}

int gm_arm_depthwise_grad_x_s16(const struct gm_session *session, const gm_insn_conv_grad_x_s16 *insn,
                                gm_finish_s16 *finish, struct gm_gradient_tiles *tiles)
{
    if (!suits_depthwise_grad_x(insn)) {
        return 0;
    }
    uint32_t set_words = gm_depthwise_set_words(insn->kernel_h, insn->kernel_w);
    uint64_t pairs = ((uint64_t)insn->in_w - 1) / 2 + gm_pairs_under(insn->kernel_w);
    uint64_t words = pairs * insn->kernel_h * GM_DEPTHWISE_CHANNELS + (uint64_t)insn->in_w * GM_DEPTHWISE_CHANNELS + 2 * set_words;
    uint32_t odd_words = insn->in_w % 2 * GM_DEPTHWISE_CHANNELS;
    if (words > insn->panel_words) {
        return 0;
    }
    if (words + odd_words > insn->panel_words) {
        odd_words = 0; /* one column after another */
    }
    uint32_t *panel = (uint32_t *)(void *)(session->arena + insn->panel);
    depthwise_grad_x d = {
        .insn = insn,
        .kernel = {.rows = insn->kernel_h, .columns = insn->kernel_w, .row_step = -(int32_t)insn->w_h,
                   .column_step = -(int32_t)insn->w_w, .channel_step = (int32_t)insn->w_group,
                   .zero = gm_nearest_int8(insn->w_zero), .set_words = set_words,
                   .is_one_row = insn->in_h == 1},
        .outputs = {.columns = insn->out_w, .step = insn->y_w, .stride = insn->stride_w,
                    .pad = insn->kernel_w - 1 - insn->pad_w, .pairs = (uint32_t)pairs,
                    .pair_words = insn->kernel_h * GM_DEPTHWISE_CHANNELS},
        .sums = panel + 2 * set_words,
        .columns = columns_at_once(insn, finish, tiles),
        .rows = panel + 2 * set_words + insn->in_w * GM_DEPTHWISE_CHANNELS + odd_words,
    };
    each_grad_x_channel(session, &d, finish, panel);
#if GM_ARCH_DSP
    if (d.columns) {
        gm_see_gradients(d.columns, finish);
    }
#endif
    return 1;
}

#endif
