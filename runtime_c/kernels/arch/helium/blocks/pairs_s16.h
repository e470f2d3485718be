/* Panels of arm_m/blocks/pairs.h for gradients with Helium: loads from eight addresses
 * put values in order. */
#ifndef GM_HELIUM_PAIRS_S16_H
#define GM_HELIUM_PAIRS_S16_H

#include "../../arm_m/blocks/pairs.h"

#if GM_ARCH_PAIRS && GM_ARCH_HELIUM

/* The leading groups of four k of gm_pair_two_gradients(), and the leading pairs of
 * rows of gm_pair_columns() for four columns. Return how many k those are: 0 if
 * elements are too far apart. */
uint32_t gm_helium_two_gradients(uint32_t *to, const int16_t *from, uint32_t n, uint32_t step);
uint32_t gm_helium_four_columns(uint32_t *to, const int8_t *from, uint32_t rows, uint32_t row_step, uint32_t column_step,
                                int32_t zero);

#else
#define gm_helium_two_gradients(to, from, n, step) 0
#define gm_helium_four_columns(to, from, rows, row_step, column_step, zero) 0
#endif
#endif
