/*
 * HARD_SWISH: y = x min(max(x / 6 + 1/2, 0), 1).
 * HARD_SWISH_GRAD: dx = x <= -3 ? 0 : x < 3 ? (x / 3 + 1/2) dy : dy.
 */
#include "../generated/instructions/hard_swish.h"
#include "../generated/instructions/hard_swish_grad.h"
#include "elementwise.h"

#if GM_WITH_HARD_SWISH
GM_MAP_KERNEL(hard_swish, x <= -3.0f ? 0.0f : x >= 3.0f ? x : x * GM_MAC(0.5f, x, 1.0f / 6.0f))
#endif

#if GM_WITH_HARD_SWISH_GRAD
GM_MAP_GRAD_KERNEL(hard_swish_grad, x, x <= -3.0f ? 0.0f : x >= 3.0f ? dy : dy * GM_MAC(0.5f, x, 1.0f / 3.0f))
#endif
