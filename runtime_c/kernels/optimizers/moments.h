/* The moments that Adam and its relatives share. */
#ifndef GM_MOMENTS_H
#define GM_MOMENTS_H

#include "../../src/gm_internal.h"
#include "../../src/numerics.h"

/* m += (1 - beta1) (g - m) */
static inline float gm_first_moment(float m, float g, float one_minus_beta1)
{
    return GM_MAC(m, one_minus_beta1, g - m);
}

/* v = beta2 v + (1 - beta2) g^2 */
static inline float gm_second_moment(float v, float g, float beta2, float one_minus_beta2)
{
    return GM_MAC(beta2 * v, one_minus_beta2 * g, g);
}

#endif
