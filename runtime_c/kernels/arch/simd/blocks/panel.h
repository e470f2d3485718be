/* Panels: columns of a right-hand matrix side by side, so that the tile loop
 * reads them as vectors. */
#ifndef GM_SIMD_PANEL_H
#define GM_SIMD_PANEL_H

#include "tile.h"

#if GM_ARCH_TILES

/* panel[k][c] = b[k b_row + c] for c < columns, 0 up to the width. */
GM_SIMD_INLINE void gm_pack_across(float *panel, const float *b, size_t b_row, uint32_t k, uint32_t columns,
                                   uint32_t width)
{
    for (uint32_t i = 0; i < k; i++, b += b_row, panel += width) {
        for (uint32_t c = 0; c < width; c += GM_LANES) {
            gm_vec v;
            gm_tile_load(&v, b + c, columns > c ? columns - c : 0, 1);
            gm_vec_store(panel + c, v);
        }
    }
}

/* t[r][c] = b[r + c b_col] for r < rows, c < columns; columns past the end repeat the last, rows
 * past the end are 0. Prefetches the next columns. */
GM_SIMD_INLINE void gm_load_transposed(gm_vec *t, const float *b, size_t b_col, uint32_t rows, uint32_t columns)
{
    if (rows >= GM_LANES && columns >= GM_LANES) {
        GM_UNROLL
        for (uint32_t c = 0; c < GM_LANES; c++) {
            t[c] = gm_vec_load(b + c * b_col);
            __builtin_prefetch(b + (c + GM_LANES) * b_col);
        }
    } else {
        GM_UNROLL
        for (uint32_t c = 0; c < GM_LANES; c++) {
            gm_tile_load(&t[c], b + (c < columns ? c : columns - 1) * b_col, rows, 1);
        }
    }
    gm_vec_transpose(t);
}

/* panel[k][c] = b[k + c b_col] for c < columns, at most GM_LANES; columns past the
 * end repeat the last. */
GM_SIMD_INLINE void gm_pack_along(float *panel, const float *b, size_t b_col, uint32_t k, uint32_t columns,
                                  uint32_t width)
{
    uint32_t i = 0;
    gm_vec t[GM_LANES];
    for (; k - i >= GM_LANES; i += GM_LANES) {
        gm_load_transposed(t, b + i, b_col, GM_LANES, columns);
        GM_UNROLL
        for (uint32_t r = 0; r < GM_LANES; r++) {
            gm_vec_store(panel + (size_t)(i + r) * width, t[r]);
        }
    }
    if (i < k) {
        gm_load_transposed(t, b + i, b_col, k - i, columns);
        GM_UNROLL
        for (uint32_t r = 0; r < GM_LANES; r++) {
            if (i + r < k) {
                gm_vec_store(panel + (size_t)(i + r) * width, t[r]);
            }
        }
    }
}

/* panel[k][c] = b[k b_row + c b_col] for c < columns, 0 up to the width; any strides */
GM_SIMD_LONG void gm_pack(float *panel, const float *b, size_t b_row, size_t b_col, uint32_t k, uint32_t columns,
                          uint32_t width)
{
    int along = GM_LANES > 1 && b_row == 1;
    if (GM_LANES > 1 && b_col == 1) {
        gm_pack_across(panel, b, b_row, k, columns, width);
        return;
    }
    for (uint32_t c = 0; c < columns && along; c += GM_LANES) {
        gm_pack_along(panel + c, b + c * b_col, b_col, k, columns - c < GM_LANES ? columns - c : GM_LANES, width);
    }
    for (uint32_t i = 0; i < k && !along; i++, b += b_row, panel += width) {
        for (uint32_t c = 0; c < width; c++) {
            panel[c] = c < columns ? b[c * b_col] : 0.0f;
        }
    }
}

#endif
#endif
