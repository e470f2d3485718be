/*
 * CLAMP: y = min(max(x, low), high).
 * CLAMP_GRAD: dx = low <= x <= high ? dy : 0.
 */
#include "../generated/instructions/clamp.h"
#include "../generated/instructions/clamp_grad.h"
#include "elementwise.h"

#if GM_WITH_CLAMP
static float at_least_low(float x, float low)
{
    return x < low ? low : x;
}

static float at_most_high(float x, float high)
{
    return x > high ? high : x;
}

GM_MAP_KERNEL(clamp, at_most_high(at_least_low(x, insn.low), insn.high))
#endif

#if GM_WITH_CLAMP_GRAD
GM_MAP_GRAD_KERNEL(clamp_grad, x, x<insn.low || x> insn.high ? 0.0f : dy)
#endif
