/* DIV: y = a / b, broadcast by strides of 0. */
#include "broadcast.h"

#if GM_WITH_DIV
GM_BROADCAST_KERNEL(div, /)
#endif
