/* Functions of one operand. Most are elementary functions of src/numerics.h. */
#include "../generated/instructions/abs.h"
#include "../generated/instructions/abs_grad.h"
#include "../generated/instructions/atan.h"
#include "../generated/instructions/cos.h"
#include "../generated/instructions/erf.h"
#include "../generated/instructions/exp.h"
#include "../generated/instructions/log.h"
#include "../generated/instructions/log1p.h"
#include "../generated/instructions/round.h"
#include "../generated/instructions/sign.h"
#include "../generated/instructions/sin.h"
#include "../generated/instructions/sqrt.h"
#include "elementwise.h"

/* gm_kernel_abs: y = |x|. */
#if GM_WITH_ABS
GM_MAP_KERNEL(abs, gm_abs(x))
#endif

/* gm_kernel_abs_grad: dx = dy sign(x), sign(0) = 0. */
#if GM_WITH_ABS_GRAD
GM_MAP_GRAD_KERNEL(abs_grad, x, x > 0.0f ? dy : x < 0.0f ? -dy : dy * x)
#endif

/* gm_kernel_sign: y = x > 0 ? 1 : x < 0 ? -1 : x. */
#if GM_WITH_SIGN
GM_MAP_KERNEL(sign, x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x)
#endif

/* gm_kernel_round: y = the integer nearest to x, ties to even, or the next integer down or up. */
#if GM_WITH_ROUND
static float next_integer(float x, int direction)
{
    float nearest = gm_round(x);
    if (direction == GM_DIRECTION_DOWN) {
        return nearest > x ? nearest - 1.0f : nearest;
    }
    return direction == GM_DIRECTION_UP && nearest < x ? nearest + 1.0f : nearest;
}

GM_MAP_KERNEL(round, next_integer(x, (int)insn.direction))
#endif

/* gm_kernel_sqrt: y = sqrt(x). */
#if GM_WITH_SQRT
GM_MAP_KERNEL(sqrt, gm_sqrt(x))
#endif

/* gm_kernel_exp: y = exp(x). */
#if GM_WITH_EXP
GM_MAP_FUNCTION_KERNEL(exp, GM_SIMD_EXP, 0.0f, gm_exp(x))
#endif

/* gm_kernel_log: y = log(x). */
#if GM_WITH_LOG
GM_MAP_KERNEL(log, gm_log(x))
#endif

/* gm_kernel_log1p: y = log(1 + x), x >= 0. */
#if GM_WITH_LOG1P
GM_MAP_KERNEL(log1p, gm_log1p(x))
#endif

/* gm_kernel_erf: y = erf(x). */
#if GM_WITH_ERF
GM_MAP_KERNEL(erf, gm_erf(x))
#endif

/* gm_kernel_sin: y = sin(x). */
#if GM_WITH_SIN
GM_MAP_KERNEL(sin, gm_sin(x))
#endif

/* gm_kernel_cos: y = cos(x). */
#if GM_WITH_COS
GM_MAP_KERNEL(cos, gm_cos(x))
#endif

/* gm_kernel_atan: y = arctan(x). */
#if GM_WITH_ATAN
GM_MAP_KERNEL(atan, gm_atan(x))
#endif
