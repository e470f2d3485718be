/*
 * Depthwise CONV_S8 with Helium: four channels after another; the rows under the kernel are in the
 * panel (blocks/byte_pixels.h) as 8-bit values, padded with zero points.
 */
#include "../../../generated/instructions/conv_s8.h"
#include "conv_s8.h"

#include "blocks/byte_pixels.h"
#include "blocks/tap_turns.h"

#if GM_WITH_CONV_S8 && GM_ARCH_PAIRS && GM_ARCH_HELIUM

enum { FOUR_CHANNELS = GM_TAP_CHANNELS };

/* The panel: the weights of each turn, then rows. */
typedef struct depthwise_bytes {
    const gm_insn_conv_s8 *insn;
    gm_requantization to_int8;
    gm_byte_pixels pixels;    /* what all rows of these channels share */
    uint32_t first, channels; /* 1 to 4, adjacent */
    gm_tap_turns turns;
    uint32_t columns, column_bytes; /* of a row in the panel */
    int32_t x_zero;
    int8_t *weights, *rows;
} depthwise_bytes;

/* ---- Weights --------------------------------------------------------------------------------- */

static void prepare_channels(depthwise_bytes *d, const int8_t *w)
{
    const gm_requantization *r = &d->to_int8;
    gm_byte_columns *to = &d->pixels.channels;
    for (uint32_t c = 0; c < FOUR_CHANNELS; c++) {
        uint32_t channel = d->first + (c < d->channels ? c : 0); /* a missing one is computed, but not stored */
        int32_t sum = gm_pack_turns(&d->turns, w + channel * d->insn->w_group, c, d->weights);
        to->starts[c] = gm_start_of_sum(r, channel) - (uint32_t)d->x_zero * (uint32_t)sum;
        to->multipliers[c] = r->multipliers[channel];
        to->offsets[c] = r->offsets ? r->offsets[channel] : 0.0f;
    }
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static int8_t *pack_zero_points(const depthwise_bytes *d, uint32_t columns, int8_t *to)
{
    uint32_t zeros = ((uint32_t)d->x_zero & 0xffu) * 0x01010101u;
    for (; columns > 0; columns--, to += d->column_bytes) {
        __builtin_memcpy(to, &zeros, sizeof zeros);
    }
    return to;
}

static int8_t *pack_byte_columns(const depthwise_bytes *d, const int8_t *x, uint32_t columns, int8_t *to)
{
    uint32_t bytes = d->column_bytes, step = d->insn->x_w, channels = d->channels;
    for (; columns > 0 && channels == FOUR_CHANNELS; columns--, x += step, to += bytes) {
        __builtin_memcpy(to, x, FOUR_CHANNELS);
    }
    for (; columns > 0; columns--, x += step, to += bytes) {
        to[0] = x[0], to[1] = x[channels > 1], to[2] = x[channels > 2 ? 2 : 0], to[3] = x[0];
    }
    return to;
}

/* One row of inputs, or NULL: zero points. */
static void pack_byte_row(const depthwise_bytes *d, const int8_t *x, int8_t *to)
{
    const gm_insn_conv_s8 *insn = d->insn;
    uint32_t left = insn->pad_w < d->columns ? insn->pad_w : d->columns, inside = d->columns - left;
    inside = x == NULL ? 0 : inside < insn->in_w ? inside : insn->in_w;
    to = pack_zero_points(d, left, to);
    to = pack_byte_columns(d, x, inside, to);
    pack_zero_points(d, d->columns - left - inside, to);
}

/* Outputs whose channels cannot be stored as four adjacent bytes. */
static void make_scattered_row(depthwise_bytes *d, int8_t *y)
{
    const gm_insn_conv_s8 *insn = d->insn;
    int8_t four[FOUR_CHANNELS];
    for (uint32_t column = 0; column < insn->out_w; column++, y += insn->y_w) {
        d->pixels.x = d->rows + column * d->pixels.x_step;
        d->pixels.y = four, d->pixels.left = 1;
        gm_make_byte_pixels(&d->pixels);
        for (uint32_t c = 0; c < d->channels; c++) {
            y[c * insn->y_group] = four[c];
        }
    }
}

static void make_row_of_bytes(depthwise_bytes *d, uint32_t row, int8_t *y)
{
    const gm_insn_conv_s8 *insn = d->insn;
    d->pixels.w = d->weights + row * insn->stride_h % insn->kernel_h * d->turns.bytes;
    d->pixels.w_end = d->pixels.w + d->turns.bytes;
    if (d->channels < FOUR_CHANNELS || insn->y_group != 1) {
        make_scattered_row(d, y);
        return;
    }
    d->pixels.x = d->rows, d->pixels.y = y, d->pixels.left = insn->out_w;
    gm_make_byte_pixels(&d->pixels);
}

/* One sample of these channels. Rows count from the first padding row. */
static void each_row_of_bytes(depthwise_bytes *d, const int8_t *x, int8_t *y)
{
    const gm_insn_conv_s8 *insn = d->insn;
    uint32_t next = 0;
    for (uint32_t row = 0; row < insn->out_h; row++) {
        uint32_t first = row * insn->stride_h;
        for (next = next < first ? first : next; next < first + insn->kernel_h; next++) {
            uint32_t i = next - insn->pad_h;
            pack_byte_row(d, i < insn->in_h ? x + i * insn->x_h : NULL, d->rows + next % insn->kernel_h * FOUR_CHANNELS);
        }
        make_row_of_bytes(d, row, y + row * insn->y_h);
    }
}

/* ---- The choice ------------------------------------------------------------------------------ */

static int suits_depthwise_bytes(const gm_insn_conv_s8 *insn)
{
    return insn->in_channels == 1 && insn->out_channels == 1 && insn->x_group == 1 && insn->dilation_h == 1 &&
           insn->dilation_w == 1 && insn->w_zero == 0 && gm_are_few_taps(insn->kernel_h, insn->kernel_w);
}

/* Returns 0 if the panel is too small. */
static int divide_depthwise_panel(const struct gm_session *session, depthwise_bytes *d)
{
    const gm_insn_conv_s8 *insn = d->insn;
    uint64_t columns = (uint64_t)(insn->out_w - 1) * insn->stride_w + insn->kernel_w;
    uint32_t rows = insn->kernel_h, room = insn->panel_words;
    uint64_t beyond = (uint64_t)insn->stride_w * rows + d->turns.bytes / 4 - rows * insn->kernel_w; /* words read past the rows */
    uint64_t words = (uint64_t)rows * d->turns.bytes / 4 + beyond;
    if (columns > room || words + columns * rows > room) {
        return 0;
    }
    d->columns = (uint32_t)columns, d->column_bytes = rows * FOUR_CHANNELS;
    d->weights = (int8_t *)session->arena + insn->panel;
    d->rows = d->weights + rows * d->turns.bytes;
    return 1;
}

static depthwise_bytes depthwise_bytes_of(const struct gm_session *session, const gm_insn_conv_s8 *insn)
{
    int32_t low = gm_nearest_int8(insn->low), high = gm_nearest_int8(insn->high);
    return (depthwise_bytes){
        .insn = insn,
        .to_int8 = GM_REQUANTIZATION(session, insn),
        .pixels = {.x_step = insn->stride_w * insn->kernel_h * FOUR_CHANNELS, .y_step = insn->y_w,
                   .zero = gm_nearest_int8(insn->y_zero), .low = {low, low, low, low}, .high = {high, high, high, high}},
        .turns = {.rows = insn->kernel_h, .columns = insn->kernel_w, .w_row = insn->w_h, .w_column = insn->w_w, .lanes = 16},
        .x_zero = gm_nearest_int8(insn->x_zero),
    };
}

int gm_helium_depthwise_s8(const struct gm_session *session, const gm_insn_conv_s8 *insn)
{
    depthwise_bytes d = depthwise_bytes_of(session, insn);
    if (!suits_depthwise_bytes(insn)) {
        return 0;
    }
    gm_order_taps(&d.turns);
    if (!divide_depthwise_panel(session, &d)) {
        return 0;
    }
    for (; d.first < insn->groups; d.first += FOUR_CHANNELS) {
        d.channels = insn->groups - d.first < FOUR_CHANNELS ? insn->groups - d.first : FOUR_CHANNELS;
        prepare_channels(&d, gm_i8(session, insn->w));
        for (uint32_t b = 0; b < insn->batch; b++) {
            each_row_of_bytes(&d, gm_i8(session, insn->x) + b * insn->x_batch + d.first,
                              gm_i8_out(session, insn->y) + b * insn->y_batch + d.first * insn->y_group);
        }
    }
    return 1;
}

#endif
