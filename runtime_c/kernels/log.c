/* LOG: y = log(x). */
#include "../generated/instructions/log.h"
#include "elementwise.h"

#if GM_WITH_LOG
GM_MAP_KERNEL(log, gm_log(x))
#endif
