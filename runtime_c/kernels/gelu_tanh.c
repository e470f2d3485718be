/*
 * GELU_TANH: y = x s, s = sigmoid(u), u = sqrt(8 / pi) (x + 0.044715 x^3).
 * GELU_TANH_GRAD: dx = dy (s + x s (1 - s) du/dx), s and u as in GELU_TANH.
 */
#include "../generated/instructions/gelu_tanh.h"
#include "../generated/instructions/gelu_tanh_grad.h"
#include "elementwise.h"

/* (1 + tanh(v)) / 2 = sigmoid(2 v): u = 2 sqrt(2/pi) (x + 0.044715 x^3) = x (LINEAR + CUBIC
 * x^2). */
#define LINEAR 0x1.988454p+0f
#define CUBIC 0x1.2444f2p-4f

#if GM_WITH_GELU_TANH
static float gelu_tanh(float x)
{
    return x * gm_sigmoid(x * GM_MAC(LINEAR, CUBIC, x * x));
}

GM_MAP_FUNCTION_KERNEL(gelu_tanh, GM_SIMD_GELU_TANH, 0.0f, gelu_tanh(x))
#endif

#if GM_WITH_GELU_TANH_GRAD
/* s + x s (1 - s) du/dx with s = sigmoid(u) */
static float gelu_tanh_slope(float x)
{
    float square = x * x;
    float u = x * GM_MAC(LINEAR, CUBIC, square);
    float s = gm_sigmoid(u);
    return GM_MAC(s, x * s * gm_sigmoid(-u), GM_MAC(LINEAR, 3.0f * CUBIC, square));
}

GM_MAP_GRAD_KERNEL(gelu_tanh_grad, x, dy *gelu_tanh_slope(x))
#endif
