#include "numerics.h"

/* ln 2 in two parts: the high one has 9 significant bits, so that its product with an exponent is exact. */
#define LN2_HIGH 0.693359375f
#define LN2_LOW (-0x1.bd0106p-13f)
#define LOG2_E 0x1.715476p+0f

/* Added and taken away again, it rounds a number below 2^22 to the nearest integer. */
#define ROUNDER 12582912.0f

#define QUIET_NAN gm_float_of(0x7fc00000u)
#define INFINITE gm_float_of(0x7f800000u)

/* 2^n for -126 <= n <= 127. */
static float power_of_two(int32_t n)
{
    return gm_float_of((uint32_t)(n + 127) << 23);
}

/* ---- exp --------------------------------------------------------------------------------------------------- */

/* exp(r) - 1 = r + r^2 q(r) for |r| <= ln(2)/2; q is a minimax polynomial, relative error 3.2e-9. */
static float expm1_reduced(float r)
{
    float q = 0x1.6a4d6p-10f;
    q = GM_MAC(0x1.12398ep-7f, q, r);
    q = GM_MAC(0x1.5558bp-5f, q, r);
    q = GM_MAC(0x1.555492p-3f, q, r);
    q = GM_MAC(0x1.fffffcp-2f, q, r);
    return GM_MAC(r, q, r * r);
}

/* x = n ln 2 + r, n the integer nearest to x / ln 2. */
static float reduce_by_ln2(float x, float *n)
{
    *n = GM_MAC(ROUNDER, x, LOG2_E) - ROUNDER;
    return GM_MAC(GM_MAC(x, *n, -LN2_HIGH), *n, -LN2_LOW);
}

float gm_exp(float x)
{
    if (x != x) {
        return x;
    }
    if (x > 88.8f) {
        return INFINITE;
    }
    if (x < -104.0f) {
        return 0.0f;
    }
    float n;
    float r = reduce_by_ln2(x, &n);
    /* 2^n in two factors: the result may overflow or be subnormal though exp(r) 2^half is neither. */
    int32_t power = (int32_t)n;
    int32_t half = power / 2;
    return (1.0f + expm1_reduced(r)) * power_of_two(half) * power_of_two(power - half);
}

float gm_expm1(float x)
{
    if (x != x) {
        return x;
    }
    if (x < -18.0f) {
        return -1.0f;
    }
    float n;
    float r = reduce_by_ln2(x, &n);
    float scale = power_of_two((int32_t)n);
    return GM_MAC(scale - 1.0f, expm1_reduced(r), scale);
}

/* ---- log --------------------------------------------------------------------------------------------------- */

/* Splits a positive normal x into m 2^e with sqrt(1/2) <= m < sqrt(2). */
static float split(float x, int32_t *exponent)
{
    const uint32_t sqrt_half = 0x3f3504f3u;
    uint32_t bits = gm_bits_of(x) - sqrt_half;
    *exponent = (int32_t)bits >> 23;
    return gm_float_of((bits & 0x007fffffu) + sqrt_half);
}

/* With f = m - 1 and s = f / (2 + f): log(1 + f) = f - (f^2/2 - s (f^2/2 + z R(z))), z = s^2; R is a minimax
 * polynomial, relative error 8.2e-10. The result is e ln 2 + log(m). */
static float log_split(float m, float e)
{
    float f = m - 1.0f;
    float s = f / (2.0f + f);
    float z = s * s;
    float half_square = 0.5f * f * f;
    float series = z * GM_MAC(0x1.55557ap-1f, GM_MAC(0x1.995eccp-2f, 0x1.31e23ep-2f, z), z);
    float small = GM_MAC(e * LN2_LOW, s, half_square + series);
    return GM_MAC(f - (half_square - small), e, LN2_HIGH);
}

float gm_log(float x)
{
    if (!(x > 0.0f)) {
        return x == 0.0f ? -INFINITE : QUIET_NAN;
    }
    if (x == INFINITE) {
        return x;
    }
    int32_t bias = 0;
    if (x < FLT_MIN) {
        x *= 0x1p23f;
        bias = -23;
    }
    int32_t exponent;
    float m = split(x, &exponent);
    return log_split(m, (float)(exponent + bias));
}

/* log(w) with w = 1 + x as rounded, corrected by the part of x that the rounding lost. */
float gm_log1p(float x)
{
    float w = 1.0f + x;
    if (w == 1.0f || w == INFINITE) {
        return x;
    }
    float lost = w > 2.0f ? 1.0f - (w - x) : x - (w - 1.0f);
    return gm_log(w) + lost / w;
}

/* ---- tanh and sigmoid -------------------------------------------------------------------------------------- */

/* tanh(x) = x + x^3 p(x^2) for |x| < 0.625; p is a minimax polynomial, relative error 4.6e-9. */
static float tanh_near_zero(float x)
{
    float z = x * x;
    float p = -0x1.750ce2p-8f;
    p = GM_MAC(0x1.51f8cep-6f, p, z);
    p = GM_MAC(-0x1.b835a4p-5f, p, z);
    p = GM_MAC(0x1.1106f6p-3f, p, z);
    p = GM_MAC(-0x1.555532p-2f, p, z);
    return GM_MAC(x, p * z, x);
}

float gm_tanh(float x)
{
    float magnitude = gm_abs(x);
    if (magnitude < 0.625f) {
        return tanh_near_zero(x);
    }
    float t = 1.0f - 2.0f / (gm_exp(2.0f * magnitude) + 1.0f);
    return x < 0.0f ? -t : t;
}

float gm_sigmoid(float x)
{
    float z = gm_exp(-gm_abs(x));
    return (x < 0.0f ? z : 1.0f) / (1.0f + z);
}

/* ---- sqrt -------------------------------------------------------------------------------------------------- */

#if !GM_HARDWARE_SQRT

/* Square root of a radicand below 2^26 with 24 fraction bits to come, bit by bit: 25 bits of the root, whose last
 * one rounds. A root of 24 bits is never half-way, so a remainder needs no further care. */
static uint32_t root_of(uint32_t radicand)
{
    uint32_t root = 0, twice = 0;
    for (uint32_t bit = 0x01000000u; bit != 0; bit >>= 1) {
        uint32_t trial = twice + bit;
        if (trial <= radicand) {
            twice = trial + bit;
            radicand -= trial;
            root += bit;
        }
        radicand <<= 1;
    }
    return (root + 1) >> 1;
}

float gm_sqrt(float x)
{
    if (x == 0.0f || !(x < INFINITE)) {
        return x;
    }
    if (x < 0.0f) {
        return QUIET_NAN;
    }
    int32_t shift = 0;
    if (x < FLT_MIN) {
        x *= 0x1p24f;
        shift = 12;
    }
    uint32_t bits = gm_bits_of(x);
    uint32_t exponent = (bits >> 23) + 127u;
    uint32_t mantissa = (bits & 0x007fffffu) | 0x00800000u;
    /* sqrt(m 2^e) = sqrt(2m) 2^((e-1)/2) for odd e; `exponent` is e + 254. */
    uint32_t root = root_of(exponent & 1u ? mantissa << 2 : mantissa << 1);
    return gm_float_of(root + ((exponent / 2u - 1u - (uint32_t)shift) << 23));
}

#endif
