/*
 * MISH: y = x t, t = tanh(log(1 + exp(x))).
 * MISH_GRAD: dx = dy (t + x sigmoid(x) (1 - t^2)), t as in MISH.
 */
#include "../generated/instructions/mish.h"
#include "../generated/instructions/mish_grad.h"
#include "elementwise.h"

#if GM_WITH_MISH || GM_WITH_MISH_GRAD
/* t = tanh(log(1 + exp(x))) = a / (a + b) and its complement 1 - t = b / (a + b), both
 * free of cancellation. With z = exp(-|x|): a = 1 + 2 z, b = 2 z^2 for x >= 0; a = z (z +
 * 2), b = 2 for x < 0. */
typedef struct mish_gate {
    float open, shut;
} mish_gate;

static mish_gate gate_of(float x)
{
    float z = gm_exp(-gm_abs(x));
    float a = x < 0.0f ? z * (z + 2.0f) : 1.0f + 2.0f * z;
    float b = x < 0.0f ? 2.0f : 2.0f * z * z;
    mish_gate gate = {a / (a + b), b / (a + b)};
    return gate;
}
#endif

#if GM_WITH_MISH
GM_MAP_KERNEL(mish, x *gate_of(x).open)
#endif

#if GM_WITH_MISH_GRAD
/* t + x sigmoid(x) (1 - t) (1 + t) */
static float mish_slope(float x)
{
    mish_gate t = gate_of(x);
    return GM_MAC(t.open, x * gm_sigmoid(x) * t.shut, 1.0f + t.open);
}

GM_MAP_GRAD_KERNEL(mish_grad, x, dy *mish_slope(x))
#endif
