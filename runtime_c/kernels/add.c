#include "broadcast.h"

#if GM_WITH_ADD
GM_BROADCAST_KERNEL(add, +)
#endif
