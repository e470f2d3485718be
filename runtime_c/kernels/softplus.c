/*
 * SOFTPLUS: y = log(1 + exp(-|x|)) + max(x, 0).
 * SOFTPLUS_GRAD: dx = dy sigmoid(x).
 */
#include "../generated/instructions/softplus.h"
#include "../generated/instructions/softplus_grad.h"
#include "elementwise.h"

#if GM_WITH_SOFTPLUS
GM_MAP_KERNEL(softplus, gm_log1p(gm_exp(-gm_abs(x))) + (x > 0.0f ? x : 0.0f))
#endif

#if GM_WITH_SOFTPLUS_GRAD
GM_MAP_GRAD_KERNEL(softplus_grad, x, dy *gm_sigmoid(x))
#endif
