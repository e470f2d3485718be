/*
 * PRELU: y = a < 0 ? b a : a, broadcast by strides of 0.
 * PRELU_SLOPE: y = a > 0 ? 1 : b, broadcast by strides of 0: the slope of PRELU along a.
 */
#include "../generated/instructions/prelu.h"
#include "../generated/instructions/prelu_slope.h"
#include "broadcast.h"

/* a is x, b the slope below 0. */

#if GM_WITH_PRELU
GM_BROADCAST_EXPRESSION_KERNEL(prelu, a < 0.0f ? b * a : a)
#endif

#if GM_WITH_PRELU_SLOPE
GM_BROADCAST_EXPRESSION_KERNEL(prelu_slope, a > 0.0f ? 1.0f : b)
#endif
