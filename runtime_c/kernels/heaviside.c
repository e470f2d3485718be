#include "broadcast.h"

#if GM_WITH_HEAVISIDE
GM_BROADCAST_EXPRESSION_KERNEL(heaviside, a > b ? 1.0f : a < b ? 0.0f : 0.5f)
#endif
