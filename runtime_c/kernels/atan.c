/* ATAN: y = arctan(x). */
#include "../generated/instructions/atan.h"
#include "elementwise.h"

#if GM_WITH_ATAN
GM_MAP_KERNEL(atan, gm_atan(x))
#endif
