/* Activations of a line or two, each with its gradient. Longer ones have files of their own. */
#include "../generated/instructions/elu.h"
#include "../generated/instructions/elu_grad.h"
#include "../generated/instructions/hard_sigmoid.h"
#include "../generated/instructions/hard_sigmoid_grad.h"
#include "../generated/instructions/hard_swish.h"
#include "../generated/instructions/hard_swish_grad.h"
#include "../generated/instructions/prelu.h"
#include "../generated/instructions/prelu_slope.h"
#include "../generated/instructions/softplus.h"
#include "../generated/instructions/softplus_grad.h"
#include "../generated/instructions/softsign.h"
#include "../generated/instructions/softsign_grad.h"
#include "../generated/instructions/swish.h"
#include "../generated/instructions/swish_grad.h"
#include "../generated/instructions/thresholded_relu.h"
#include "../generated/instructions/thresholded_relu_grad.h"
#include "broadcast.h"
#include "elementwise.h"

/* gm_kernel_prelu: y = a < 0 ? b a : a, broadcast by strides of 0; b is the slope below 0. */
#if GM_WITH_PRELU
GM_BROADCAST_EXPRESSION_KERNEL(prelu, a < 0.0f ? b * a : a)
#endif

/* gm_kernel_prelu_slope: y = a > 0 ? 1 : b, broadcast alike: the slope of PRELU along a. */
#if GM_WITH_PRELU_SLOPE
GM_BROADCAST_EXPRESSION_KERNEL(prelu_slope, a > 0.0f ? 1.0f : b)
#endif

/* gm_kernel_thresholded_relu: y = x > alpha ? x : 0, and NaN stays NaN. */
#if GM_WITH_THRESHOLDED_RELU
GM_MAP_KERNEL(thresholded_relu, x <= insn.alpha ? 0.0f : x)
#endif

/* gm_kernel_thresholded_relu_grad: dx = x > alpha ? dy : 0. */
#if GM_WITH_THRESHOLDED_RELU_GRAD
GM_MAP_GRAD_KERNEL(thresholded_relu_grad, x, x <= insn.alpha ? 0.0f : dy)
#endif

/* gm_kernel_elu: y = x > 0 ? scale x : alpha (exp(rate x) - 1), for ELU, SELU and CELU. */
#if GM_WITH_ELU
GM_MAP_KERNEL(elu, x > 0.0f ? insn.scale * x : insn.alpha * gm_expm1(insn.rate * x))
#endif

/* gm_kernel_elu_grad: dx = y > 0 ? scale dy : rate (y + alpha) dy. */
#if GM_WITH_ELU_GRAD
GM_MAP_GRAD_KERNEL(elu_grad, y, y > 0.0f ? insn.scale * dy : dy * (insn.rate * (y + insn.alpha)))
#endif

/* gm_kernel_hard_sigmoid: y = min(max(alpha x + beta, 0), 1). */
#if GM_WITH_HARD_SIGMOID
static float unit_range(float x)
{
    return x < 0.0f ? 0.0f : x > 1.0f ? 1.0f : x;
}

GM_MAP_KERNEL(hard_sigmoid, unit_range(GM_MAC(insn.beta, insn.alpha, x)))
#endif

/* gm_kernel_hard_sigmoid_grad: dx = 0 < y < 1 ? alpha dy : 0. */
#if GM_WITH_HARD_SIGMOID_GRAD
GM_MAP_GRAD_KERNEL(hard_sigmoid_grad, y, y > 0.0f && y < 1.0f ? insn.alpha * dy : 0.0f)
#endif

/* gm_kernel_hard_swish: y = x min(max(x / 6 + 1/2, 0), 1). */
#if GM_WITH_HARD_SWISH
GM_MAP_KERNEL(hard_swish, x <= -3.0f ? 0.0f : x >= 3.0f ? x : x * GM_MAC(0.5f, x, 1.0f / 6.0f))
#endif

/* gm_kernel_hard_swish_grad: dx = x <= -3 ? 0 : x < 3 ? (x / 3 + 1/2) dy : dy. */
#if GM_WITH_HARD_SWISH_GRAD
GM_MAP_GRAD_KERNEL(hard_swish_grad, x, x <= -3.0f ? 0.0f : x >= 3.0f ? dy : dy * GM_MAC(0.5f, x, 1.0f / 3.0f))
#endif

/* gm_kernel_swish: y = x sigmoid(alpha x). */
#if GM_WITH_SWISH
GM_MAP_FUNCTION_KERNEL(swish, GM_SIMD_SWISH, insn.alpha, x *gm_sigmoid(insn.alpha *x))
#endif

/* gm_kernel_swish_grad: dx = dy (s + alpha x s (1 - s)), s = sigmoid(alpha x). */
#if GM_WITH_SWISH_GRAD
/* s + u s (1 - s) with s = sigmoid(u) */
static float swish_slope(float u)
{
    float s = gm_sigmoid(u);
    return GM_MAC(s, u * s, gm_sigmoid(-u));
}

GM_MAP_GRAD_KERNEL(swish_grad, x, dy *swish_slope(insn.alpha *x))
#endif

/* gm_kernel_softplus: y = log(1 + exp(-|x|)) + max(x, 0). */
#if GM_WITH_SOFTPLUS
GM_MAP_KERNEL(softplus, gm_log1p(gm_exp(-gm_abs(x))) + (x > 0.0f ? x : 0.0f))
#endif

/* gm_kernel_softplus_grad: dx = dy sigmoid(x). */
#if GM_WITH_SOFTPLUS_GRAD
GM_MAP_GRAD_KERNEL(softplus_grad, x, dy *gm_sigmoid(x))
#endif

/* gm_kernel_softsign: y = x / (1 + |x|). */
#if GM_WITH_SOFTSIGN
GM_MAP_KERNEL(softsign, x / (1.0f + gm_abs(x)))
#endif

/* gm_kernel_softsign_grad: dx = dy / (1 + |x|)^2. */
#if GM_WITH_SOFTSIGN_GRAD
static float squared(float x)
{
    return x * x;
}

GM_MAP_GRAD_KERNEL(softsign_grad, x, dy / squared(1.0f + gm_abs(x)))
#endif
