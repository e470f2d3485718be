/* SUB: y = a - b, broadcast by strides of 0. */
#include "../generated/instructions/sub.h"
#include "broadcast.h"

#if GM_WITH_SUB
GM_BROADCAST_KERNEL(sub, -)
#endif
