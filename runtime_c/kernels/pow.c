/* POW: y = a^b, broadcast by strides of 0. */
#include "../generated/instructions/pow.h"
#include "broadcast.h"
#include "../src/numerics.h"

#if GM_WITH_POW

/* Up to this exponent, products are more accurate than exp and log. */
#define MOST_FACTORS 16.0f

/* x^n by squaring, from the lowest bit of n upwards. */
static float integer_power(float x, uint32_t n)
{
    float y = 1.0f;
    for (; n != 0; n >>= 1) {
        if (n & 1u) {
            y *= x;
        }
        x *= x;
    }
    return y;
}

static float power(float x, float exponent)
{
    float magnitude = gm_abs(exponent);
    int is_integer = magnitude < 0x1p24f && exponent == (float)(int32_t)exponent;
    if (is_integer && magnitude <= MOST_FACTORS) {
        float y = integer_power(x, (uint32_t)magnitude);
        return exponent < 0.0f ? 1.0f / y : y;
    }
    float y = gm_exp(exponent * gm_log(is_integer ? gm_abs(x) : x));
    return x < 0.0f && is_integer && ((int32_t)exponent & 1) ? -y : y;
}

GM_BROADCAST_EXPRESSION_KERNEL(pow, power(a, b))

#endif
