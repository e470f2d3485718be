/* SQRT: y = sqrt(x). */
#include "../generated/instructions/sqrt.h"
#include "elementwise.h"

#if GM_WITH_SQRT
GM_MAP_KERNEL(sqrt, gm_sqrt(x))
#endif
