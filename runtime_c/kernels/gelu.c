/*
 * GELU: y = x (1 + erf(x / sqrt(2))) / 2.
 * GELU_GRAD: dx = dy ((1 + erf(x / sqrt(2))) / 2 + x exp(-x^2 / 2) / sqrt(2 pi)).
 */
#include "../generated/instructions/gelu.h"
#include "../generated/instructions/gelu_grad.h"
#include "elementwise.h"

#if GM_WITH_GELU || GM_WITH_GELU_GRAD
#define SQRT_HALF 0x1.6a09e6p-1f
#define ONE_OVER_SQRT_2_PI 0x1.988454p-2f

/* The cumulative distribution function of the normal distribution. */
static float probability(float x)
{
    return GM_MAC(0.5f, 0.5f, gm_erf(SQRT_HALF * x));
}
#endif

#if GM_WITH_GELU
GM_MAP_FUNCTION_KERNEL(gelu, GM_SIMD_GELU, 0.0f, x *probability(x))
#endif

#if GM_WITH_GELU_GRAD
static float density(float x)
{
    return ONE_OVER_SQRT_2_PI * gm_exp((-0.5f * x) * x);
}

GM_MAP_GRAD_KERNEL(gelu_grad, x, dy *GM_MAC(probability(x), x, density(x)))
#endif
