/* Runs of 8-bit values with Helium. */
#ifndef GM_HELIUM_BYTE_RUNS_H
#define GM_HELIUM_BYTE_RUNS_H

#include <stdint.h>

#include "../../arch.h"

#if GM_ARCH_PAIRS && GM_ARCH_HELIUM

/* Copies n values; copies n values that are `step` apart; writes one value n times. Each returns
 * the place after the last one. */
int8_t *gm_byte_copy(int8_t *to, const int8_t *from, uint32_t n);
int8_t *gm_byte_gather(int8_t *to, const int8_t *from, uint32_t n, uint32_t step);
int8_t *gm_byte_fill(int8_t *to, int32_t number, uint32_t n);

#endif
#endif
