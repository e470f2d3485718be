/*
 * ELU: y = x > 0 ? scale x : alpha (exp(rate x) - 1).
 * ELU_GRAD: dx = y > 0 ? scale dy : rate (y + alpha) dy.
 */
#include "../generated/instructions/elu.h"
#include "../generated/instructions/elu_grad.h"
#include "elementwise.h"

/* ELU, SELU and CELU. */

#if GM_WITH_ELU
GM_MAP_KERNEL(elu, x > 0.0f ? insn.scale * x : insn.alpha * gm_expm1(insn.rate * x))
#endif

#if GM_WITH_ELU_GRAD
GM_MAP_GRAD_KERNEL(elu_grad, y, y > 0.0f ? insn.scale * dy : dy * (insn.rate * (y + insn.alpha)))
#endif
