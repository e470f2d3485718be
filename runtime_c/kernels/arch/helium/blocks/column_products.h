/* Products of the inputs and output gradients of depthwise layers with Helium, four adjacent
 * channels at a time. */
#ifndef GM_HELIUM_COLUMN_PRODUCTS_H
#define GM_HELIUM_COLUMN_PRODUCTS_H

#include <stdint.h>

#include "../../arch.h"

#if GM_ARCH_PAIRS && GM_ARCH_HELIUM

/* In a panel a column of a row is one 16-bit value per channel. Loads that de-interleave four
 * vectors get GM_COLUMNS_AT_ONCE columns. */
#define GM_COLUMN_CHANNELS 4u
#define GM_COLUMNS_AT_ONCE 8u

/* Adjacent taps of a row of outputs. */
typedef struct gm_column_products {
    const int16_t *x, *dy; /* under the first tap; zeros pad the gradients to a multiple of GM_COLUMNS_AT_ONCE */
    uint32_t *sums;        /* of the first tap, for each channel */
    uint32_t sums_step;    /* bytes to the next tap's */
    uint32_t taps, times;  /* at least 1; times: GM_COLUMNS_AT_ONCE columns */
} gm_column_products;

/* sums[tap][c] += sum over columns of x[column + tap][c] dy[column][c]. No pointer advances. */
void gm_add_column_products(const gm_column_products *products);

/* Writes n 8-bit columns, `step` apart, minus their zero point; in `to` they are
 * to_step elements apart. */
void gm_widen_columns(int16_t *to, const int8_t *from, uint32_t n, uint32_t step, uint32_t to_step, int32_t zero);

#endif
#endif
