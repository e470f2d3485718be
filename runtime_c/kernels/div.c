/* DIV: y = a / b, broadcast by strides of 0. */
#include "../generated/instructions/div.h"
#include "broadcast.h"

#if GM_WITH_DIV
GM_BROADCAST_KERNEL(div, /)
#endif
