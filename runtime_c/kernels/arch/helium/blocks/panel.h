/*
 * A matrix product with packed b: a small panel holds 8 columns at a time, and all rows of a pass
 * over it. It pays off for many rows.
 */
#ifndef GM_HELIUM_PANEL_H
#define GM_HELIUM_PANEL_H

#include <stdint.h>

/* y[r,i] += sum over k of a[r,k] b[k,i]; a is contiguous in k, and y in its columns. Other
 * steps are in elements. */
typedef struct gm_panel_product {
    const float *a, *b;
    float *y;
    uint32_t a_row, y_row, b_k, b_column;
    uint32_t rows, k, columns;
    uint32_t from_empty; /* sums start from the empty sum, not from y */
    uint32_t plus_zero;  /* + 0 is the last step of each sum */
} gm_panel_product;

/* Returns 0, and does nothing, if the product does not suit: there are few rows, or k is not a
 * multiple of 4, or columns of 8. */
int gm_panel_product_of(const gm_panel_product *product);

#endif
