#include "broadcast.h"

#if GM_WITH_MIN
GM_BROADCAST_EXPRESSION_KERNEL(min, a < b || a != a ? a : b)
#endif
