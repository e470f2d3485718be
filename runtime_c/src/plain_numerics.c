/* exp and log of numerics.c, with a multiply-accumulate that rounds twice. numerics.c and
 * docs/NUMERICS.md explain the steps. */
#include "plain_numerics.h"

#if GM_FUSED

float gm_plain_exp(float x)
{
    if (x != x) {
        return x;
    }
    if (x > 88.8f) {
        return GM_INFINITY;
    }
    if (x < -104.0f) {
        return 0.0f;
    }
    float n = (12582912.0f + x * 0x1.715476p+0f) - 12582912.0f;
    float r = (x + n * -0.693359375f) + n * 0x1.bd0106p-13f;
    float q = 0x1.12398ep-7f + 0x1.6a4d6p-10f * r;
    q = 0x1.5558bp-5f + q * r;
    q = 0x1.555492p-3f + q * r;
    q = 0x1.fffffcp-2f + q * r;
    int32_t power = (int32_t)n, half = power / 2;
    return (1.0f + (r + q * (r * r))) * gm_power_of_two(half) * gm_power_of_two(power - half);
}

/* Returns the logarithm of a positive normal number times 2^bias. */
static float plain_log_of(float x, int32_t bias)
{
    const uint32_t sqrt_half = 0x3f3504f3u;
    uint32_t bits = gm_bits_of(x) - sqrt_half;
    float f = gm_float_of((bits & 0x007fffffu) + sqrt_half) - 1.0f, e = (float)(((int32_t)bits >> 23) + bias);
    float s = f / (2.0f + f), z = s * s, half_square = 0.5f * f * f;
    float series = z * (0x1.55557ap-1f + (0x1.995eccp-2f + 0x1.31e23ep-2f * z) * z);
    float small = e * -0x1.bd0106p-13f + s * (half_square + series);
    return (f - (half_square - small)) + e * 0.693359375f;
}

float gm_plain_log(float x)
{
    if (!(x > 0.0f)) {
        return x == 0.0f ? -GM_INFINITY : gm_float_of(0x7fc00000u);
    }
    if (x == GM_INFINITY) {
        return x;
    }
    return x < FLT_MIN ? plain_log_of(x * 0x1p23f, -23) : plain_log_of(x, 0);
}

#endif
