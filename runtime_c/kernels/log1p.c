/* LOG1P: y = log(1 + x), x >= 0. */
#include "../generated/instructions/log1p.h"
#include "elementwise.h"

#if GM_WITH_LOG1P
GM_MAP_KERNEL(log1p, gm_log1p(x))
#endif
