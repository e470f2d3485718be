/*
 * HARD_SIGMOID: y = min(max(alpha x + beta, 0), 1).
 * HARD_SIGMOID_GRAD: dx = 0 < y < 1 ? alpha dy : 0.
 */
#include "../generated/instructions/hard_sigmoid.h"
#include "../generated/instructions/hard_sigmoid_grad.h"
#include "elementwise.h"

#if GM_WITH_HARD_SIGMOID
static float unit_range(float x)
{
    return x < 0.0f ? 0.0f : x > 1.0f ? 1.0f : x;
}

GM_MAP_KERNEL(hard_sigmoid, unit_range(GM_MAC(insn.beta, insn.alpha, x)))
#endif

#if GM_WITH_HARD_SIGMOID_GRAD
GM_MAP_GRAD_KERNEL(hard_sigmoid_grad, y, y > 0.0f && y < 1.0f ? insn.alpha * dy : 0.0f)
#endif
