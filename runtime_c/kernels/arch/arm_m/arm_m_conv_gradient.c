/*
 * Gradients of convolutions' weights on Cortex-M with FPU. A sum goes over all pixels of a rectangle at once, and up to 16
 * of them stand in registers: of neighbouring channels of x, else of neighbouring maps of dy, else of groups where each has
 * one channel and map. With a kernel of one cell they are a matrix product, maps by channels.
 */
#include "../../conv_gradient.h"
#include "../../gemm_tile.h"
#include "../../rows.h"
#include "../arch.h"
#include "../helium/helium.h"
#include "taps.h"
#include "three_cells.h"
#include "walk.h"

#if (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE) && GM_ARCH_ARM_M

/* Sums at a time. */
#define SUMS 16

static uint32_t at_most(uint32_t n, uint32_t limit)
{
    return n < limit ? n : limit;
}

/* ---- Neighbouring channels --------------------------------------------------------------------------------- */

/* sums[i] += sum over the batch and the tap's pixels of dy x[i] */
static void add_channels(const gm_conv_gradient *g, const gm_tap *tap, const float *x, const float *dy, float *sums,
                         uint32_t n)
{
    const gm_walk walk = { tap->rows, tap->columns, tap->y_row, tap->y_column, tap->x_row, tap->x_column };
    for (uint32_t b = 0; b < g->batch && tap->rows > 0; b++) {
        gm_walk_across(&walk, dy + b * g->dy.batch + tap->y, x + b * g->x.batch + tap->x, sums, n);
    }
}

/* Of one kernel cell, n channels. at: the first one's sum. */
static void add_cell(const gm_conv_gradient *g, const gm_tap *tap, uint32_t n, const float *x, const float *dy, float *at)
{
    uint32_t cells = g->window.kernel_h * g->window.kernel_w, most = g->x.channel == 1 ? SUMS : 1;
    for (uint32_t count; n > 0; n -= count, at += count * cells, x += count * g->x.channel) {
        float sums[SUMS];
        count = at_most(n, most);
        for (uint32_t i = 0; i < count; i++) {
            sums[i] = at[i * cells];
        }
        add_channels(g, tap, x, dy, sums, count);
        for (uint32_t i = 0; i < count; i++) {
            at[i * cells] = sums[i];
        }
    }
}

static void cell_by_cell(const gm_conv_gradient *g, uint32_t n, const float *x, const float *dy, float *row)
{
    const gm_window *w = &g->window;
    for (uint32_t k = 0; k < w->kernel_h && n > 0; k++) {
        for (uint32_t l = 0; l < w->kernel_w; l++) {
            gm_tap tap = gm_tap_of(w, &g->x, &g->dy, k, l);
            add_cell(g, &tap, n, x, dy, row++);
        }
    }
}

/* Of 8 channels, kernel row by kernel row. Returns 0, and does nothing, where that is no way. */
static int add_8_channels(const gm_conv_gradient *g, const float *x, const float *dy, float *row)
{
    uint32_t cells = g->window.kernel_h * g->window.kernel_w;
    for (uint32_t k = 0; k < g->window.kernel_h; k++) {
        gm_three_cells three;
        if (!gm_three_cells_of(g, k, GM_8_CHANNELS, cells, &three)) {
            return 0;
        }
        gm_add_three_cells(g, &three, GM_8_CHANNELS, x, dy, row + 3 * k);
    }
    return 1;
}

/* 16 channels at a time, cell by cell; 8 that are left by kernel rows, where that is a way, and others cell by cell. */
void gm_conv_gradient_row(const gm_conv_gradient *g, const float *x, const float *dy, float *row)
{
    uint32_t cells = g->window.kernel_h * g->window.kernel_w, last = g->channels % SUMS, first = g->channels - last;
    const float *x_last = x + first * g->x.channel;
    float *row_last = row + first * cells;
    cell_by_cell(g, first, x, dy, row);
    if (last >= 8 && add_8_channels(g, x_last, dy, row_last)) {
        x_last += 8 * g->x.channel, row_last += 8 * cells, last -= 8;
    }
    cell_by_cell(g, last, x_last, dy, row_last);
}

/* ---- Neighbouring maps, or groups -------------------------------------------------------------------------- */

/* Sums of one channel and kernel cell, of n neighbouring maps; or of one kernel cell, of n neighbouring groups. */
static void add_neighbours(const gm_conv_gradient *g, const gm_tap *tap, const float *x, const float *dy, float *sums,
                           uint32_t n, int groups)
{
    const gm_walk walk = { tap->rows, tap->columns, tap->x_row, tap->x_column, tap->y_row, tap->y_column };
    for (uint32_t b = 0; b < g->batch && tap->rows > 0; b++) {
        const float *x_at = x + b * g->x.batch + tap->x, *dy_at = dy + b * g->dy.batch + tap->y;
        if (groups) {
            gm_walk_products(&walk, x_at, dy_at, sums, n);
        } else {
            gm_walk_across(&walk, x_at, dy_at, sums, n);
        }
    }
}

/* n runs of neighbouring sums, through the rule to parameters, or to w. step: elements from one run to the next. */
static void give(const gm_gradient_target *target, uint32_t at, uint32_t step, const float *sums, uint32_t n, uint32_t run)
{
    for (uint32_t i = 0; i < n; i++, at += step, sums += run) {
        if (target->update == NULL) {
            memcpy(target->w + at, sums, run * sizeof *sums);
            continue;
        }
        gm_rule_args one = *target->update;
        one.g = sums, one.n = run, one.p += at;
        one.slot1 = one.slot1 ? one.slot1 + at : NULL;
        one.slot2 = one.slot2 ? one.slot2 + at : NULL;
        gm_rules[*(const uint32_t *)one.rule](&one);
    }
}

/* What these runs start from. */
static void take(const gm_gradient_target *target, uint32_t at, uint32_t step, float *sums, uint32_t n, uint32_t run)
{
    for (uint32_t i = 0; i < n; i++, at += step) {
        for (uint32_t j = 0; j < run; j++) {
            *sums++ = target->accumulate ? target->w[at + j] : GM_EMPTY_SUM;
        }
    }
}

/* n neighbouring maps or groups, whose weights are `step` apart, for each channel and kernel cell. */
static void neighbours(const gm_conv_gradient *g, const float *x, const float *dy, uint32_t n, uint32_t at,
                       const gm_gradient_target *target, int groups)
{
    const gm_window *w = &g->window;
    uint32_t cells = w->kernel_h * w->kernel_w, step = g->channels * cells;
    for (uint32_t cell = 0; cell < cells; cell++) {
        gm_tap tap = gm_tap_of(w, &g->x, &g->dy, cell / w->kernel_w, cell % w->kernel_w);
        for (uint32_t c = 0; c < g->channels; c++) {
            float sums[SUMS];
            uint32_t first = at + c * cells + cell;
            take(target, first, step, sums, n, 1);
            add_neighbours(g, &tap, x + c * g->x.channel, dy, sums, n, groups);
            give(target, first, step, sums, n, 1);
        }
    }
}

/* 8 neighbouring maps, for each channel and kernel row. Returns 0, and does nothing, where that is no way. */
static int add_8_maps(const gm_conv_gradient *g, const float *x, const float *dy, uint32_t at,
                      const gm_gradient_target *target)
{
    uint32_t cells = g->window.kernel_h * g->window.kernel_w, step = g->channels * cells;
    for (uint32_t k = 0; k < g->window.kernel_h; k++) {
        gm_three_cells three;
        if (!gm_three_cells_of(g, k, GM_8_MAPS, 3, &three)) {
            return 0;
        }
        for (uint32_t c = 0; c < g->channels; c++) {
            float sums[24];
            uint32_t first = at + c * cells + 3 * k;
            take(target, first, step, sums, 8, 3);
            gm_add_three_cells(g, &three, GM_8_MAPS, x + c * g->x.channel, dy, sums);
            give(target, first, step, sums, 8, 3);
        }
    }
    return 1;
}

/* Maps, where channels are too few, or not neighbours. */
static void by_maps(const gm_conv_gradient *g, const float *x, const float *dy, const gm_gradient_target *target)
{
    uint32_t size = g->channels * g->window.kernel_h * g->window.kernel_w;
    for (uint32_t group = 0; group < target->groups; group++, x += g->x.group) {
        for (uint32_t m = 0, n; m < target->maps; m += n) {
            const float *dy_at = dy + group * g->dy.group + m;
            uint32_t at = (group * target->maps + m) * size;
            n = 8;
            if (target->maps - m < n || !add_8_maps(g, x, dy_at, at, target)) {
                n = at_most(target->maps - m, SUMS);
                neighbours(g, x, dy_at, n, at, target, 0);
            }
        }
    }
}

static void by_groups(const gm_conv_gradient *g, const float *x, const float *dy, const gm_gradient_target *target)
{
    uint32_t size = g->window.kernel_h * g->window.kernel_w;
    for (uint32_t group = 0, n; group < target->groups; group += n) {
        n = at_most(target->groups - group, SUMS);
        neighbours(g, x + group, dy + group, n, group * size, target, 1);
    }
}

/* ---- One kernel cell --------------------------------------------------------------------------------------- */

/* A block of gradients, maps by channels: sums[m,c] += sum over the batch and the tap's pixels of dy[m] x[c] */
static void add_maps_by_channels(const gm_conv_gradient *g, const gm_tap *tap, const float *x, const float *dy,
                                 float *sums, uint32_t maps, uint32_t channels)
{
    int joined = tap->x_row == tap->columns * tap->x_column && tap->y_row == tap->columns * tap->y_column;
    uint32_t rows = joined ? 1 : tap->rows, pixels = joined ? tap->rows * tap->columns : tap->columns;
    const gm_gemm_strides strides = { g->dy.channel, tap->y_column, tap->x_column, g->x.channel, pixels };
    for (uint32_t b = 0; b < g->batch; b++) {
        const float *x_at = x + b * g->x.batch + tap->x, *dy_at = dy + b * g->dy.batch + tap->y;
        for (uint32_t row = 0; row < rows && pixels > 0; row++, x_at += tap->x_row, dy_at += tap->y_row) {
            gm_gemm_matrix(dy_at, x_at, sums, maps, channels, channels, &strides);
        }
    }
}

/* All maps and channels of a group, whose weights begin at `at`; where they go through the rule, in blocks of 4 maps that
 * have room in a row. */
static void by_maps_and_channels(const gm_conv_gradient *g, const gm_tap *tap, const float *x, const float *dy, uint32_t at,
                                 const gm_gradient_target *target)
{
    uint32_t rows = target->update ? 4 : target->maps, width = target->update ? g->channels / 16 * 4 : g->channels;
    for (uint32_t m = 0; m < target->maps; m += rows) {
        uint32_t maps = at_most(target->maps - m, rows);
        for (uint32_t c = 0; c < g->channels; c += width) {
            uint32_t channels = at_most(g->channels - c, width), first = at + m * g->channels + c;
            float *sums = target->update ? target->w : target->w + first;
            if (!target->accumulate) {
                gm_start_row(sums, NULL, maps * channels);
            }
            add_maps_by_channels(g, tap, x + c * g->x.channel, dy + m * g->dy.channel, sums, maps, channels);
            if (target->update) {
                give(target, first, g->channels, sums, maps, channels);
            }
        }
    }
}

static void by_products(const gm_conv_gradient *g, const float *x, const float *dy, const gm_gradient_target *target)
{
    gm_tap tap = gm_tap_of(&g->window, &g->x, &g->dy, 0, 0);
    for (uint32_t group = 0; group < target->groups; group++, x += g->x.group, dy += g->dy.group) {
        by_maps_and_channels(g, &tap, x, dy, group * target->maps * g->channels, target);
    }
}

int gm_conv_gradient_of_neighbours(const gm_conv_gradient *g, const float *x, const float *dy,
                                   const gm_gradient_target *target)
{
    if (gm_helium_conv_gradient(g, x, dy, target)) {
        return 1;
    }
    if (g->window.kernel_h * g->window.kernel_w == 1 && target->maps >= 4 && g->channels >= SUMS) {
        by_products(g, x, dy, target);
        return 1;
    }
    if (g->channels == 1 && target->maps == 1 && g->x.group == 1 && g->dy.group == 1) {
        if (!gm_helium_depthwise_gradient(g, x, dy, target)) {
            by_groups(g, x, dy, target);
        }
        return 1;
    }
    if (g->dy.channel == 1 && target->maps > 1 && (g->channels < 4 || g->x.channel != 1)) {
        by_maps(g, x, dy, target);
        return 1;
    }
    return 0;
}

#endif
