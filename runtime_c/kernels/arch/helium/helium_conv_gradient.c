/*
 * Gradients of convolutions' weights with Helium: tiles of maps by channels, both neighbours, whose sums go over all
 * pixels of a kernel cell.
 */
#include "../../conv_gradient.h"
#include "../../rows.h"
#include "../arm_m/taps.h"
#include "helium.h"
#include "tile.h"

#if (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE) && GM_ARCH_HELIUM

/* Some neighbouring maps and channels, and where their sums are: of each map `size` apart, in it (channels, cells). */
typedef struct gradient_block {
    uint32_t maps, channels;
    float *sums;
    uint32_t size;
} gradient_block;

/* The form of a block's tiles */
#define FORM GM_COLUMN_BY_NEIGHBOURS

/* Adds one sample's products with kernel cell `cell`. x and dy: at the tap's first pixel. */
static void add_sample_tap(const gradient_block *b, const gm_tap *tap, const float *x, const float *dy, uint32_t cells,
                           uint32_t cell, int from_empty)
{
    int joined = tap->y_row == tap->columns * tap->y_column && tap->x_row == tap->columns * tap->x_column;
    gm_tile tile;
    tile.a[0] = dy, tile.b = x;
    tile.a_k = 4 * tap->y_column, tile.b_k = 4 * tap->x_column;
    tile.y_column = 4 * cells, tile.b_column = 4;
    tile.k = joined ? tap->rows * tap->columns : tap->columns;
    tile.cells = joined ? 1 : tap->rows, tile.rows = 1;
    tile.a_cell = 4 * (tap->y_row - tap->columns * tap->y_column);
    tile.b_cell = 4 * (tap->x_row - tap->columns * tap->x_column);
    tile.from_empty = (uint32_t)from_empty;
    for (uint32_t map = 0; map < b->maps; map++) {
        tile.y[map] = b->sums + map * b->size + cell;
    }
    gm_tile_columns(&tile, FORM, b->maps, b->channels);
}

/* x and dy: at the block's first channel and map. */
static void add_gradient_block(const gm_conv_gradient *g, const gradient_block *b, const float *x, const float *dy,
                               int from_empty)
{
    const gm_window *w = &g->window;
    uint32_t cells = w->kernel_h * w->kernel_w;
    for (uint32_t cell = 0; cell < cells; cell++) {
        gm_tap tap = gm_tap_of(w, &g->x, &g->dy, cell / w->kernel_w, cell % w->kernel_w);
        if (tap.rows == 0) {
            tap = (gm_tap){ 0 }; /* sums of nothing */
        }
        for (uint32_t i = 0; i < g->batch; i++) {
            const float *x_at = x + i * g->x.batch + tap.x, *dy_at = dy + i * g->dy.batch + tap.y;
            add_sample_tap(b, &tap, x_at, dy_at, cells, cell, from_empty && i == 0);
        }
    }
}

void gm_helium_step(const gm_rule_args *update, gm_rule_args *args, const float *g, uint32_t first, uint32_t n)
{
    args->g = g, args->n = n, args->p = update->p + first;
    args->slot1 = update->slot1 ? update->slot1 + first : NULL;
    args->slot2 = update->slot2 ? update->slot2 + first : NULL;
    gm_rules[*(const uint32_t *)args->rule](args);
}

/* So many neighbouring maps, whose first weight is `first`. */
static void gradients_of_maps(const gm_conv_gradient *g, const float *x, const float *dy,
                              const gm_gradient_target *target, uint32_t first, uint32_t maps)
{
    uint32_t size = g->channels * g->window.kernel_h * g->window.kernel_w;
    const gradient_block all = { maps, g->channels, target->w + first, size };
    add_gradient_block(g, &all, x, dy, !target->accumulate);
}

/* The same with an update, some channels at a time, as many as there is room for. */
static void update_maps(const gm_conv_gradient *g, const float *x, const float *dy, const gm_gradient_target *target,
                        uint32_t first, uint32_t maps)
{
    uint32_t cells = g->window.kernel_h * g->window.kernel_w, most = g->channels / maps / 4 * 4;
    gm_rule_args args = *target->update;
    for (uint32_t c = 0, n; c < g->channels; c += n) {
        n = g->channels - c < most ? g->channels - c : most;
        const gradient_block part = { maps, n, target->w, n * cells };
        add_gradient_block(g, &part, x + c, dy, 1);
        for (uint32_t map = 0; map < maps; map++) {
            uint32_t at = first + (map * g->channels + c) * cells;
            gm_helium_step(target->update, &args, part.sums + map * part.size, at, part.size);
        }
    }
}

/* A map that is left alone */
static void one_map(const gm_conv_gradient *g, const float *x, const float *dy, const gm_gradient_target *target,
                    uint32_t first)
{
    uint32_t size = g->channels * g->window.kernel_h * g->window.kernel_w;
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
    uint32_t size = g->channels * g->window.kernel_h * g->window.kernel_w, first = 0;
    uint32_t most = !target->update || g->channels >= 24 ? 6 : 4;
    if (g->x.channel != 1 || g->dy.channel != 1 || target->maps < 4 || g->channels < (target->update ? 16 : 4)) {
        return 0;
    }
    for (uint32_t group = 0; group < target->groups; group++, x += g->x.group, dy += g->dy.group) {
        for (uint32_t m = 0, maps; m < target->maps; m += maps, first += maps * size) {
            uint32_t left = target->maps - m, rows = gm_tile_rows(FORM, left);
            maps = left < 4 ? 1 : rows < most ? rows : most;
            if (maps == 1) {
                one_map(g, x, dy + m, target, first);
            } else if (target->update) {
                update_maps(g, x, dy + m, target, first, maps);
            } else {
                gradients_of_maps(g, x, dy + m, target, first, maps);
            }
        }
    }
    return 1;
}

#endif
