/* MUL: y = a * b, broadcast by strides of 0. */
#include "../generated/instructions/mul.h"
#include "broadcast.h"

#if GM_WITH_MUL
GM_BROADCAST_KERNEL(mul, *)
#endif
