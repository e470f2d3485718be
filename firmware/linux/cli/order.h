/* The order of the samples in an epoch, the same as in `gradmote train`. */
#ifndef ORDER_H
#define ORDER_H

#include <stdint.h>

/* order[0 .. count) becomes numpy's default_rng((seed, epoch)).permutation(count). count: below 2^32. */
void order_shuffle(uint32_t *order, uint32_t count, uint32_t seed, uint32_t epoch);

#endif
