/*
 * Gradients of convolutions' weights on Cortex-M with FPU. A sum goes over all pixels of a rectangle at once, and up to 16
 * of them stand in registers: of neighbouring channels of x, else of neighbouring maps of dy, else of groups where each has
 * one channel and map.
 */
#include "../../conv_gradient.h"
#include "../arch.h"
#include "taps.h"
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

void gm_conv_gradient_row(const gm_conv_gradient *g, const float *x, const float *dy, float *row)
{
    const gm_window *w = &g->window;
    uint32_t cells = w->kernel_h * w->kernel_w, most = g->x.channel == 1 ? SUMS : 1;
    for (uint32_t cell = 0; cell < cells; cell++) {
        gm_tap tap = gm_tap_of(w, &g->x, &g->dy, cell / w->kernel_w, cell % w->kernel_w);
        for (uint32_t c = 0, n; c < g->channels; c += n) {
            float sums[SUMS];
            float *at = row + c * cells + cell;
            n = at_most(g->channels - c, most);
            for (uint32_t i = 0; i < n; i++) {
                sums[i] = at[i * cells];
            }
            add_channels(g, &tap, x + c * g->x.channel, dy, sums, n);
            for (uint32_t i = 0; i < n; i++) {
                at[i * cells] = sums[i];
            }
        }
    }
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

/* Through the rule to parameters, or to w. step: elements from one to the next. */
static void give(const gm_gradient_target *target, uint32_t at, uint32_t step, const float *sums, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++, at += step) {
        if (target->update == NULL) {
            target->w[at] = sums[i];
            continue;
        }
        gm_rule_args one = *target->update;
        one.g = sums + i, one.n = 1, one.p += at;
        one.slot1 = one.slot1 ? one.slot1 + at : NULL;
        one.slot2 = one.slot2 ? one.slot2 + at : NULL;
        gm_rules[*(const uint32_t *)one.rule](&one);
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
            for (uint32_t i = 0; i < n; i++) {
                sums[i] = target->accumulate ? target->w[first + i * step] : GM_EMPTY_SUM;
            }
            add_neighbours(g, &tap, x + c * g->x.channel, dy, sums, n, groups);
            give(target, first, step, sums, n);
        }
    }
}

/* Maps, where channels are too few, or not neighbours. */
static void by_maps(const gm_conv_gradient *g, const float *x, const float *dy, const gm_gradient_target *target)
{
    uint32_t size = g->channels * g->window.kernel_h * g->window.kernel_w;
    for (uint32_t group = 0; group < target->groups; group++) {
        for (uint32_t m = 0, n; m < target->maps; m += n) {
            n = at_most(target->maps - m, SUMS);
            neighbours(g, x + group * g->x.group, dy + group * g->dy.group + m, n, (group * target->maps + m) * size,
                       target, 0);
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

int gm_conv_gradient_of_neighbours(const gm_conv_gradient *g, const float *x, const float *dy,
                                   const gm_gradient_target *target)
{
    if (g->channels == 1 && target->maps == 1 && g->x.group == 1 && g->dy.group == 1) {
        by_groups(g, x, dy, target);
        return 1;
    }
    if (g->dy.channel == 1 && target->maps > 1 && (g->channels < 4 || g->x.channel != 1)) {
        by_maps(g, x, dy, target);
        return 1;
    }
    return 0;
}

#endif
