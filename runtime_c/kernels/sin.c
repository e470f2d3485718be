/* SIN: y = sin(x). */
#include "../generated/instructions/sin.h"
#include "elementwise.h"

#if GM_WITH_SIN
GM_MAP_KERNEL(sin, gm_sin(x))
#endif
