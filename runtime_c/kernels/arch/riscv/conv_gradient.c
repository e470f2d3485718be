/*
 * Weight gradients of convolutions on RISC-V: for each tap, sums over all pixels of a rectangle. A
 * block of them stays in registers: 6 output channels by 4 channels; if channels are few, 8 output
 * channels by three taps, or 16 by one; or adjacent groups of one channel each.
 */
#include "../../../generated/instructions/conv_grad_w.h"
#include "../../../generated/instructions/conv_update.h"
#include "../../../src/image.h"
#include "../../conv_gradient.h"
#include "../../optimizers/steps.h"
#include "blocks/depthwise_gradient.h"
#include "blocks/tile.h"

#if GM_ARCH_RISCV && (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE)

static uint32_t at_most(uint32_t n, uint32_t limit)
{
    return n < limit ? n : limit;
}

/* The destination of the sums of some output channels and channels, and their starting
 * values: as in a tile. */
typedef struct gradient_destination {
    float *y;
    size_t y_row, y_column;
    const float *start;
    gm_riscv_finish finish;
    float minus_lr;
} gradient_destination;

static const float empty_sums[4] = {GM_EMPTY_SUM, GM_EMPTY_SUM, GM_EMPTY_SUM, GM_EMPTY_SUM};

/* ---- Sums of one tap ------------------------------------------------------------------------- */

/* Sets the pixels of kernel tap `number`: image rows are taps of the tile, and
 * samples are its rows. */
static void set_pixels(gm_riscv_tile *tile, const gm_conv_gradient *g, uint32_t number)
{
    const gm_window *w = &g->window;
    uint32_t k = number / w->kernel_w, l = number % w->kernel_w;
    gm_span rows = gm_valid_outputs(k, w->stride_h, w->dilation_h, w->pad_h, w->in_h, w->out_h);
    gm_span columns = gm_valid_outputs(l, w->stride_w, w->dilation_w, w->pad_w, w->in_w, w->out_w);
    size_t x_row = w->stride_h * (size_t)g->x.h, x_column = w->stride_w * (size_t)g->x.w;
    tile->k = columns.end - columns.first, tile->taps = rows.end - rows.first, tile->rows = g->batch;
    tile->a_k = g->dy.w, tile->b_k = x_column;
    if (tile->k == 0 || tile->taps == 0 || tile->rows == 0) {
        tile->k = 0, tile->taps = tile->rows = 1;
        return;
    }
    tile->a[0] += rows.first * (size_t)g->dy.h + columns.first * (size_t)g->dy.w;
    tile->b += gm_input_index(rows.first, k, w->stride_h, w->dilation_h, w->pad_h) * (size_t)g->x.h +
               gm_input_index(columns.first, l, w->stride_w, w->dilation_w, w->pad_w) * (size_t)g->x.w;
    if (g->dy.h == tile->k * tile->a_k && x_row == tile->k * x_column) {
        tile->k *= tile->taps, tile->taps = 1;
    }
    tile->a_tap = g->dy.h - tile->k * tile->a_k, tile->b_tap = x_row - tile->k * tile->b_k;
    tile->a_row = g->dy.batch - (tile->taps - 1) * (size_t)g->dy.h - tile->k * tile->a_k;
    tile->b_row = g->x.batch - (tile->taps - 1) * x_row - tile->k * tile->b_k;
}

/* ---- Output channels by channels ------------------------------------------------------------- */

/* Returns a tile of the pixels of kernel tap `number`, still without rows of a and y. */
static gm_riscv_tile tile_of_tap(const gm_conv_gradient *g, const float *x, const float *dy, uint32_t number,
                                 const gradient_destination *to)
{
    gm_riscv_tile tile = {.a = {dy},
                          .b = x,
                          .b_column = g->x.channel,
                          .y_column = to->y_column,
                          .start = to->start,
                          .finish = to->finish,
                          .minus_lr = to->minus_lr};
    set_pixels(&tile, g, number);
    return tile;
}

#if GM_ARCH_ZVE32F

static void exchange(size_t *a, size_t *b)
{
    size_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Swaps a and b: the products are the same. */
static void exchange_rows_and_columns(gm_riscv_tile *tile, size_t *a_row, size_t *y_row)
{
    const float *a = tile->a[0];
    tile->a[0] = tile->b, tile->b = a;
    exchange(&tile->a_k, &tile->b_k);
    exchange(&tile->a_tap, &tile->b_tap);
    exchange(&tile->a_row, &tile->b_row);
    exchange(a_row, &tile->b_column);
    exchange(y_row, &tile->y_column);
}

/* m rows by n columns. */
static void sum_rows_of_tap(const gm_riscv_tile *pixels, size_t a_row, float *y, size_t y_row, uint32_t m, uint32_t n)
{
    const int is_outer = a_row == 1 && pixels->b_column == 1;
    for (uint32_t first = 0, rows, count; first < m; first += count) {
        gm_riscv_tile tile = *pixels;
        rows = gm_riscv_rows(m - first);
        count = at_most(m - first, rows);
        gm_riscv_set_rows(&tile, pixels->a[0] + first * a_row, a_row, y + first * y_row, y_row, count);
        gm_riscv_sum(&tile, is_outer && count == rows ? GM_FORM_OUTER : GM_FORM_GENERAL, rows, n);
    }
}

/* Channels are columns, which are lanes; if they are few, output channels are, if there
 * are more of these. */
static void sum_tap_by_tiles(const gm_conv_gradient *g, const float *x, const float *dy, uint32_t number,
                             uint32_t out_channels, uint32_t channels, const gradient_destination *to)
{
    gm_riscv_tile pixels = tile_of_tap(g, x, dy, number, to);
    size_t a_row = g->dy.channel, y_row = to->y_row;
    if (channels < 32 && channels < out_channels) {
        exchange_rows_and_columns(&pixels, &a_row, &y_row);
        sum_rows_of_tap(&pixels, a_row, to->y, y_row, channels, out_channels);
    } else {
        sum_rows_of_tap(&pixels, a_row, to->y, y_row, out_channels, channels);
    }
}

#else

/* A multiple of four channels. */
static void sum_tap_by_tiles(const gm_conv_gradient *g, const float *x, const float *dy, uint32_t number,
                             uint32_t out_channels, uint32_t channels, const gradient_destination *to)
{
    const gm_riscv_tile pixels = tile_of_tap(g, x, dy, number, to);
    const int is_outer = g->dy.channel == 1 && pixels.b_column == 1;
    for (uint32_t m = 0, rows, count; m < out_channels; m += count) {
        gm_riscv_tile tile = pixels;
        rows = gm_riscv_rows(out_channels - m);
        count = at_most(out_channels - m, rows);
        gm_riscv_set_rows(&tile, pixels.a[0] + m * (size_t)g->dy.channel, g->dy.channel, to->y + m * to->y_row,
                          to->y_row, count);
        gm_riscv_sum(&tile, is_outer && count == rows ? GM_FORM_OUTER : GM_FORM_GENERAL, rows,
                     channels / GM_RISCV_COLUMNS);
    }
}

#endif

/* Sums for one channel and `rows` adjacent output channels: sums[r] += dy[r] x */
GM_INLINED void add_column(const gm_riscv_tile *t, const float *dy, float *sums, uint32_t rows)
{
    const float *x = t->b;
    for (uint32_t row = t->rows; row > 0; row--, dy += t->a_row - t->a_tap, x += t->b_row - t->b_tap) {
        for (uint32_t tap = t->taps; tap > 0; tap--, dy += t->a_tap, x += t->b_tap) {
            for (uint32_t k = t->k; k > 0; k--, dy += t->a_k, x += t->b_k) {
                float value = *x;
                GM_UNROLLED
                for (uint32_t r = 0; r < rows; r++) {
                    sums[r] = gm_riscv_mac(sums[r], dy[r], value);
                    if (r % 4 == 3) {
                        GM_IN_ORDER();
                    }
                }
            }
        }
    }
}

GM_INLINED void sum_column(const gm_riscv_tile *t, const float *dy, const gradient_destination *to, float *y,
                           uint32_t rows)
{
    float sums[16];
    GM_UNROLLED
    for (uint32_t r = 0; r < rows; r++) {
        sums[r] = to->start ? *to->start : y[r * to->y_row];
    }
    add_column(t, dy, sums, rows);
    GM_UNROLLED
    for (uint32_t r = 0; r < rows; r++) {
        float *at = y + r * to->y_row;
        *at = to->finish == GM_FINISH_SGD ? GM_MAC(*at, to->minus_lr, sums[r]) : sums[r];
    }
}

/* One channel. */
static void sum_channel(const gm_conv_gradient *g, const float *x, const float *dy, uint32_t number,
                        uint32_t out_channels, const gradient_destination *to)
{
    gm_riscv_tile tile = {.a = {dy}, .b = x};
    set_pixels(&tile, g, number);
    uint32_t m = 0;
    for (; g->dy.channel == 1 && out_channels - m >= 16; m += 16) {
        sum_column(&tile, tile.a[0] + m, to, to->y + m * to->y_row, 16);
    }
    for (; g->dy.channel == 1 && out_channels - m >= 4; m += 4) {
        sum_column(&tile, tile.a[0] + m, to, to->y + m * to->y_row, 4);
    }
    for (; m < out_channels; m++) {
        sum_column(&tile, tile.a[0] + m * (size_t)g->dy.channel, to, to->y + m * to->y_row, 1);
    }
}

/* The sums of one tap. */
static void sum_channels_of_tap(const gm_conv_gradient *g, const float *x, const float *dy, uint32_t number,
                                uint32_t out_channels, uint32_t channels, const gradient_destination *to)
{
    uint32_t whole = channels / GM_RISCV_COLUMNS * GM_RISCV_COLUMNS;
    if (whole > 0) {
        sum_tap_by_tiles(g, x, dy, number, out_channels, whole, to);
    }
    for (uint32_t c = whole; c < channels; c++) {
        gradient_destination channel = *to;
        channel.y += c * to->y_column;
        sum_channel(g, x + c * (size_t)g->x.channel, dy, number, out_channels, &channel);
    }
}

#if !GM_ARCH_ZVE32F /* with lanes, there is never a rest */

/* ---- Output channels by three taps of one channel -------------------------------------------- */

#define TAPS 3u
#define OUTPUTS 8u

/* Three taps, one below the other, which see the same image columns, and pixels of dy in rows; all
 * three see those from `first` to `end`. Steps are in elements, to what the next pixel sees. */
typedef struct tap_column {
    gm_span rows[TAPS];
    uint32_t first, end, columns;
    size_t x_row, x_column, dy_row, dy_column;
    size_t x[TAPS], dy; /* of the first pixel in row 0, modulo the size of an address: that may be outside */
} tap_column;

static tap_column column_of_taps(const gm_conv_gradient *g, uint32_t k, uint32_t l)
{
    const gm_window *w = &g->window;
    const gm_span columns = gm_valid_outputs(l, w->stride_w, w->dilation_w, w->pad_w, w->in_w, w->out_w);
    tap_column t = {.first = 0,
                    .end = w->out_h,
                    .columns = columns.end - columns.first,
                    .x_row = w->stride_h * (size_t)g->x.h,
                    .x_column = w->stride_w * (size_t)g->x.w,
                    .dy_row = g->dy.h,
                    .dy_column = g->dy.w,
                    .dy = columns.first * (size_t)g->dy.w};
    for (uint32_t i = 0; i < TAPS; i++) {
        t.rows[i] = gm_valid_outputs(k + i, w->stride_h, w->dilation_h, w->pad_h, w->in_h, w->out_h);
        t.first = t.rows[i].first > t.first ? t.rows[i].first : t.first;
        t.end = at_most(t.rows[i].end, t.end);
        t.x[i] = ((k + i) * (size_t)w->dilation_h - w->pad_h) * g->x.h +
                 gm_input_index(columns.first, l, w->stride_w, w->dilation_w, w->pad_w) * (size_t)g->x.w;
    }
    t.end = t.end > t.first ? t.end : t.first;
    return t;
}

/* One pixel under `taps` taps; tap i sees x[i] at this offset: sums[i][r] += dy[r] x[i] */
GM_INLINED void add_pixel_of_dy(const float *const *x, size_t offset, const float *dy, float (*sums)[OUTPUTS],
                                uint32_t taps)
{
    float values[TAPS];
    GM_UNROLLED
    for (uint32_t i = 0; i < taps; i++) {
        values[i] = x[i][offset];
    }
    GM_UNROLLED
    for (uint32_t r = 0; r < OUTPUTS; r++) {
        float gradient = dy[r];
        GM_UNROLLED
        for (uint32_t i = 0; i < taps; i++) {
            sums[i][r] = gm_riscv_mac(sums[i][r], gradient, values[i]);
        }
        GM_IN_ORDER();
    }
}

GM_INLINED void move_taps(const float **x, size_t by, uint32_t taps)
{
    GM_UNROLLED
    for (uint32_t i = 0; i < taps; i++) {
        x[i] += by;
        GM_HIDE(x[i]);
    }
}

/* Pixels of some rows. x_column: the step to what the next pixel sees if it is known, else 0. */
GM_INLINED void add_rows_of_dy(const tap_column *t, const float *const *x, const float *dy, gm_span rows,
                               float (*sums)[OUTPUTS], uint32_t taps, size_t x_column)
{
    const float *at[TAPS];
    GM_UNROLLED
    for (uint32_t i = 0; i < taps; i++) {
        at[i] = x[i] + rows.first * t->x_row;
    }
    dy += rows.first * t->dy_row;
    for (uint32_t row = rows.first; row < rows.end; row++, dy += t->dy_row - t->columns * t->dy_column) {
        uint32_t column = t->columns;
        for (; x_column > 0 && column >= 4; column -= 4) {
            GM_UNROLLED
            for (uint32_t i = 0; i < 4; i++, dy += t->dy_column) {
                add_pixel_of_dy(at, i * x_column, dy, sums, taps);
            }
            move_taps(at, 4 * x_column, taps);
        }
        for (; column > 0; column--, dy += t->dy_column) {
            add_pixel_of_dy(at, 0, dy, sums, taps);
            move_taps(at, t->x_column, taps);
        }
        move_taps(at, t->x_row - t->columns * t->x_column, taps);
    }
}

/* Rows that all taps see. In the planes of an image, what adjacent pixels see is a stride apart. */
GM_INLINED void add_rows_of_all_taps(const tap_column *t, const float *const *x, const float *dy,
                                     float (*sums)[OUTPUTS])
{
    const gm_span rows = {t->first, t->end};
    switch (t->x_column) {
    case 1: add_rows_of_dy(t, x, dy, rows, sums, TAPS, 1); break;
    case 2: add_rows_of_dy(t, x, dy, rows, sums, TAPS, 2); break;
    default: add_rows_of_dy(t, x, dy, rows, sums, TAPS, 0); break;
    }
}

/* Rows that all taps see, and before and after them those that only some see. */
GM_INLINED void add_sample_to_taps(const tap_column *t, const float *x, const float *dy, float (*sums)[OUTPUTS])
{
    const float *at[TAPS] = {x + t->x[0], x + t->x[1], x + t->x[2]};
    GM_UNROLLED
    for (uint32_t i = 0; i < TAPS; i++) {
        gm_span before = {t->rows[i].first, at_most(t->rows[i].end, t->first)};
        add_rows_of_dy(t, at + i, dy + t->dy, before, sums + i, 1, 0);
    }
    add_rows_of_all_taps(t, at, dy + t->dy, sums);
    GM_UNROLLED
    for (uint32_t i = 0; i < TAPS; i++) {
        gm_span behind = {t->rows[i].first > t->end ? t->rows[i].first : t->end, t->rows[i].end};
        add_rows_of_dy(t, at + i, dy + t->dy, behind, sums + i, 1, 0);
    }
}

/* 8 output channels. y: of the first one's first tap; y_tap: to the next. Not inlined, so that
 * other paths do not keep its frame on the stack. */
static GM_CALLED void sum_taps(const gm_conv_gradient *g, const tap_column *column, const float *x, const float *dy,
                               const gradient_destination *to, float *y, size_t y_tap)
{
    const tap_column t = *column;
    float sums[TAPS][OUTPUTS];
    GM_UNROLLED
    for (uint32_t i = 0; i < TAPS * OUTPUTS; i++) {
        sums[i / OUTPUTS][i % OUTPUTS] = to->start ? *to->start : y[i % OUTPUTS * to->y_row + i / OUTPUTS * y_tap];
    }
    for (uint32_t b = 0; b < g->batch; b++, x += g->x.batch, dy += g->dy.batch) {
        add_sample_to_taps(&t, x, dy, sums);
    }
    GM_UNROLLED
    for (uint32_t i = 0; i < TAPS * OUTPUTS; i++) {
        float *at = y + (i % OUTPUTS * to->y_row + i / OUTPUTS * y_tap), sum = sums[i / OUTPUTS][i % OUTPUTS];
        *at = to->finish == GM_FINISH_SGD ? gm_riscv_mac(*at, to->minus_lr, sum) : sum;
    }
}

/* All taps of one channel. */
static GM_CALLED void sum_channel_of_taps(const gm_conv_gradient *g, const float *x, const float *dy,
                                          uint32_t out_channels, const gradient_destination *to)
{
    const gm_window *w = &g->window;
    const uint32_t whole = g->dy.channel == 1 ? out_channels / OUTPUTS * OUTPUTS : 0;
    const uint32_t rows = whole > 0 && !GM_RISCV_SMALL ? w->kernel_h / TAPS * TAPS : 0;
    for (uint32_t number = 0; number < w->kernel_h * w->kernel_w; number++) {
        const uint32_t done = number < rows * w->kernel_w ? whole : 0;
        gradient_destination rest = *to;
        rest.y += done * to->y_row + number;
        if (done < out_channels) {
            sum_channel(g, x, dy + done * (size_t)g->dy.channel, number, out_channels - done, &rest);
        }
    }
    for (uint32_t number = 0; number < rows * w->kernel_w; number += TAPS * w->kernel_w) {
        for (uint32_t l = 0; l < w->kernel_w; l++) {
            const tap_column column = column_of_taps(g, number / w->kernel_w, l);
            for (uint32_t m = 0; m < whole; m += OUTPUTS) {
                sum_taps(g, &column, x, dy + m, to, to->y + m * to->y_row + number + l, w->kernel_w);
            }
        }
    }
}

#endif

/* ---- The rule -------------------------------------------------------------------------------- */

/* The n contiguous gradients from index `at` on. */
static void apply_rule(const gm_gradient_target *target, size_t at, const float *gradients, uint32_t n)
{
    gm_rule_args args = *target->update;
    args.g = gradients, args.n = n;
    gm_rule_move_on(&args, at);
    gm_rule_of(args.rule)(&args);
}

/* Blocks of output channels by channels; some of their taps fit in a row of gradients. */
typedef struct rule_blocks {
    uint32_t out_channels, channels, taps;
    float *room;
} rule_blocks;

static rule_blocks blocking_of(const gm_conv_gradient *g, const gm_gradient_target *target, float *own)
{
    uint32_t taps = g->window.kernel_h * g->window.kernel_w;
    rule_blocks b = {GM_RISCV_ROWS, GM_RISCV_COLUMNS, taps, target->w};
    if (g->in_channels >= GM_RISCV_ROWS * GM_RISCV_COLUMNS) {
        b.channels = g->in_channels / (GM_RISCV_ROWS * GM_RISCV_COLUMNS) * GM_RISCV_COLUMNS;
    } else {
        b.taps = at_most(g->in_channels * taps / (GM_RISCV_ROWS * GM_RISCV_COLUMNS), taps);
    }
    if (b.taps == 0) {
        b.taps = 1, b.room = own;
    }
    return b;
}

/* One block of a group, from index `first` of its taps on. at: index of its first gradient. */
static void update_block(const gm_conv_gradient *g, const float *x, const float *dy, const gm_gradient_target *target,
                         const rule_blocks *b, uint32_t first, size_t at)
{
    const uint32_t taps = g->window.kernel_h * g->window.kernel_w;
    const gradient_destination room = {b->room, b->channels * b->taps, b->taps, empty_sums, GM_FINISH_STORE, 0.0f};
    for (uint32_t t = 0; t < b->taps; t++) {
        gradient_destination to = room;
        to.y += t;
        sum_channels_of_tap(g, x, dy, first + t, b->out_channels, b->channels, &to);
    }
    for (uint32_t m = 0; m < b->out_channels; m++) {
        const float *gradients = b->room + m * room.y_row;
        size_t row = at + m * (size_t)(g->in_channels * taps) + first;
        if (b->taps == taps) {
            apply_rule(target, row, gradients, b->channels * taps);
            continue;
        }
        for (uint32_t c = 0; c < b->channels; c++) {
            apply_rule(target, row + c * taps, gradients + c * b->taps, b->taps);
        }
    }
}

static void update_group(const gm_conv_gradient *g, const float *x, const float *dy, const gm_gradient_target *target,
                         size_t at)
{
    float own[GM_RISCV_ROWS * GM_RISCV_COLUMNS];
    const uint32_t taps = g->window.kernel_h * g->window.kernel_w;
    const rule_blocks most = blocking_of(g, target, own);
    rule_blocks b = most;
    for (uint32_t m = 0; m < target->out_channels; m += b.out_channels) {
        b.out_channels = at_most(target->out_channels - m, most.out_channels);
        for (uint32_t c = 0; c < g->in_channels; c += b.channels) {
            b.channels = at_most(g->in_channels - c, most.channels);
            for (uint32_t first = 0; first < taps; first += b.taps) {
                b.taps = at_most(taps - first, most.taps);
                update_block(g, x + c * (size_t)g->x.channel, dy + m * (size_t)g->dy.channel, target, &b, first,
                             at + ((size_t)m * g->in_channels + c) * taps);
            }
        }
    }
}

/* Writes gradients, or parameters of plain SGD, in place. */
static void sum_group_in_place(const gm_conv_gradient *g, const float *x, const float *dy,
                               const gm_gradient_target *target, size_t at)
{
    const uint32_t taps = g->window.kernel_h * g->window.kernel_w;
    const gradient_destination to = {
        .y = (target->update ? target->update->p : target->w) + at,
        .y_row = (size_t)g->in_channels * taps,
        .y_column = taps,
        .start = target->accumulate ? NULL : empty_sums,
        .finish = target->update ? GM_FINISH_SGD : GM_FINISH_STORE,
        .minus_lr = target->update ? -target->update->lr : 0.0f,
    };
    const uint32_t whole = g->in_channels / GM_RISCV_COLUMNS * GM_RISCV_COLUMNS;
    for (uint32_t number = 0; number < taps && whole > 0; number++) {
        gradient_destination of_tap = to;
        of_tap.y += number;
        sum_tap_by_tiles(g, x, dy, number, target->out_channels, whole, &of_tap);
    }
#if !GM_ARCH_ZVE32F
    for (uint32_t c = whole; c < g->in_channels; c++) {
        gradient_destination channel = to;
        channel.y += c * (size_t)taps;
        sum_channel_of_taps(g, x + c * (size_t)g->x.channel, dy, target->out_channels, &channel);
    }
#endif
}

/* ---- Depthwise ------------------------------------------------------------------------------- */

/* Passes on n contiguous gradients. */
static void give_gradients(const gm_gradient_target *target, size_t at, const float *gradients, uint32_t n)
{
    if (target->update) {
        apply_rule(target, at, gradients, n);
    } else {
        memcpy(target->w + at, gradients, n * sizeof *gradients);
    }
}

#if GM_ARCH_ZVE32F

/* The most groups at once if a rule must be called. */
#define MOST_LANES 32u

/* One tap of adjacent groups, from weight `at` on. Writes the sums in place. */
static uint32_t sum_lanes_in_place(gm_riscv_tile *pixels, const gm_gradient_target *target, size_t at, uint32_t groups)
{
    const gm_rule_args *update = target->update;
    pixels->y[0] = (update ? update->p : target->w) + at;
    pixels->start = target->accumulate ? NULL : empty_sums;
    pixels->finish = update ? GM_FINISH_SGD : GM_FINISH_STORE;
    pixels->minus_lr = update ? -update->lr : 0.0f;
    return gm_lanes_add_groups(pixels, groups);
}

/* The same, if the rule takes one gradient at a time, `taps` from one to the next. */
static uint32_t sum_lanes_for_rule(gm_riscv_tile *pixels, const gm_gradient_target *target, size_t at, uint32_t groups,
                                   uint32_t taps)
{
    float sums[MOST_LANES];
    pixels->y[0] = sums, pixels->y_column = 1;
    pixels->start = empty_sums, pixels->finish = GM_FINISH_STORE;
    uint32_t lanes = gm_lanes_add_groups(pixels, at_most(groups, MOST_LANES));
    for (uint32_t i = 0; i < lanes; i++) {
        give_gradients(target, at + i * (size_t)taps, sums + i, 1);
    }
    return lanes;
}

static void by_lanes(const gm_conv_gradient *g, const float *x, const float *dy, const gm_gradient_target *target)
{
    const uint32_t taps = g->window.kernel_h * g->window.kernel_w;
    const int in_place = target->update == NULL || gm_is_plain_sgd(target->update->rule);
    for (uint32_t number = 0; number < taps; number++) {
        gm_riscv_tile first = {.a = {dy}, .b = x, .y_column = taps};
        set_pixels(&first, g, number);
        for (uint32_t group = 0, lanes; group < target->groups; group += lanes) {
            gm_riscv_tile pixels = first;
            const uint32_t left = target->groups - group;
            const size_t at = group * (size_t)taps + number;
            pixels.a[0] += group, pixels.b += group;
            lanes = in_place ? sum_lanes_in_place(&pixels, target, at, left)
                             : sum_lanes_for_rule(&pixels, target, at, left, taps);
        }
    }
}

#else

/* The gradients of one tap of n adjacent groups: sums[i] += dy[i] x[i] */
GM_INLINED void add_products_of_groups(const gm_riscv_tile *t, const float *x, const float *dy, float *sums, uint32_t n)
{
    float own[8];
    GM_UNROLLED
    for (uint32_t i = 0; i < n; i++) {
        own[i] = sums[i];
    }
    for (uint32_t row = t->rows; row > 0; row--, dy += t->a_row - t->a_tap, x += t->b_row - t->b_tap) {
        for (uint32_t tap = t->taps; tap > 0; tap--, dy += t->a_tap, x += t->b_tap) {
            for (uint32_t k = t->k; k > 0; k--, dy += t->a_k, x += t->b_k) {
                GM_UNROLLED
                for (uint32_t i = 0; i < n; i++) {
                    own[i] = gm_riscv_mac(own[i], dy[i], x[i]);
                }
            }
        }
    }
    GM_UNROLLED
    for (uint32_t i = 0; i < n; i++) {
        sums[i] = own[i];
    }
}

/* The starting value of a sum. */
static float start_of_sum(const gm_gradient_target *target, size_t at)
{
    return target->accumulate ? target->w[at] : GM_EMPTY_SUM;
}

/* One tap of n adjacent groups, from `group` on. */
GM_INLINED void sum_tap_of_groups(const gm_riscv_tile *pixels, const gm_gradient_target *target, uint32_t group,
                                  uint32_t taps, uint32_t number, uint32_t n)
{
    float sums[8];
    GM_UNROLLED
    for (uint32_t i = 0; i < n; i++) {
        sums[i] = start_of_sum(target, (group + i) * (size_t)taps + number);
    }
    add_products_of_groups(pixels, pixels->b + group, pixels->a[0] + group, sums, n);
    for (uint32_t i = 0; i < n; i++) {
        give_gradients(target, (group + i) * (size_t)taps + number, sums + i, 1);
    }
}

static void by_taps(const gm_conv_gradient *g, const float *x, const float *dy, const gm_gradient_target *target)
{
    const uint32_t taps = g->window.kernel_h * g->window.kernel_w;
    for (uint32_t number = 0; number < taps; number++) {
        gm_riscv_tile pixels = {.a = {dy}, .b = x};
        uint32_t group = 0;
        set_pixels(&pixels, g, number);
        for (; target->groups - group >= 8; group += 8) {
            sum_tap_of_groups(&pixels, target, group, taps, number, 8);
        }
        for (; group < target->groups; group++) {
            sum_tap_of_groups(&pixels, target, group, taps, number, 1);
        }
    }
}

static void by_groups_of_3x3(const gm_conv_gradient *g, const float *x, const float *dy,
                             const gm_gradient_target *target)
{
    for (uint32_t group = 0; group < target->groups; group++) {
        float sums[9];
        for (uint32_t i = 0; i < 9; i++) {
            sums[i] = start_of_sum(target, group * 9 + i);
        }
        gm_riscv_add_3x3_gradient(g, x + group, dy + group, sums);
        give_gradients(target, group * 9, sums, 9);
    }
}

#endif

/* ---- All of them ----------------------------------------------------------------------------- */

int gm_conv_gradient_of_neighbours(const gm_conv_gradient *g, const float *x, const float *dy,
                                   const gm_gradient_target *target)
{
    const size_t size = (size_t)target->out_channels * g->in_channels * (g->window.kernel_h * g->window.kernel_w);
    if (g->in_channels == 1 && target->out_channels == 1 && g->x.group == 1 && g->dy.group == 1) {
#if GM_ARCH_ZVE32F
        by_lanes(g, x, dy, target);
#else
        if (gm_riscv_is_3x3(&g->window)) {
            by_groups_of_3x3(g, x, dy, target);
        } else {
            by_taps(g, x, dy, target);
        }
#endif
        return 1;
    }
    if (target->out_channels < 4) {
        return 0;
    }
    int in_place = target->update == NULL || gm_is_plain_sgd(target->update->rule);
    for (uint32_t group = 0; group < target->groups; group++, x += g->x.group, dy += g->dy.group) {
        if (in_place) {
            sum_group_in_place(g, x, dy, target, group * size);
        } else {
            update_group(g, x, dy, target, group * size);
        }
    }
    return 1;
}

#endif
