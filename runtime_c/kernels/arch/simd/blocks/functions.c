/* Elementary functions on rows, GM_LANES values at once. */
#include "functions.h"
#include "../simd.h"

#if GM_ARCH_FUNCTIONS

static GM_SIMD_TARGET void exp_row(const float *from, float shift, float *to, uint32_t n)
{
    GM_FOR_LANES(from, to, n, value = gm_lanes_exp(x - GM_LANES_OF(shift));)
}

static GM_SIMD_TARGET void sigmoid_row(const float *from, float alpha, float *to, uint32_t n)
{
    (void)alpha;
    GM_FOR_LANES(from, to, n, value = gm_lanes_sigmoid(x);)
}

static GM_SIMD_TARGET void swish_row(const float *from, float alpha, float *to, uint32_t n)
{
    GM_FOR_LANES(from, to, n, value = x * gm_lanes_sigmoid(GM_LANES_OF(alpha) * x);)
}

static GM_SIMD_TARGET void tanh_row(const float *from, float alpha, float *to, uint32_t n)
{
    (void)alpha;
    GM_FOR_LANES(from, to, n, value = gm_lanes_tanh(x);)
}

static GM_SIMD_TARGET void gelu_tanh_row(const float *from, float alpha, float *to, uint32_t n)
{
    (void)alpha;
    GM_FOR_LANES(from, to, n, {
        gm_lanes_f32 factor = gm_lanes_step(0x1.988454p+0f, GM_LANES_OF(0x1.2444f2p-4f), x * x);
        value = x * gm_lanes_sigmoid(x * factor);
    })
}

static GM_SIMD_TARGET void gelu_row(const float *from, float alpha, float *to, uint32_t n)
{
    const gm_lanes_f32 half = GM_LANES_OF(0.5f);
    (void)alpha;
    GM_FOR_LANES(from, to, n, value = x * gm_lanes_mac(half, half, gm_lanes_erf(GM_LANES_OF(0x1.6a09e6p-1f) * x));)
}

int gm_simd_function_row(gm_simd_function function, const float *x, float parameter, float *y, uint32_t n)
{
    if (!gm_simd_runs()) {
        return 0;
    }
    switch (function) {
    case GM_SIMD_EXP: exp_row(x, parameter, y, n); break;
    case GM_SIMD_SIGMOID: sigmoid_row(x, parameter, y, n); break;
    case GM_SIMD_SWISH: swish_row(x, parameter, y, n); break;
    case GM_SIMD_TANH: tanh_row(x, parameter, y, n); break;
    case GM_SIMD_GELU: gelu_row(x, parameter, y, n); break;
    default: gelu_tanh_row(x, parameter, y, n); break;
    }
    return 1;
}

#endif
