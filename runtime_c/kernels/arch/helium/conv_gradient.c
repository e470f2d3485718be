/*
 * Weight gradients of convolutions with Helium. A tile holds the sums of some output channels by
 * some input channels, at one kernel tap. The sums run over all pixels. Both kinds of channels
 * must be contiguous.
 */
#include "../../../generated/instructions/conv_grad_w.h"
#include "../../../generated/instructions/conv_update.h"
#include "../../conv_gradient.h"
#include "../../optimizers/steps.h"
#include "../../rows.h"
#include "../arm_m/blocks/taps.h"
#include "helium.h"
#include "blocks/tile.h"
#include "blocks/update_tiles.h"

#if (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE) && GM_ARCH_HELIUM

/* A block of output and input channels. Its sums are (out_channels, in_channels, taps); those of
 * adjacent output channels are `size` elements apart. */
typedef struct gradient_block {
    uint32_t out_channels, in_channels;
    float *sums;
    uint32_t size;
} gradient_block;

/* The form of a block's tiles, see tile.h. */
#define FORM GM_COLUMN_BY_NEIGHBOURS

/* Adds the products of one sample at tap `number`. x and dy: at the first pixel that the tap
 * reaches. from_empty: the sums start from the empty sum, not from memory. */
static void add_sample_tap(const gradient_block *b, const gm_tap *tap, const float *x, const float *dy, uint32_t taps,
                           uint32_t number, int from_empty)
{
    int joined = tap->y_row == tap->columns * tap->y_column && tap->x_row == tap->columns * tap->x_column;
    gm_tile tile;
    tile.a[0] = dy, tile.b = x;
    tile.a_k = 4 * tap->y_column, tile.b_k = 4 * tap->x_column;
    tile.y_column = 4 * taps, tile.b_column = 4;
    tile.k = joined ? tap->rows * tap->columns : tap->columns;
    tile.taps = joined ? 1 : tap->rows, tile.rows = 1;
    tile.a_tap = 4 * (tap->y_row - tap->columns * tap->y_column);
    tile.b_tap = 4 * (tap->x_row - tap->columns * tap->x_column);
    tile.from_empty = (uint32_t)from_empty;
    for (uint32_t out_channel = 0; out_channel < b->out_channels; out_channel++) {
        tile.y[out_channel] = b->sums + out_channel * b->size + number;
    }
    gm_tile_columns(&tile, FORM, b->out_channels, b->in_channels);
}

/* Adds the products of the batch at all taps. x and dy: at the block's first channel. */
static void add_gradient_block(const gm_conv_gradient *g, const gradient_block *b, const float *x, const float *dy,
                               int from_empty)
{
    const gm_window *w = &g->window;
    uint32_t taps = w->kernel_h * w->kernel_w;
    for (uint32_t number = 0; number < taps; number++) {
        gm_tap tap = gm_tap_of(w, &g->x, &g->dy, number / w->kernel_w, number % w->kernel_w);
        if (tap.rows == 0) {
            tap = (gm_tap){ 0 }; /* no pixel: the sums keep their starting values */
        }
        for (uint32_t i = 0; i < g->batch; i++) {
            const float *x_at = x + i * g->x.batch + tap.x, *dy_at = dy + i * g->dy.batch + tap.y;
            add_sample_tap(b, &tap, x_at, dy_at, taps, number, from_empty && i == 0);
        }
    }
}

void gm_helium_step(const gm_rule_args *update, gm_rule_args *args, const float *g, uint32_t first, uint32_t n)
{
    args->g = g, args->n = n, args->p = update->p + first;
    args->slot1 = gm_moments_from(args->rule, update->slot1, first);
    args->slot2 = gm_moments_from(args->rule, update->slot2, first);
    gm_rule_of(args->rule)(args);
}

/* Gradients of `out_channels` output channels; their first weight has index `first`. */
static void gradients_of_out_channels(const gm_conv_gradient *g, const float *x, const float *dy,
                                      const gm_gradient_target *target, uint32_t first, uint32_t out_channels)
{
    uint32_t size = g->in_channels * g->window.kernel_h * g->window.kernel_w;
    const gradient_block all = { out_channels, g->in_channels, target->w + first, size };
    add_gradient_block(g, &all, x, dy, !target->accumulate);
}

/* The same with an update, for as many input channels at a time as fit in the row of sums. */
static void update_out_channels(const gm_conv_gradient *g, const float *x, const float *dy,
                                const gm_gradient_target *target,
                                uint32_t first, uint32_t out_channels)
{
    uint32_t taps = g->window.kernel_h * g->window.kernel_w, most = g->in_channels / out_channels / 4 * 4;
    gm_rule_args args = *target->update;
    for (uint32_t c = 0, n; c < g->in_channels; c += n) {
        n = g->in_channels - c < most ? g->in_channels - c : most;
        const gradient_block part = { out_channels, n, target->w, n * taps };
        add_gradient_block(g, &part, x + c, dy, 1);
        for (uint32_t out_channel = 0; out_channel < out_channels; out_channel++) {
            uint32_t at = first + (out_channel * g->in_channels + c) * taps;
            gm_helium_step(target->update, &args, part.sums + out_channel * part.size, at, part.size);
        }
    }
}

#if GM_WITH_SGD && GM_WITH_CONV_UPDATE

/* The number of pixels of the whole batch at the single tap of a 1x1 convolution, if they all are
 * `x_column` and `y_column` apart in the operands; else 0. */
static uint32_t joined_pixels(const gm_conv_gradient *g, const gm_tap *tap)
{
    uint32_t pixels = tap->rows * tap->columns;
    int rows = tap->rows == 1 || (tap->y_row == tap->columns * tap->y_column && tap->x_row == tap->columns * tap->x_column);
    int batch = g->batch == 1 || (g->dy.batch == pixels * tap->y_column && g->x.batch == pixels * tap->x_column);
    return rows && batch ? g->batch * pixels : 0;
}

/* Whether SGD can take the gradients from the registers of tiles. */
static int steps_in_registers(const gm_conv_gradient *g, const gm_gradient_target *target)
{
    if (!target->update || g->window.kernel_h * g->window.kernel_w != 1 || g->in_channels % 4 != 0) {
        return 0;
    }
    gm_tap tap = gm_tap_of(&g->window, &g->x, &g->dy, 0, 0);
    return gm_is_plain_sgd(target->update->rule) && joined_pixels(g, &tap) > 0;
}

/* The tile at `tiles`, in plain C, for subnormals. */
static void step_plain_tile(gm_update_tiles *tiles, uint32_t out_channels, float minus_lr)
{
    for (uint32_t m = 0; m < out_channels; m++) {
        for (uint32_t c = 0; c < 4; c++) {
            float sum = GM_EMPTY_SUM, *p = tiles->p + m * tiles->p_row / 4 + c;
            for (uint32_t k = 0; k < tiles->k; k++) {
                sum = GM_MAC(sum, tiles->dy[k * tiles->dy_k / 4 + m], tiles->x[k * tiles->x_k / 4 + c]);
            }
            *p = GM_MAC(*p, minus_lr, sum);
        }
    }
    tiles->x += 4, tiles->p += 4, tiles->left--;
}

/* The same as update_out_channels(), if steps_in_registers(). */
static void step_out_channels(const gm_conv_gradient *g, const float *x, const float *dy,
                              const gm_gradient_target *target, uint32_t first, uint32_t out_channels)
{
    gm_tap tap = gm_tap_of(&g->window, &g->x, &g->dy, 0, 0);
    uint32_t pixels = joined_pixels(g, &tap);
    float minus_lr = -target->update->lr;
    gm_update_tiles tiles = { .dy = dy + tap.y, .dy_k = 4 * tap.y_column, .x = x + tap.x, .x_k = 4 * tap.x_column,
                              .p = target->update->p + first, .p_row = 4 * g->in_channels,
                              .minus_lr = gm_bits_of(minus_lr), .k = pixels, .fours = (pixels - 1) / 4,
                              .rest = (pixels - 1) % 4,
                              .left = g->in_channels / 4 };
    while (tiles.left > 0) {
        if (out_channels == 6) {
            gm_update_tiles_of_6(&tiles);
        } else {
            gm_update_tiles_of_4(&tiles);
        }
        if (tiles.left > 0) {
            step_plain_tile(&tiles, out_channels, minus_lr);
        }
    }
}

#else

#define steps_in_registers(g, target) 0
#define step_out_channels(g, x, dy, target, first, out_channels) (void)0

#endif

/* One output channel, if fewer than 4 are left. */
static void one_out_channel(const gm_conv_gradient *g, const float *x, const float *dy,
                            const gm_gradient_target *target,
                            uint32_t first)
{
    uint32_t size = g->in_channels * g->window.kernel_h * g->window.kernel_w;
    float *row = target->update ? target->w : target->w + first;
    if (!target->accumulate) {
        gm_start_row(row, NULL, size);
    }
    gm_conv_gradient_row(g, x, dy, row);
    if (target->update) {
        gm_rule_args args = *target->update;
        gm_helium_step(target->update, &args, row, first, size);
    }
}

int gm_helium_conv_gradient(const gm_conv_gradient *g, const float *x, const float *dy,
                            const gm_gradient_target *target)
{
    uint32_t size = g->in_channels * g->window.kernel_h * g->window.kernel_w, first = 0;
    int in_registers = steps_in_registers(g, target);
    uint32_t most = !target->update || in_registers || g->in_channels >= 24 ? 6 : 4;
    if (gm_helium_three_channels(g, x, dy, target) || gm_helium_one_channel(g, x, dy, target)) {
        return 1;
    }
    if (g->x.channel != 1 || g->dy.channel != 1 || target->out_channels < 4 ||
        g->in_channels < (target->update && !in_registers ? 16 : 4)) {
        return 0;
    }
    for (uint32_t group = 0; group < target->groups; group++, x += g->x.group, dy += g->dy.group) {
        for (uint32_t m = 0, out_channels; m < target->out_channels; m += out_channels, first += out_channels * size) {
            uint32_t left = target->out_channels - m, rows = gm_tile_rows(FORM, left);
            out_channels = left < 4 ? 1 : rows < most ? rows : most;
            if (out_channels == 1) {
                one_out_channel(g, x, dy + m, target, first);
            } else if (in_registers) {
                step_out_channels(g, x, dy + m, target, first, out_channels);
            } else if (target->update) {
                update_out_channels(g, x, dy + m, target, first, out_channels);
            } else {
                gradients_of_out_channels(g, x, dy + m, target, first, out_channels);
            }
        }
    }
    return 1;
}

#endif
