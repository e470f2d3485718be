/*
 * Depthwise CONV_GRAD_X_S16 with Helium: a convolution of the output gradients, interleaved with
 * zeros if the stride is larger than 1, with the flipped kernel, four channels after another.
 */
#include "../../../generated/instructions/conv_grad_x_s16.h"
#include "conv_grad_s16.h"

#include "../arm_m/blocks/gradient_tiles.h"
#include "blocks/gradient_pixels.h"

#if GM_ARCH_CONV_GRAD_X_S16 && GM_ARCH_HELIUM

enum { TURNED_CHANNELS = GM_TAP_CHANNELS };

/* The panel: the weights of each turn, then rows. */
typedef struct depthwise_gradients {
    const gm_insn_conv_grad_x_s16 *insn;
    const gm_finish_s16 *finish;
    gm_gradient_pixels pixels; /* what all rows of these channels share */
    gm_tap_turns turns;
    uint32_t pad_h, pad_w;     /* of the flipped kernel */
    uint32_t columns;          /* of a row in the panel */
    uint32_t column_step;      /* elements from one to the next */
    int8_t *weights;
    int16_t *rows;
} depthwise_gradients;

/* ---- Rows ------------------------------------------------------------------------------------ */

static int16_t *pack_zero_gradients(const depthwise_gradients *d, uint32_t columns, int16_t *to)
{
    for (; columns > 0; columns--, to += d->column_step) {
        __builtin_memset(to, 0, TURNED_CHANNELS * sizeof *to);
    }
    return to;
}

/* The gradients of a row of outputs in the panel, after the padding and `stride` columns apart. */
static void pack_row_of_gradients(const depthwise_gradients *d, const int16_t *dy, int16_t *to)
{
    const gm_insn_conv_grad_x_s16 *insn = d->insn;
    uint32_t stride = insn->stride_w, inside = d->columns - d->pad_w, count = (inside + stride - 1) / stride;
    uint32_t from_step = insn->y_w, to_step = d->column_step * stride;
    count = count < insn->out_w ? count : insn->out_w;
    to = pack_zero_gradients(d, d->pad_w, to);
    pack_zero_gradients(d, stride > 1 ? inside : inside - count, stride > 1 ? to : to + count * to_step);
    for (; count > 0; count--, dy += from_step, to += to_step) {
        __builtin_memcpy(to, dy, TURNED_CHANNELS * sizeof *to);
    }
}

/* Row `row` of the gradients with zeros inserted. dy: its sample and channels. */
static void pack_row_among_zeros(const depthwise_gradients *d, const int16_t *dy, uint32_t row, int16_t *to)
{
    const gm_insn_conv_grad_x_s16 *insn = d->insn;
    uint32_t o = row / insn->stride_h;
    if (o < insn->out_h && o * insn->stride_h == row) {
        pack_row_of_gradients(d, dy + o * insn->y_h, to);
    } else {
        pack_zero_gradients(d, d->columns, to);
    }
}

/* ---- Inputs ---------------------------------------------------------------------------------- */

/* A row of inputs, two at a time. If their number is odd, the last one is done twice.
 * at: its offset in dx. */
static void make_row_of_gradients(depthwise_gradients *d, uint32_t row, uint32_t at)
{
    const gm_insn_conv_grad_x_s16 *insn = d->insn;
    const gm_finish_s16 *f = d->finish;
    gm_gradient_pixels *p = &d->pixels;
    uint32_t dy_step = p->dy_step, q_step = p->q_step, dx_step = p->dx_step;
    p->w = d->weights + row % insn->kernel_h * d->turns.bytes;
    p->w_end = p->w + d->turns.bytes;
    p->dy = d->rows, p->dx = f->dx + at;
    p->q = f->mask.q ? f->mask.q + at : p->q;
    p->pairs = insn->in_w / 2;
    if (p->pairs > 0) {
        gm_make_gradient_pixels(p);
    }
    if (insn->in_w % 2 > 0) {
        p->pairs = 1, p->dy_step = p->q_step = p->dx_step = 0;
        gm_make_gradient_pixels(p);
        p->dy_step = dy_step, p->q_step = q_step, p->dx_step = dx_step;
    }
}

/* One sample of these channels. Rows count from the first padding row. at: offset in dx. */
static void each_row_of_gradients(depthwise_gradients *d, const int16_t *dy, uint32_t at)
{
    const gm_insn_conv_grad_x_s16 *insn = d->insn;
    uint32_t next = 0;
    for (uint32_t row = 0; row < insn->in_h; row++) {
        for (; next < row + insn->kernel_h; next++) {
            pack_row_among_zeros(d, dy, next - d->pad_h, d->rows + next % insn->kernel_h * TURNED_CHANNELS);
        }
        make_row_of_gradients(d, row, at + row * insn->x_h);
    }
}

static void prepare_gradient_channels(depthwise_gradients *d, const int8_t *w, uint32_t first)
{
    const gm_finish_s16 *f = d->finish;
    float factor = f->unit * f->inverse;
    for (uint32_t c = 0; c < TURNED_CHANNELS; c++) {
        gm_pack_turns(&d->turns, w + (first + c) * d->insn->w_group, c, d->weights);
        d->pixels.scale[c] = f->scale ? f->scale[first + c] * factor : factor;
    }
}

/* ---- The choice ------------------------------------------------------------------------------ */

static int suits_gradient_pixels(const gm_insn_conv_grad_x_s16 *insn, const gm_finish_s16 *finish)
{
    return insn->in_channels == 1 && insn->out_channels == 1 && insn->groups % TURNED_CHANNELS == 0 && insn->x_group == 1 &&
           insn->y_group == 1 && insn->dilation_h == 1 && insn->dilation_w == 1 && insn->w_zero == 0 &&
           gm_are_few_taps(insn->kernel_h, insn->kernel_w) && insn->pad_h < insn->kernel_h &&
           insn->pad_w < insn->kernel_w && gm_suits_gradient_tiles(finish, insn);
}

/* Returns 0 if the panel is too small. */
static int divide_gradient_panel(const struct gm_session *session, depthwise_gradients *d)
{
    const gm_insn_conv_grad_x_s16 *insn = d->insn;
    uint64_t columns = (uint64_t)insn->in_w + insn->kernel_w - 1;
    uint32_t rows = insn->kernel_h, room = insn->panel_words, beyond = d->turns.bytes / 2 - 2 * rows * insn->kernel_w;
    if (columns > room || (uint64_t)rows * d->turns.bytes / 4 + 2 * rows * columns + beyond > room) {
        return 0;
    }
    d->columns = (uint32_t)columns, d->column_step = rows * TURNED_CHANNELS;
    d->weights = (int8_t *)session->arena + insn->panel;
    d->rows = (int16_t *)(void *)(d->weights + rows * d->turns.bytes);
    return 1;
}

static depthwise_gradients depthwise_gradients_of(const gm_insn_conv_grad_x_s16 *insn, const gm_finish_s16 *f)
{
    static const int8_t passing[TURNED_CHANNELS];
    int has_mask = f->mask.q != NULL;
    int32_t limit = f->limit;
    return (depthwise_gradients){
        .insn = insn,
        .finish = f,
        .pixels = {.dy_step = insn->kernel_h * TURNED_CHANNELS * (uint32_t)sizeof(int16_t), .q = passing,
                   .q_step = has_mask ? insn->x_w : 0, .least = has_mask ? f->mask.low + 1 : INT8_MIN,
                   .most = has_mask ? f->mask.high - 1 : INT8_MAX, .dx_step = insn->x_w * (uint32_t)sizeof(int16_t),
                   .limits = {limit, limit, limit, limit}, .minus_limits = {-limit, -limit, -limit, -limit}},
        .turns = {.rows = insn->kernel_h, .columns = insn->kernel_w, .w_row = insn->w_h, .w_column = insn->w_w,
                  .lanes = 8, .is_turned_around = 1},
        .pad_h = insn->kernel_h - 1 - insn->pad_h,
        .pad_w = insn->kernel_w - 1 - insn->pad_w,
    };
}

/* Takes the largest of all values made into account. */
static void see_gradient_pixels(const gm_gradient_pixels *pixels, gm_finish_s16 *finish)
{
    for (uint32_t c = 0; c < TURNED_CHANNELS; c++) {
        uint32_t bits = gm_bits_of(pixels->largest[c] * (1.0f / finish->inverse));
        finish->largest = bits > finish->largest ? bits : finish->largest;
    }
}

int gm_helium_depthwise_grad_x_s16(const struct gm_session *session, const gm_insn_conv_grad_x_s16 *insn,
                                   gm_finish_s16 *finish)
{
    if (!suits_gradient_pixels(insn, finish)) {
        return 0;
    }
    depthwise_gradients d = depthwise_gradients_of(insn, finish);
    gm_order_taps(&d.turns);
    if (!divide_gradient_panel(session, &d)) {
        return 0;
    }
    for (uint32_t first = 0; first < insn->groups; first += TURNED_CHANNELS) {
        prepare_gradient_channels(&d, gm_i8(session, insn->w), first);
        for (uint32_t b = 0; b < insn->batch; b++) {
            each_row_of_gradients(&d, gm_i16(session, insn->dy) + b * insn->y_batch + first, b * insn->x_batch + first);
        }
    }
    see_gradient_pixels(&d.pixels, finish);
    return 1;
}

#endif
