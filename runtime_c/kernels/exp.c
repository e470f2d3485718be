/* EXP: y = exp(x). */
#include "../generated/instructions/exp.h"
#include "elementwise.h"

#if GM_WITH_EXP
GM_MAP_FUNCTION_KERNEL(exp, GM_SIMD_EXP, 0.0f, gm_exp(x))
#endif
