/* Starting values of the sums of a tile with lanes as columns, and what happens to the sums. */
#ifndef GM_LANES_SUMS_H
#define GM_LANES_SUMS_H

#include "lanes.h"

#if GM_ARCH_ZVE32F

/* The register of a row's sums, and one that is free once they are done. */
#define GM_LANES_SUM(row) (4 * (row))
#define GM_LANES_FREE 24

/* Contiguous values have a load and a store of their own. */
GM_INLINED void gm_lanes_load_y(uint32_t v, const float *y, size_t y_column)
{
    if (y_column == 1) {
        gm_lanes_load(v, y);
    } else {
        gm_lanes_load_strided(v, y, y_column);
    }
}

GM_INLINED void gm_lanes_store_y(uint32_t v, float *y, size_t y_column)
{
    if (y_column == 1) {
        gm_lanes_store(v, y);
    } else {
        gm_lanes_store_strided(v, y, y_column);
    }
}

/* first: index of the first column. y_column: the tile's, perhaps a constant. */
GM_INLINED void gm_lanes_begin(const gm_riscv_tile *t, size_t first, size_t y_column, uint32_t rows)
{
    const float *start = t->start;
    const size_t step = t->start_step;
    GM_UNROLLED
    for (uint32_t r = 0; r < rows; r++) {
        if (start == NULL) {
            gm_lanes_load_y(GM_LANES_SUM(r), t->y[r] + first * y_column, y_column);
        } else if (step == 0) {
            gm_lanes_fill(GM_LANES_SUM(r), *start);
        } else {
            gm_lanes_load(GM_LANES_SUM(r), start + first);
        }
    }
}

GM_INLINED void gm_lanes_store_sums(const gm_riscv_tile *t, size_t first, size_t y_column, uint32_t rows)
{
    if (t->finish == GM_FINISH_ADD_ZERO) {
        GM_UNROLLED
        for (uint32_t r = 0; r < rows; r++) {
            gm_lanes_add_number(GM_LANES_SUM(r), GM_LANES_SUM(r), 0.0f);
        }
    }
    GM_UNROLLED
    for (uint32_t r = 0; r < rows; r++) {
        gm_lanes_store_y(GM_LANES_SUM(r), t->y[r] + first * y_column, y_column);
    }
}

/* The steps y += minus_lr sum. If several rows are the same, only one takes the step. */
GM_INLINED void gm_lanes_step(const gm_riscv_tile *t, size_t first, size_t y_column, uint32_t rows)
{
    const float minus_lr = t->minus_lr;
    GM_UNROLLED
    for (uint32_t r = 0; r < rows; r++) {
        float *y = t->y[r] + first * y_column;
        if (r > 0 && t->y[r] == t->y[r - 1]) {
            return;
        }
        gm_lanes_load_y(GM_LANES_FREE, y, y_column);
        gm_lanes_mac_number(GM_LANES_FREE, GM_LANES_SUM(r), minus_lr, GM_LANES_SUM(r));
        gm_lanes_store_y(GM_LANES_FREE, y, y_column);
    }
}

GM_INLINED void gm_lanes_finish(const gm_riscv_tile *t, size_t first, size_t y_column, uint32_t rows)
{
    if (t->finish == GM_FINISH_SGD) {
        gm_lanes_step(t, first, y_column, rows);
    } else {
        gm_lanes_store_sums(t, first, y_column, rows);
    }
}

#endif
#endif
