/* Products of depthwise layers' inputs and output gradients with Helium, four neighbouring channels at a time. */
#ifndef GM_HELIUM_COLUMN_PRODUCTS_H
#define GM_HELIUM_COLUMN_PRODUCTS_H

#include <stdint.h>

#include "../../arch.h"

#if GM_ARCH_PAIRS && GM_ARCH_HELIUM

/* In a panel a column of a row is a number of 16 bits of each channel. Loads that part four interleaved vectors take
 * GM_COLUMNS_AT_ONCE of them. */
#define GM_COLUMN_CHANNELS 4u
#define GM_COLUMNS_AT_ONCE 8u

/* Neighbouring taps of a row of outputs. */
typedef struct gm_column_products {
    const int16_t *x, *dy; /* under the first tap; behind the last gradient there are zeros up to a whole GM_COLUMNS_AT_ONCE */
    uint32_t *sums;        /* of the first tap, of each channel */
    uint32_t sums_step;    /* bytes to the next tap's */
    uint32_t taps, times;  /* at least 1; times: GM_COLUMNS_AT_ONCE columns */
} gm_column_products;

/* sums[tap][c] += sum over columns of x[column + tap][c] dy[column][c]. All pointers stay. */
void gm_add_column_products(const gm_column_products *products);

/* Writes n columns of 8 bits, `step` apart, less their zero point, to_step numbers apart. */
void gm_widen_columns(int16_t *to, const int8_t *from, uint32_t n, uint32_t step, uint32_t to_step, int32_t zero);

#endif
#endif
