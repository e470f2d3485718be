/*
 * SWISH: y = x sigmoid(alpha x).
 * SWISH_GRAD: dx = dy (s + alpha x s (1 - s)), s = sigmoid(alpha x).
 */
#include "../generated/instructions/swish.h"
#include "../generated/instructions/swish_grad.h"
#include "elementwise.h"

#if GM_WITH_SWISH
GM_MAP_FUNCTION_KERNEL(swish, GM_SIMD_SWISH, insn.alpha, x *gm_sigmoid(insn.alpha *x))
#endif

#if GM_WITH_SWISH_GRAD
/* s + u s (1 - s) with s = sigmoid(u) */
static float swish_slope(float u)
{
    float s = gm_sigmoid(u);
    return GM_MAC(s, u * s, gm_sigmoid(-u));
}

GM_MAP_GRAD_KERNEL(swish_grad, x, dy *swish_slope(insn.alpha *x))
#endif
