/*
 * SOFTSIGN: y = x / (1 + |x|).
 * SOFTSIGN_GRAD: dx = dy / (1 + |x|)^2.
 */
#include "../generated/instructions/softsign.h"
#include "../generated/instructions/softsign_grad.h"
#include "elementwise.h"

#if GM_WITH_SOFTSIGN
GM_MAP_KERNEL(softsign, x / (1.0f + gm_abs(x)))
#endif

#if GM_WITH_SOFTSIGN_GRAD
static float squared(float x)
{
    return x * x;
}

GM_MAP_GRAD_KERNEL(softsign_grad, x, dy / squared(1.0f + gm_abs(x)))
#endif
