/* Steps of stored integers on Cortex-M: which ones have kernels of their own. Without FPU,
 * steps can be made directly from the sums of products, so that neither gradients nor
 * steps become floats. */
#ifndef GM_ARM_M_SUM_STEPS_H
#define GM_ARM_M_SUM_STEPS_H

#include "../../../src/numerics.h"
#include "../../optimizers/stored_update.h"

#if GM_ARCH_STORED_STEPS

/* The largest limits for int8, and for wider integers: below 2^14, at which steps saturate (2^30 in
 * units of 2^-16), so that the limit clamps any saturated step. */
#define GM_LONGEST_OF_BYTES 127.0f
#define GM_LONGEST_OF_HALVES 16383.0f

/* The widest elements, in bytes. */
#define GM_WIDEST_OF_STEPS (GM_ARCH_DSP ? 2u : 4u)

/* Whether a nonnegative number is an integer below 2^23, from its bits. */
static inline int gm_is_small_integer(uint32_t bits)
{
    uint32_t exponent = (bits >> 23) - 127u;
    return bits == 0 || (exponent < 23 && bits << (9 + exponent) == 0);
}

/* Whether the elements and their bounds have a supported width, and the limit
 * is such an integer. */
static inline int gm_suits_steps(const gm_stored_update *u)
{
    uint32_t limit = gm_bits_of(u->limit), longest = gm_bits_of(u->bytes == 1 ? GM_LONGEST_OF_BYTES : GM_LONGEST_OF_HALVES);
    int32_t least = u->bytes == 1 ? INT8_MIN : u->bytes == 2 ? INT16_MIN : INT32_MIN;
    return u->bytes <= GM_WIDEST_OF_STEPS && limit <= longest && gm_is_small_integer(limit) && u->low >= least &&
           u->low <= u->high && u->high <= ~least;
}

#endif

#if GM_ARCH_STORED_STEPS && !GM_ARCH_DSP
#define GM_ARCH_SUM_STEPS 1
#else
#define GM_ARCH_SUM_STEPS 0
#endif

#if GM_ARCH_SUM_STEPS

/* Whether the update is plain SGD on such elements. */
int gm_suits_sum_steps(const gm_stored_update *u);

/* Updates the n elements from index `first` on; their gradients are factor sums[0..n-1]. Bitwise
 * equal to gm_update_stored() with a factor of 1. Clobbers sums. */
void gm_update_by_sums(const gm_stored_update *u, int32_t *sums, float factor, float unit, uint32_t first, uint32_t n);

#endif
#endif
