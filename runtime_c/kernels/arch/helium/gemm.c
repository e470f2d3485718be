/* Matrix products with Helium: tiles of 4 and 5 rows (blocks/tile.c), and single rows for the rest
 * (blocks/gemm_row.c). */
#include "../../gemm_tile.h"
#include "helium.h"
#include "blocks/tile.h"

#if GM_ARCH_HELIUM

/* Bytes from one element to the next. */
static uint32_t bytes(uint32_t elements)
{
    return elements * (uint32_t)sizeof(float);
}

static void put_rows(gm_tile *tile, gm_tile_form form, uint32_t rows, const float *a, float *y, uint32_t a_row,
                     uint32_t y_row)
{
    tile->a[0] = a;
    for (uint32_t i = 0; i < rows; i++, a += a_row, y += y_row) {
        tile->y[i] = y;
        if (form < GM_COLUMN_BY_NEIGHBOURS) {
            tile->a[i] = a;
        }
    }
}

void gm_gemm_matrix(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                    const gm_gemm_strides *s)
{
    gm_tile_form form = gm_tile_form_by_eight(gm_tile_form_of(s->a_row, s->a_col, s->b_row, s->b_col), n);
    form = n == 1 ? GM_TILE_FORMS : form;
    gm_tile tile = { .a_k = bytes(s->a_col), .b_k = bytes(s->b_row), .y_column = bytes(1), .b_column = bytes(s->b_col),
                     .k = s->k, .taps = 1, .rows = 1 };
    for (uint32_t rows; m >= gm_tile_least_rows(form) && form != GM_TILE_FORMS; m -= rows) {
        rows = gm_tile_rows(form, m);
        put_rows(&tile, form, rows, a, y, s->a_row, y_row);
        a += rows * s->a_row, y += rows * y_row;
        tile.b = b;
        gm_tile_columns(&tile, form, rows, n);
    }
    for (; m > 0; m--, a += s->a_row, y += y_row) {
        gm_gemm_row(a, b, y, n, s);
    }
}

#endif
