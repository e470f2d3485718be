/* COS: y = cos(x). */
#include "../generated/instructions/cos.h"
#include "elementwise.h"

#if GM_WITH_COS
GM_MAP_KERNEL(cos, gm_cos(x))
#endif
