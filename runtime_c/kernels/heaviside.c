/*
 * HEAVISIDE: y = a > b ? 1 : a < b ? 0 : 1/2, broadcast by strides of 0: the slope of
 *   max(a, b) along a.
 */
#include "../generated/instructions/heaviside.h"
#include "broadcast.h"

#if GM_WITH_HEAVISIDE
GM_BROADCAST_EXPRESSION_KERNEL(heaviside, a > b ? 1.0f : a < b ? 0.0f : 0.5f)
#endif
