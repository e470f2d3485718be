/* MAX: y = max(a, b), broadcast by strides of 0; NaN if either is NaN. */
#include "../generated/instructions/max.h"
#include "broadcast.h"

#if GM_WITH_MAX
GM_BROADCAST_EXPRESSION_KERNEL(max, a > b || a != a ? a : b)
#endif
