/* SIGN: y = x > 0 ? 1 : x < 0 ? -1 : x. */
#include "../generated/instructions/sign.h"
#include "elementwise.h"

#if GM_WITH_SIGN
GM_MAP_KERNEL(sign, x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x)
#endif
