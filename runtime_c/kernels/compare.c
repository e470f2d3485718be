/*
 * GREATER: y = a > b ? 1 : 0, broadcast by strides of 0.
 * GREATER_OR_EQUAL: y = a >= b ? 1 : 0, broadcast by strides of 0.
 * EQUAL: y = a == b ? 1 : 0, broadcast by strides of 0.
 */
#include "../generated/instructions/equal.h"
#include "../generated/instructions/greater.h"
#include "../generated/instructions/greater_or_equal.h"
#include "broadcast.h"

/* Truth values are 1 and 0. */

#if GM_WITH_GREATER
GM_BROADCAST_EXPRESSION_KERNEL(greater, a > b ? 1.0f : 0.0f)
#endif

#if GM_WITH_GREATER_OR_EQUAL
GM_BROADCAST_EXPRESSION_KERNEL(greater_or_equal, a >= b ? 1.0f : 0.0f)
#endif

#if GM_WITH_EQUAL
GM_BROADCAST_EXPRESSION_KERNEL(equal, a == b ? 1.0f : 0.0f)
#endif
