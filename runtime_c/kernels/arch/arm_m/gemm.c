/*
 * Matrix products on Cortex-M with FPU. Machine instructions for each multiply-accumulate of a long
 * sum, one more for each if multiply and add are separate:
 *
 *     4 rows, along     a[m,.] and b[.,n] are contiguous                           1.31
 *     4 rows, across    a[m,.] and b[k,.] are                                      1.31
 *     4 rows, outer     a[.,k] and b[k,.] are                                      1.38
 *     4 rows, strided   a[m,.] is; 3 and 2 rows: 2.08 and 2.5                      1.88
 *     4 rows, columns   a[.,k] is; 3 and 2 rows: 2 and 2.5                         1.75
 *     4 rows, general   nothing is                                                 2.25
 *     1 row, across     b[k,.] is: 16 columns; fewer: strided_loop.c                 1.44
 *     1 row, along      a and b[.,n] are: 4 columns, 1 column: 1.44, 2.5
 *     1 row, strided    4 columns                                                  4
 *
 * With separate multiply and add, along and across do 5 rows at a time, and outer two k. Few
 * convolutions use strided, columns and general: their code is kept small.
 */
#include "../../gemm_tile.h"
#include "../arch.h"
#include "blocks/gemm_tiles.h"

#if GM_ARCH_ARM_M && !GM_ARCH_HELIUM

/* The tiles of 2, 3, 4 and 5 rows; NULL if another number of rows is better. */
typedef gm_gemm_tile *const gemm_tiles[4];

#if GM_LARGE_TILES
#define AND_5_ROWS(name) gm_##name##_5x4
#else
#define AND_5_ROWS(name) NULL
#endif
static const gemm_tiles along = { NULL, NULL, gm_along_4x4, AND_5_ROWS(along) };
static const gemm_tiles across = { NULL, NULL, gm_across_4x4, AND_5_ROWS(across) };
static const gemm_tiles outer = { NULL, NULL, gm_outer_4x4, NULL };

#if WITH_ANY_STRIDES
static const gemm_tiles strided = { gm_strided_2x4, gm_strided_3x4, gm_strided_4x4, NULL };
static const gemm_tiles columns = { gm_columns_2x4, gm_columns_3x4, gm_columns_4x4, NULL };
static const gemm_tiles general = { NULL, NULL, gm_general_4x4, NULL };

static gm_gemm_tile *const *tiles_of_any_strides(const gm_gemm_strides *s)
{
    return s->a_col == 1 ? strided : s->a_row == 1 ? columns : general;
}
#else
static const gemm_tiles rows_alone = { NULL, NULL, NULL, NULL };

#define tiles_of_any_strides(s) rows_alone
#endif

static gm_gemm_tile *const *tiles_for(const gm_gemm_strides *s)
{
    if (s->a_col == 1 && s->b_row == 1) {
        return along;
    }
    if (s->b_col == 1 && s->a_col == 1) {
        return across;
    }
    if (s->b_col == 1 && s->a_row == 1) {
        return outer;
    }
    return tiles_of_any_strides(s);
}

/* Returns the rows of the next tile if m are left; 1 for a single row. Tiles of 4 take what tiles
 * of 5 leave, if there are enough rows. */
static uint32_t rows_at_once(gm_gemm_tile *const *of, uint32_t m)
{
    if (GM_LARGE_TILES && of[3] && m >= 5 && m != (5 - m % 5) % 5 * 4) {
        return 5;
    }
    if (m >= 4) {
        return of[2] ? 4 : 1;
    }
    return WITH_ANY_STRIDES && m > 1 && of[m - 2] ? m : 1;
}

/* n columns of so many rows: as many as possible in tiles, if there is one, and
 * the rest row by row. */
__attribute__((noinline)) static void some_rows(gm_gemm_tile *tile, uint32_t rows, const float *a, const float *b, float *y, uint32_t n, uint32_t y_row,
                      const gm_gemm_strides *s)
{
    int takes_all = tile == gm_outer_4x4 || (GM_TILES_OF_M7 && (tile == gm_along_4x4 || tile == gm_across_4x4));
    uint32_t in_tiles = tile ? n / 4 * 4 : 0, at_once = takes_all ? in_tiles : 4;
    for (uint32_t column = 0; column < in_tiles; column += at_once) {
        tile(a, b + column * s->b_col, y + column, at_once, y_row, s);
    }
    b += in_tiles * s->b_col, y += in_tiles, n -= in_tiles;
    for (; rows > 0 && n > 0; rows--, a += s->a_row, y += y_row) {
        gm_gemm_row(a, b, y, n, s);
    }
}

void gm_gemm_matrix(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                    const gm_gemm_strides *s)
{
    gm_gemm_tile *const *of = tiles_for(s);
    for (uint32_t rows; m > 0; m -= rows, a += rows * s->a_row, y += rows * y_row) {
        rows = rows_at_once(of, m);
        some_rows(rows > 1 ? of[rows - 2] : NULL, rows, a, b, y, n, y_row, s);
    }
}

#endif
