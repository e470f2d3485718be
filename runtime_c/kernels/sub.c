#include "broadcast.h"

#if GM_WITH_SUB
GM_BROADCAST_KERNEL(sub, -)
#endif
