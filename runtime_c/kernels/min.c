/* MIN: y = min(a, b), broadcast by strides of 0; NaN if either is NaN. */
#include "../generated/instructions/min.h"
#include "broadcast.h"

#if GM_WITH_MIN
GM_BROADCAST_EXPRESSION_KERNEL(min, a < b || a != a ? a : b)
#endif
