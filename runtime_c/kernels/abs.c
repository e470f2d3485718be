/*
 * ABS: y = |x|.
 * ABS_GRAD: dx = dy sign(x), sign(0) = 0.
 */
#include "../generated/instructions/abs.h"
#include "../generated/instructions/abs_grad.h"
#include "elementwise.h"

#if GM_WITH_ABS
GM_MAP_KERNEL(abs, gm_abs(x))
#endif

#if GM_WITH_ABS_GRAD
GM_MAP_GRAD_KERNEL(abs_grad, x, x > 0.0f ? dy : x < 0.0f ? -dy : dy * x)
#endif
