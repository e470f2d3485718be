/*
 * Products of int8 and int16 matrices with vectors, by pairs: a lane does two products at once.
 *
 * Operands are widened to int16. Rows are consecutive pairs, or a panel of pairs with adjacent
 * rows. A panel of GM_S16_COLUMNS columns has pair k of column c at index k GM_S16_COLUMNS + c.
 * Sums are modulo 2^32, so their order does not matter.
 */
#ifndef GM_SIMD_S16_H
#define GM_SIMD_S16_H

#include "../vector.h"

#if GM_ARCH_SIMD_S8

#define GM_S16_ROWS GM_PAIR_ROWS_OF_TILE
#define GM_S16_COLUMNS GM_TILE_COLUMNS

/* Kernels use the stack for operands of these sizes: rows of GM_S16_LONGEST, and panels. */
#define GM_S16_LONGEST (GM_PANEL_FLOATS / 16)
#define GM_S16_PANEL (GM_PANEL_FLOATS * 3 / 2)

/* sums[r][c] = sum over k of the products of both values of pair k of row r and column c; if
 * `continues`, added to the current sums. */
typedef struct gm_s16_tile {
    const int16_t *row[GM_S16_ROWS]; /* with fewer rows, any of them again */
    uint32_t rows;                   /* rows that count; more may be computed */
    size_t step;                     /* int16 elements from one pair of a row to the next */
    const int16_t *panel;
    uint32_t pairs;
    int continues;
    uint32_t *sums;                  /* [GM_S16_ROWS][GM_S16_COLUMNS] */
} gm_s16_tile;

void gm_s16_multiply(const gm_s16_tile *tile);

/* Writes n values minus the zero point, read `step` apart. */
GM_SIMD_LONG void gm_s16_widen(int16_t *to, const int8_t *from, uint32_t n, uint32_t step, int32_t zero)
{
    uint32_t i = 0;
    for (; step == 1 && n - i >= 2 * GM_LANES; i += 2 * GM_LANES) {
        gm_numbers_of_bytes(to + i, from + i, zero);
        gm_numbers_of_bytes(to + i + GM_LANES, from + i + GM_LANES, zero);
    }
    for (; step == 1 && n - i >= GM_LANES; i += GM_LANES) {
        gm_numbers_of_bytes(to + i, from + i, zero);
    }
    for (; i < n; i++) {
        to[i] = (int16_t)(from[(size_t)i * step] - zero);
    }
}

/* An 8-bit matrix: value k of column c, minus the zero point. */
typedef struct gm_s16_matrix {
    const int8_t *at;
    uint32_t numbers, columns, number_step, column_step;
    int32_t zero;
} gm_s16_matrix;

/* Writes a matrix to the panel's columns, from index `first` on, which is even unless columns and
 * values have gaps. Zeros follow the last column. The panel has room for up to 2 GM_LANES further
 * values, which may change. */
void gm_s16_pack(int16_t *panel, uint32_t first, const gm_s16_matrix *matrix);

#endif
#endif
