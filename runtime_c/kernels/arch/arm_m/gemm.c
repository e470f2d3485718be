/*
 * Matrix products on Cortex-M with FPU. Machine instructions for each multiply-accumulate of a
 * long sum, one more of each where products and sums are apart:
 *
 *     4 rows, along     a[m,.] and b[.,n] are contiguous                           1.31
 *     4 rows, across    a[m,.] and b[k,.] are                                      1.31
 *     4 rows, outer     a[.,k] and b[k,.] are                                      1.38
 *     4 rows, strided   a[m,.] is; 3 and 2 rows: 1.88 and 2.25                     1.69
 *     4 rows, columns   a[.,k] is; 3 and 2 rows: 2 and 2.5                         1.75
 *     4 rows, general   nothing is                                                 2.13
 *     1 row, across     b[k,.] is: 16 columns; fewer: strided_loop.c                 1.44
 *     1 row, along      a and b[.,n] are: 4 columns, 1 column: 1.44, 2.5
 *     1 row, strided    4 columns                                                  4
 *
 * Where they are apart, along and across take 5 rows at a time, and outer two k.
 */
#include "../../gemm_tile.h"
#include "../arch.h"
#include "blocks/gemm_tiles.h"

#if GM_ARCH_ARM_M && !GM_ARCH_HELIUM

/* The functions for 4, 3, 2 and 5 rows; NULL where other rows are the better way. */
typedef struct way {
    gm_matrix *rows_4, *rows_3, *rows_2, *rows_5;
} way;

#if GM_TILES_OF_5
#define ALONG_MATRIX gm_along_4x4_matrix, NULL, NULL, gm_along_5x4_matrix
#define ACROSS_MATRIX gm_across_4x4_matrix, NULL, NULL, gm_across_5x4_matrix
#else
#define ALONG_MATRIX gm_along_4x4_matrix, NULL, NULL, NULL
#define ACROSS_MATRIX gm_across_4x4_matrix, NULL, NULL, NULL
#endif

static way way_for(const gm_gemm_strides *s)
{
    if (s->a_col == 1 && s->b_row == 1) {
        return (way){ ALONG_MATRIX };
    }
    if (s->a_col == 1 && s->b_col == 1) {
        return (way){ ACROSS_MATRIX };
    }
    if (s->a_row == 1 && s->b_col == 1) {
        return (way){ gm_outer_4x4_matrix, NULL, NULL, NULL };
    }
#if WITH_ANY_STRIDES
    if (s->a_col == 1) {
        return (way){ gm_strided_4x4_matrix, gm_strided_3x4_matrix, gm_strided_2x4_matrix, NULL };
    }
    if (s->a_row == 1) {
        return (way){ gm_columns_4x4_matrix, gm_columns_3x4_matrix, gm_columns_2x4_matrix, NULL };
    }
    return (way){ gm_general_4x4_matrix, NULL, NULL, NULL };
#else
    return (way){ NULL, NULL, NULL, NULL };
#endif
}

static void single_rows(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                        const gm_gemm_strides *s)
{
    for (; m > 0; m--, a += s->a_row, y += y_row) {
        gm_gemm_row(a, b, y, n, s);
    }
}

/* Of so many rows, those that go into tiles of 5: so that tiles of 4 take the others, or as many as there are. */
static uint32_t rows_by_5(uint32_t m)
{
    uint32_t by_4 = (5 - m % 5) % 5 * 4;
    return by_4 <= m ? m - by_4 : m / 5 * 5;
}

void gm_gemm_matrix(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                    const gm_gemm_strides *s)
{
    uint32_t columns = n / 4 * 4;
    way w = { NULL, NULL, NULL, NULL };
    if (m >= 2 && n >= 4) {
        w = way_for(s);
    }
    if (w.rows_4 == NULL) {
        single_rows(a, b, y, m, n, y_row, s);
        return;
    }
    if (columns < n) {
        single_rows(a, b + columns * s->b_col, y + columns, m, n - columns, y_row, s);
    }
    if (GM_TILES_OF_5 && w.rows_5) {
        uint32_t by_5 = rows_by_5(m);
        w.rows_5(a, b, y, by_5, n, y_row, s);
        a += by_5 * s->a_row, y += by_5 * y_row, m -= by_5;
    }
    uint32_t tail = m % 4, whole = m - tail;
    gm_matrix *last = tail == 3 ? w.rows_3 : tail == 2 ? w.rows_2 : NULL;
    w.rows_4(a, b, y, whole, n, y_row, s);
    if (last) {
        last(a + whole * s->a_row, b, y + whole * y_row, tail, columns, y_row, s);
    } else {
        single_rows(a + whole * s->a_row, b, y + whole * y_row, tail, columns, y_row, s);
    }
}

#endif
