/*
 * A matrix product whose b is packed: 8 columns at a time lie in a small panel, which meets all rows of a. It is worth its
 * time where there are many rows.
 */
#ifndef GM_HELIUM_PANEL_H
#define GM_HELIUM_PANEL_H

#include <stdint.h>

/* y[r,i] += sum over k of a[r,k] b[k,i]; a's k are neighbours, and so are y's columns. Other steps are in elements. */
typedef struct gm_panel_product {
    const float *a, *b;
    float *y;
    uint32_t a_row, y_row, b_k, b_column;
    uint32_t rows, k, columns;
    uint32_t from_empty; /* sums start from the empty sum, not from y */
    uint32_t plus_zero;  /* + 0 is the last step of each */
} gm_panel_product;

/* Returns 0, and does nothing, where this is no way: rows are few, 4 does not divide k, or 8 columns. */
int gm_panel_product_of(const gm_panel_product *product);

#endif
