/* ERF: y = erf(x). */
#include "../generated/instructions/erf.h"
#include "elementwise.h"

#if GM_WITH_ERF
GM_MAP_KERNEL(erf, gm_erf(x))
#endif
