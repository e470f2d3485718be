/*
 * Weight gradients of convolutions on Cortex-M with FPU. A sum runs over all pixels of a rectangle
 * at once, and up to 24 sums stay in registers: output channels by channels if both are adjacent,
 * else either alone, else groups with one channel and output channel each. With a kernel of one tap
 * they are a matrix product, output channels by channels.
 */
#include "../../../generated/instructions/conv_grad_w.h"
#include "../../../generated/instructions/conv_update.h"
#include "../../conv_gradient.h"
#include "../../gemm_tile.h"
#include "../../rows.h"
#include "../arch.h"
#include "../helium/helium.h"
#include "blocks/taps.h"
#include "blocks/three_taps.h"
#include "blocks/strided_loop.h"

#if (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE) && GM_ARCH_ARM_M

/* Sums at a time. */
#define SUMS 16

/* Taps of an output channel or group that share a call of the rule. */
#define RUN 2

/* ---- Adjacent channels ----------------------------------------------------------------------- */

/* sums[i] += sum over the batch and the tap's pixels of dy x[i] */
static void add_channels(const gm_conv_gradient *g, const gm_tap *tap, const float *x, const float *dy, float *sums,
                         uint32_t n)
{
    const gm_loop loop = { tap->rows, tap->columns, tap->y_row, tap->y_column, tap->x_row, tap->x_column };
    for (uint32_t b = 0; b < g->batch && tap->rows > 0; b++) {
        gm_loop_across(&loop, dy + b * g->dy.batch + tap->y, x + b * g->x.batch + tap->x, sums, n);
    }
}

/* Adds the gradients of n channels for one kernel tap. at: the first channel's sum. */
static void add_gradient_tap(const gm_conv_gradient *g, const gm_tap *tap, uint32_t n, const float *x, const float *dy,
                             float *at)
{
    uint32_t taps = g->window.kernel_h * g->window.kernel_w, most = g->x.channel == 1 ? SUMS : 1;
    for (uint32_t count; n > 0; n -= count, at += count * taps, x += count * g->x.channel) {
        float sums[SUMS];
        count = gm_smaller(n, most);
        for (uint32_t i = 0; i < count; i++) {
            sums[i] = at[i * taps];
        }
        add_channels(g, tap, x, dy, sums, count);
        for (uint32_t i = 0; i < count; i++) {
            at[i * taps] = sums[i];
        }
    }
}

void gm_conv_gradient_row(const gm_conv_gradient *g, const float *x, const float *dy, float *row)
{
    const gm_window *w = &g->window;
    for (uint32_t k = 0; k < w->kernel_h; k++) {
        for (uint32_t l = 0; l < w->kernel_w; l++) {
            gm_tap tap = gm_tap_of(w, &g->x, &g->dy, k, l);
            add_gradient_tap(g, &tap, g->in_channels, x, dy, row++);
        }
    }
}

/* ---- Adjacent output channels, or groups ----------------------------------------------------- */

/* Sums of one channel and kernel tap for n adjacent output channels; or of one kernel tap for
 * n adjacent groups. */
static void add_neighbours(const gm_conv_gradient *g, const gm_tap *tap, const float *x, const float *dy, float *sums,
                           uint32_t n, int groups)
{
    const gm_loop loop = { tap->rows, tap->columns, tap->x_row, tap->x_column, tap->y_row, tap->y_column };
    for (uint32_t b = 0; b < g->batch && tap->rows > 0; b++) {
        const float *x_at = x + b * g->x.batch + tap->x, *dy_at = dy + b * g->dy.batch + tap->y;
        if (groups) {
            gm_loop_products(&loop, x_at, dy_at, sums, n);
        } else {
            gm_loop_across(&loop, x_at, dy_at, sums, n);
        }
    }
}

/* Passes n runs of adjacent sums through the rule to parameters. step: elements from
 * one run to the next. */
static void update_runs(const gm_gradient_target *target, uint32_t at, uint32_t step, const float *sums, uint32_t n,
                        uint32_t run)
{
    gm_rule_args args = *target->update;
    const gm_rule_fn rule = gm_rule_of(args.rule);
    args.g = sums, args.n = run;
    gm_rule_move_on(&args, at);
    for (; n > 0; n--, args.g += run) {
        rule(&args);
        gm_rule_move_on(&args, step);
    }
}

/* A function that compilers would inline in several places, or whose variables would
 * crowd its caller's. */
#define ONCE __attribute__((noinline)) static void

/* The same, or stores the sums in w. */
ONCE give(const gm_gradient_target *target, uint32_t at, uint32_t step, const float *sums, uint32_t n, uint32_t run)
{
    if (target->update) {
        update_runs(target, at, step, sums, n, run);
        return;
    }
    for (uint32_t i = 0; i < n; i++, at += step, sums += run) {
        memcpy(target->w + at, sums, run * sizeof *sums);
    }
}

/* Initializes the sums of n runs: to w if the gradients accumulate, else to the empty sum. step:
 * elements from one run to the next. */
static void start_runs(const gm_gradient_target *target, uint32_t at, uint32_t step, float *sums, uint32_t n,
                       uint32_t run)
{
    if (!target->accumulate) {
        gm_start_row(sums, NULL, n * run);
        return;
    }
    for (uint32_t i = 0; i < n; i++, at += step, sums += run) {
        memcpy(sums, target->w + at, run * sizeof *sums);
    }
}

static void scatter_sums(const float *sums, uint32_t n, float *to, uint32_t step)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i * step] = sums[i];
    }
}

/* n adjacent output channels or groups, for each channel and some kernel taps. */
static void neighbours(const gm_conv_gradient *g, const float *x, const float *dy, uint32_t n, uint32_t at,
                       const gm_gradient_target *target, int groups)
{
    const gm_window *w = &g->window;
    uint32_t taps = w->kernel_h * w->kernel_w, step = g->in_channels * taps;
    for (uint32_t c = 0; c < g->in_channels; c++, x += g->x.channel, at += taps) {
        for (uint32_t first = 0, run; first < taps; first += run) {
            float sums[SUMS], runs[RUN * SUMS];
            run = gm_smaller(taps - first, RUN);
            for (uint32_t number = first; number < first + run; number++) {
                gm_tap tap = gm_tap_of(w, &g->x, &g->dy, number / w->kernel_w, number % w->kernel_w);
                start_runs(target, at + number, step, sums, n, 1);
                add_neighbours(g, &tap, x, dy, sums, n, groups);
                scatter_sums(sums, n, runs + number - first, run);
            }
            give(target, at + first, step, runs, n, run);
        }
    }
}

/* The kernel's rows, if each can be done at once (three_taps.h). */
#define KERNEL_ROWS 3
typedef struct rows_of_taps {
    enum gm_neighbours of;
    gm_three_taps row[KERNEL_ROWS];
} rows_of_taps;

/* Returns 0 if they cannot. */
__attribute__((noinline)) static int find_rows_of_taps(const gm_conv_gradient *g, enum gm_neighbours of,
                                                       rows_of_taps *rows)
{
    uint32_t kernel_h = g->window.kernel_h, taps = kernel_h * g->window.kernel_w;
    rows->of = of;
    for (uint32_t k = 0; k < kernel_h; k++) {
        if (kernel_h > KERNEL_ROWS || !gm_three_taps_of(g, k, of, taps, &rows->row[k])) {
            return 0;
        }
    }
    return 1;
}

/* All taps of the output channels and channels, or groups, that these rows do together. */
static void add_kernel_rows(const gm_conv_gradient *g, const rows_of_taps *rows, const float *x, const float *dy,
                            uint32_t at, const gm_gradient_target *target)
{
    float sums[24 * KERNEL_ROWS];
    uint32_t taps = g->window.kernel_h * g->window.kernel_w, step = g->in_channels * taps;
    uint32_t n = rows->of == GM_8_OUT_CHANNELS ? 8 : rows->of == GM_4_GROUPS ? 4 : 2;
    uint32_t run = rows->of == GM_2_BY_4_CHANNELS ? 4 * taps : taps;
    if (run == step) {
        run *= n, n = 1;
    }
    start_runs(target, at, step, sums, n, run);
    for (uint32_t k = 0; k < g->window.kernel_h; k++) {
        gm_add_three_taps(g, &rows->row[k], rows->of, x, dy, sums + 3 * k);
    }
    give(target, at, step, sums, n, run);
}

/* By output channels, if channels are too few or not adjacent. */
static void gradient_by_out_channels(const gm_conv_gradient *g, const float *x, const float *dy,
                                     const gm_gradient_target *target)
{
    rows_of_taps rows;
    int suits = GM_ARCH_THREE_TAPS && find_rows_of_taps(g, GM_8_OUT_CHANNELS, &rows);
    uint32_t taps = g->window.kernel_h * g->window.kernel_w, size = g->in_channels * taps;
    for (uint32_t group = 0; group < target->groups; group++, x += g->x.group) {
        for (uint32_t m = 0, n; m < target->out_channels; m += n) {
            const float *dy_at = dy + group * g->dy.group + m;
            uint32_t at = (group * target->out_channels + m) * size;
            n = gm_smaller(target->out_channels - m, suits ? 8 : SUMS);
            if (suits && n == 8) {
                for (uint32_t c = 0; c < g->in_channels; c++) {
                    add_kernel_rows(g, &rows, x + c * g->x.channel, dy_at, at + c * taps, target);
                }
            } else {
                neighbours(g, x, dy_at, n, at, target, 0);
            }
        }
    }
}

static void gradient_by_groups(const gm_conv_gradient *g, const float *x, const float *dy,
                               const gm_gradient_target *target)
{
    rows_of_taps rows;
    int suits = GM_ARCH_TAPS_OF_GROUPS && find_rows_of_taps(g, GM_4_GROUPS, &rows);
    uint32_t size = g->window.kernel_h * g->window.kernel_w;
    for (uint32_t group = 0, n; group < target->groups; group += n) {
        n = gm_smaller(target->groups - group, suits ? 4 : SUMS);
        if (suits && n == 4) {
            add_kernel_rows(g, &rows, x + group, dy + group, group * size, target);
        } else {
            neighbours(g, x + group, dy + group, n, group * size, target, 1);
        }
    }
}

/* By output channels and channels. Returns 0, and does nothing, if that does not apply. */
static int gradient_by_channels(const gm_conv_gradient *g, const float *x, const float *dy,
                                const gm_gradient_target *target)
{
    rows_of_taps rows;
    uint32_t taps = g->window.kernel_h * g->window.kernel_w, at = 0;
    if (!GM_ARCH_THREE_TAPS || target->out_channels % 2 > 0 || g->in_channels % 4 > 0 ||
        !find_rows_of_taps(g, GM_2_BY_4_CHANNELS, &rows)) {
        return 0;
    }
    for (uint32_t group = 0; group < target->groups; group++) {
        for (uint32_t m = 0; m < target->out_channels; m += 2, at += g->in_channels * taps) {
            for (uint32_t c = 0; c < g->in_channels; c += 4, at += 4 * taps) {
                const float *dy_at = dy + group * g->dy.group + m * g->dy.channel;
                add_kernel_rows(g, &rows, x + group * g->x.group + c, dy_at, at, target);
            }
        }
    }
    return 1;
}

/* ---- One kernel tap -------------------------------------------------------------------------- */

/* sums[m,c] += sum over the batch and the tap's pixels of dy[m] x[c], for all output channels by
 * all channels of a block */
ONCE add_out_by_in_channels(const gm_conv_gradient *g, const gm_tap *tap, const float *x, const float *dy, float *sums,
                            uint32_t out_channels, uint32_t in_channels)
{
    const gm_gemm_strides strides = { g->dy.channel, tap->y_column, tap->x_column, g->x.channel, tap->columns };
    for (uint32_t b = 0; b < g->batch; b++) {
        for (uint32_t row = 0; row < tap->rows; row++) {
            const float *x_at = x + tap->x + b * g->x.batch + row * tap->x_row;
            const float *dy_at = dy + tap->y + b * g->dy.batch + row * tap->y_row;
            gm_gemm_matrix(dy_at, x_at, sums, out_channels, in_channels, in_channels, &strides);
        }
    }
}

/* Returns the tap with its rows joined into one if those of both sides are contiguous. */
static gm_tap tap_with_joined_rows(gm_tap tap)
{
    if (tap.x_row == tap.columns * tap.x_column && tap.y_row == tap.columns * tap.y_column) {
        tap.columns *= tap.rows;
        tap.rows = tap.columns > 0;
    }
    return tap;
}

/* Blocks of 4 output channels, by all channels or, through the rule, by as many as fit in a row. */
static void by_products(const gm_conv_gradient *g, const float *x, const float *dy, const gm_gradient_target *target)
{
    const gm_tap tap = tap_with_joined_rows(gm_tap_of(&g->window, &g->x, &g->dy, 0, 0));
    uint32_t most = target->update ? g->in_channels / 16 * 4 : g->in_channels;
    for (uint32_t m = 0, out_channels; m < target->out_channels; m += out_channels) {
        out_channels = gm_smaller(target->out_channels - m, 4);
        for (uint32_t c = 0, in_channels; c < g->in_channels; c += in_channels) {
            uint32_t first = m * g->in_channels + c;
            float *sums = target->update ? target->w : target->w + first;
            in_channels = gm_smaller(g->in_channels - c, most);
            if (!target->accumulate) {
                gm_start_row(sums, NULL, out_channels * in_channels);
            }
            add_out_by_in_channels(g, &tap, x + c * g->x.channel, dy + m * g->dy.channel, sums, out_channels,
                                   in_channels);
            if (target->update) {
                update_runs(target, first, g->in_channels, sums, out_channels, in_channels);
            }
        }
    }
}

int gm_conv_gradient_of_neighbours(const gm_conv_gradient *g, const float *x, const float *dy,
                                   const gm_gradient_target *target)
{
    if (gm_helium_conv_gradient(g, x, dy, target)) {
        return 1;
    }
    if (g->window.kernel_h * g->window.kernel_w == 1 && target->groups == 1 && target->out_channels >= 4 &&
        g->in_channels >= 16) {
        by_products(g, x, dy, target);
        return 1;
    }
    if (GM_WITH_DEPTHWISE && g->in_channels == 1 && target->out_channels == 1 && g->x.group == 1 && g->dy.group == 1) {
        if (!gm_helium_depthwise_gradient(g, x, dy, target)) {
            gradient_by_groups(g, x, dy, target);
        }
        return 1;
    }
    if (gradient_by_channels(g, x, dy, target)) {
        return 1;
    }
    if (g->dy.channel == 1 && target->out_channels > 1 && (g->in_channels < 4 || g->x.channel != 1)) {
        gradient_by_out_channels(g, x, dy, target);
        return 1;
    }
    return 0;
}

#endif
