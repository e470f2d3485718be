/* ADD: y = a + b, broadcast by strides of 0. */
#include "../generated/instructions/add.h"
#include "broadcast.h"

#if GM_WITH_ADD
GM_BROADCAST_KERNEL(add, +)
#endif
