/*
 * Gradients of convolutions' weights with Helium: tiles of maps by channels, both neighbours, whose sums go over all
 * pixels of a kernel cell.
 */
#include "../../conv_gradient.h"
#include "../arm_m/taps.h"
#include "helium.h"
#include "tile.h"

#if (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE) && GM_ARCH_HELIUM

/* Some neighbouring maps and channels, and where their sums are: of each map `size` apart, in it (channels, cells). */
typedef struct block {
    uint32_t maps, channels;
    float *sums;
    uint32_t size;
} block;

/* Adds one sample's products with kernel cell `cell`. */
static void add_tap(const block *b, const gm_tap *tap, const float *x, const float *dy, uint32_t cells, uint32_t cell)
{
    int joined = tap->y_row == tap->columns * tap->y_column && tap->x_row == tap->columns * tap->x_column;
    gm_tile tile = {
        .a = { dy + tap->y }, .b = x + tap->x,
        .a_k = 4 * tap->y_column, .b_k = 4 * tap->x_column, .y_column = 4 * cells, .b_column = 4,
        .k = joined ? tap->rows * tap->columns : tap->columns, .cells = joined ? 1 : tap->rows, .rows = 1,
        .a_cell = 4 * (tap->y_row - tap->columns * tap->y_column),
        .b_cell = 4 * (tap->x_row - tap->columns * tap->x_column),
    };
    for (uint32_t map = 0; map < b->maps; map++) {
        tile.y[map] = b->sums + map * b->size + cell;
    }
    gm_tile_columns(&tile, GM_COLUMN_BY_NEIGHBOURS, b->maps, b->channels);
}

/* x and dy: at the block's first channel and map. */
static void add_block(const gm_conv_gradient *g, const block *b, const float *x, const float *dy)
{
    const gm_window *w = &g->window;
    uint32_t cells = w->kernel_h * w->kernel_w;
    for (uint32_t cell = 0; cell < cells; cell++) {
        gm_tap tap = gm_tap_of(w, &g->x, &g->dy, cell / w->kernel_w, cell % w->kernel_w);
        for (uint32_t i = 0; i < g->batch && tap.rows > 0; i++) {
            add_tap(b, &tap, x + i * g->x.batch, dy + i * g->dy.batch, cells, cell);
        }
    }
}

static void start(const block *b, uint32_t cells)
{
    for (uint32_t map = 0; map < b->maps; map++) {
        for (uint32_t i = 0; i < b->channels * cells; i++) {
            b->sums[map * b->size + i] = GM_EMPTY_SUM;
        }
    }
}

/* The rule's step of n parameters from `first` on. */
static void step(const gm_rule_args *update, const float *g, uint32_t first, uint32_t n)
{
    gm_rule_args part = *update;
    part.g = g, part.n = n, part.p += first;
    part.slot1 = part.slot1 ? part.slot1 + first : NULL;
    part.slot2 = part.slot2 ? part.slot2 + first : NULL;
    gm_rules[*(const uint32_t *)part.rule](&part);
}

/* So many neighbouring maps, whose first weight is `first`; with an update, some channels at a time, as many as
 * there is room for in `row`. */
static void maps_of_group(const gm_conv_gradient *g, const float *x, const float *dy, const gm_gradient_target *target,
                          uint32_t first, uint32_t maps)
{
    uint32_t cells = g->window.kernel_h * g->window.kernel_w, size = g->channels * cells;
    uint32_t most = target->update ? g->channels / maps / 4 * 4 : g->channels;
    for (uint32_t c = 0, n; c < g->channels; c += n) {
        n = g->channels - c < most ? g->channels - c : most;
        const block part = { maps, n, target->update ? target->w : target->w + first + c * cells,
                             target->update ? n * cells : size };
        if (!target->accumulate) {
            start(&part, cells);
        }
        add_block(g, &part, x + c, dy);
        for (uint32_t map = 0; map < maps && target->update; map++) {
            step(target->update, part.sums + map * part.size, first + map * size + c * cells, n * cells);
        }
    }
}

/* A map that is left alone */
static void one_map(const gm_conv_gradient *g, const float *x, const float *dy, const gm_gradient_target *target,
                    uint32_t first)
{
    uint32_t cells = g->window.kernel_h * g->window.kernel_w, size = g->channels * cells;
    const block row = { 1, g->channels, target->update ? target->w : target->w + first, size };
    if (!target->accumulate) {
        start(&row, cells);
    }
    gm_conv_gradient_row(g, x, dy, row.sums);
    if (target->update) {
        step(target->update, row.sums, first, size);
    }
}

int gm_helium_conv_gradient(const gm_conv_gradient *g, const float *x, const float *dy,
                            const gm_gradient_target *target)
{
    uint32_t size = g->channels * g->window.kernel_h * g->window.kernel_w, first = 0;
    uint32_t most = !target->update || g->channels >= 20 ? 5 : 4;
    if (g->x.channel != 1 || g->dy.channel != 1 || target->maps < 4 || g->channels < (target->update ? 16 : 4)) {
        return 0;
    }
    for (uint32_t group = 0; group < target->groups; group++, x += g->x.group, dy += g->dy.group) {
        for (uint32_t m = 0, maps; m < target->maps; m += maps, first += maps * size) {
            uint32_t left = target->maps - m, rows = gm_tile_rows(left);
            maps = left < 4 ? 1 : rows < most ? rows : most;
            if (maps == 1) {
                one_map(g, x, dy + m, target, first);
            } else {
                maps_of_group(g, x, dy + m, target, first, maps);
            }
        }
    }
    return 1;
}

#endif
