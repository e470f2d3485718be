#include "broadcast.h"

#if GM_WITH_MUL
GM_BROADCAST_KERNEL(mul, *)
#endif
