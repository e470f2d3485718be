/* Arrays through half.c, for half_test.py. */
#include <stddef.h>

#include "half.h"

void halves_of(const uint32_t *bits, size_t n, uint32_t scale, uint16_t *halves)
{
    for (size_t i = 0; i < n; ++i) {
        halves[i] = (uint16_t)gm_half_of(bits[i], scale);
    }
}

void values_of(const uint16_t *halves, size_t n, uint32_t scale, uint32_t *bits)
{
    for (size_t i = 0; i < n; ++i) {
        bits[i] = gm_half_value(halves[i], scale);
    }
}
