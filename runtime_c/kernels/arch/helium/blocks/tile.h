/*
 * A tile of 4 to 6 rows by 4 columns of sums, or 3 rows by 8, which stays in registers over a whole
 * sum of products: over k adjacent products in each column and row of taps. A matrix product has
 * one tap; a convolution sums over channels in the taps of its kernel; the gradient of its weights
 * sums over pixels, in as many taps as the image has rows.
 */
#ifndef GM_HELIUM_TILE_H
#define GM_HELIUM_TILE_H

#include <stdint.h>

/* The layouts of a and b. Columns of b that are not contiguous are gathered. */
typedef enum gm_tile_form {
    GM_ROWS_BY_NEIGHBOURS,   /* rows of a, contiguous in k */
    GM_ROWS_BY_EIGHT,        /* the same by 8 columns: 3 rows */
    GM_ROWS_BY_GATHERED,
    GM_ROWS_BY_STEPS_OF_1,   /* gathered, and b is contiguous in k too */
    GM_ROWS_BY_STEPS_OF_9,   /* gathered; b's k are 9 elements apart, as in 3x3 weights */
    GM_COLUMN_BY_NEIGHBOURS, /* columns of a: its rows are adjacent */
    GM_COLUMN_BY_GATHERED,
    GM_TILE_FORMS            /* the number of forms; and a value for none */
} gm_tile_form;

/* Steps from one to the next, in bytes; those to a tap or a row begin at the end of the last k, or
 * of the last tap of a row. */
typedef struct gm_tile {
    float *y[6];
    const float *a[5];
    const float *b;
    uint32_t b_k, a_k;
    uint32_t y_column, b_column;
    uint32_t k, taps, rows;
    uint32_t a_tap, b_tap;
    uint32_t a_row, b_row;
    uint32_t from_empty; /* sums start from the empty sum, not from y */
    /* Set by gm_tile_columns() */
    uint32_t last_column, taps_left, rows_left;
    uint32_t b_tile, left; /* bytes to the columns of the next tile, and the number of remaining tiles */
} gm_tile;

/* The form for strides in elements: of a's rows and k, of b's k and columns. */
gm_tile_form gm_tile_form_of(uint32_t a_row, uint32_t a_k, uint32_t b_k, uint32_t b_column);

/* y[r][i] += sum of a[r] b[i] for i in 0..n; in the form of eight, n is a multiple of eight. rows:
 * 4, and 5 or, for a column, 6; 3 by eight. Advances y and b by n columns. In the forms by rows,
 * some rows of a and y may be the same. */
void gm_tile_columns(gm_tile *tile, gm_tile_form form, uint32_t rows, uint32_t n);

/* Specializes a form for so many columns. */
static inline gm_tile_form gm_tile_form_by_eight(gm_tile_form form, uint32_t columns)
{
    return form == GM_ROWS_BY_NEIGHBOURS && columns % 8 == 0 ? GM_ROWS_BY_EIGHT : form;
}

/* The least rows of a tile. */
static inline uint32_t gm_tile_least_rows(gm_tile_form form)
{
    return form == GM_ROWS_BY_EIGHT ? 3 : 4;
}

/* The number of rows to do if so many are left: 3 by eight columns; for a column 6 and 4, else 5
 * and 4, so that from 12 rows on none stays outside a tile, or for a column at most one. */
static inline uint32_t gm_tile_rows(gm_tile_form form, uint32_t left)
{
    uint32_t least = gm_tile_least_rows(form);
    if (left < least || least == 3) {
        return left < least ? left : least;
    }
    if (form >= GM_COLUMN_BY_NEIGHBOURS) {
        return left < 6 || left == 8 || left == 9 ? 4 : 6;
    }
    return left % 5 == 0 ? 5 : 4;
}

#endif
