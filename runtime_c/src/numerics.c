#include "numerics.h"

/* ln 2 in two parts: the high one has 9 significant bits, so that its product with an exponent is
 * exact. */
#define LN2_HIGH 0.693359375f
#define LN2_LOW (-0x1.bd0106p-13f)
#define LOG2_E 0x1.715476p+0f

/* Adding and subtracting this rounds a number below 2^22 to the nearest integer. */
#define ROUNDER 12582912.0f

#define QUIET_NAN gm_float_of(0x7fc00000u)
#define INFINITE gm_float_of(0x7f800000u)

/* ---- exp ------------------------------------------------------------------------------------- */

/* exp(r) - 1 = r + r^2 q(r) for |r| <= ln(2)/2;
 * q is a minimax polynomial, relative error 3.2e-9. */
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
    /* 2^n is split into two factors, because the result may overflow or be subnormal even though
     * exp(r) 2^half is neither. */
    int32_t power = (int32_t)n;
    int32_t half = power / 2;
    return (1.0f + expm1_reduced(r)) * gm_power_of_two(half) * gm_power_of_two(power - half);
}

float gm_expm1(float x)
{
    if (x != x) {
        return x;
    }
    if (x < -18.0f) {
        return -1.0f;
    }
    if (x > 88.0f) {
        return gm_exp(x); /* 2^n would overflow */
    }
    float n;
    float r = reduce_by_ln2(x, &n);
    float scale = gm_power_of_two((int32_t)n);
    return GM_MAC(scale - 1.0f, expm1_reduced(r), scale);
}

/* ---- log ------------------------------------------------------------------------------------- */

/* Splits a positive normal x into m 2^e with sqrt(1/2) <= m < sqrt(2). */
static float split(float x, int32_t *exponent)
{
    const uint32_t sqrt_half = 0x3f3504f3u;
    uint32_t bits = gm_bits_of(x) - sqrt_half;
    *exponent = (int32_t)bits >> 23;
    return gm_float_of((bits & 0x007fffffu) + sqrt_half);
}

/* With f = m - 1 and s = f / (2 + f): log(1 + f) = f - (f^2/2 - s (f^2/2 + z R(z))), z = s^2; R is
 * a minimax polynomial, relative error 8.2e-10. The result is e ln 2 + log(m). */
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

/* log(w) with w = 1 + x rounded, corrected by the part of x that was lost. */
float gm_log1p(float x)
{
    float w = 1.0f + x;
    if (w == 1.0f || w == INFINITE) {
        return x;
    }
    float lost = w > 2.0f ? 1.0f - (w - x) : x - (w - 1.0f);
    return gm_log(w) + lost / w;
}

/* ---- tanh and sigmoid ------------------------------------------------------------------------ */

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

/* ---- erf ------------------------------------------------------------------------------------- */

/* erf(x) = x + x p(x^2) for |x| < 1; p is a minimax polynomial, relative error 1.5e-9. */
static float erf_near_zero(float x)
{
    float z = x * x;
    float p = 0x1.4771fep-14f;
    p = GM_MAC(-0x1.a3515ep-11f, p, z);
    p = GM_MAC(0x1.53f224p-8f, p, z);
    p = GM_MAC(-0x1.b7f71ap-6f, p, z);
    p = GM_MAC(0x1.ce2ce6p-4f, p, z);
    p = GM_MAC(-0x1.81273ep-2f, p, z);
    p = GM_MAC(0x1.06eba8p-3f, p, z);
    return GM_MAC(x, p, x);
}

/* log(1 - erf(x)) for 1 <= x < 4; the error of its exponential is 1.1e-9. */
static float log_erfc(float x)
{
    float p = 0x1.85292p-13f;
    p = GM_MAC(-0x1.814ae6p-9f, p, x);
    p = GM_MAC(0x1.654172p-6f, p, x);
    p = GM_MAC(-0x1.a60a4ap-4f, p, x);
    p = GM_MAC(-0x1.46c588p-1f, p, x);
    p = GM_MAC(-0x1.2085b2p+0f, p, x);
    return GM_MAC(-0x1.72e41ep-12f, p, x);
}

float gm_erf(float x)
{
    float magnitude = gm_abs(x);
    if (magnitude < 1.0f) {
        return erf_near_zero(x);
    }
    float e = magnitude >= 4.0f ? 1.0f : 1.0f - gm_exp(log_erfc(magnitude));
    return x < 0.0f ? -e : e;
}

/* ---- sin and cos ----------------------------------------------------------------------------- */

/* Returns bits [start, start + 32) of 2/pi, whose first word is the integer part. */
static uint32_t two_over_pi(uint32_t start)
{
    static const uint32_t words[] = {
        0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu,
    };
    const uint32_t *word = &words[start / 32u];
    uint64_t pair = (uint64_t)word[0] << 32 | word[1];
    return (uint32_t)(pair << start % 32u >> 32);
}

/* Returns x 2/pi modulo 4 in units of 2^-62, for finite x >= pi/4. With x = m 2^s, it skips the
 * bits of 2/pi whose product with x is a multiple of 4, and uses the next 96. The error is below
 * 2^-60. (Payne & Hanek 1983.) */
static uint64_t quadrants_of(float x)
{
    uint32_t bits = gm_bits_of(x);
    uint64_t mantissa = (bits & 0x007fffffu) | 0x00800000u;
    uint32_t start = (bits >> 23) - 120u;
    return (mantissa * two_over_pi(start) << 32) + mantissa * two_over_pi(start + 32u) +
           (mantissa * two_over_pi(start + 64u) >> 32);
}

/* Returns r with x = r + n pi/2 and |r| <= pi/4, rounded once, and n modulo 4, for finite
 * x >= pi/4. */
static float reduce_by_half_pi(float x, uint32_t *n)
{
    uint64_t turn = quadrants_of(x);
    uint64_t nearest = (turn + (UINT64_C(1) << 61)) >> 62;
    uint64_t rest = turn - (nearest << 62);
    int is_negative = (int)(rest >> 63);
    int32_t exponent = -29;
    for (rest = (is_negative ? 0 - rest : rest) | 1u; rest >> 63 == 0; rest <<= 1) {
        exponent--;
    }
    /* The product of two numbers in 1 .. 2 with 31 fraction bits, the second one pi/2. */
    uint32_t product = (uint32_t)((rest >> 32) * 0xc90fdaa2u >> 32);
    float r = (float)product * gm_power_of_two(exponent);
    *n = (uint32_t)nearest & 3u;
    return is_negative ? -r : r;
}

/* r + r^3 p(r^2) for |r| <= pi/4; p is a minimax polynomial, relative error 4.0e-9. */
static float sin_reduced(float r)
{
    float z = r * r;
    float p = -0x1.995404p-13f;
    p = GM_MAC(0x1.110778p-7f, p, z);
    p = GM_MAC(-0x1.555546p-3f, p, z);
    return GM_MAC(r, p * z, r);
}

/* 1 - r^2/2 + r^4 p(r^2) for |r| <= pi/4; p is a minimax polynomial, relative error 1.2e-10. */
static float cos_reduced(float r)
{
    float z = r * r;
    float p = 0x1.99e80cp-16f;
    p = GM_MAC(-0x1.6c0c28p-10f, p, z);
    p = GM_MAC(0x1.55554ap-5f, p, z);
    float half_square = 0.5f * z;
    float w = 1.0f - half_square;
    return w + GM_MAC((1.0f - w) - half_square, z * z, p);
}

/* Returns sin(x + quarter pi/2) for x >= 0. */
static float sin_shifted(float x, uint32_t quarter)
{
    if (!(x < INFINITE)) {
        return QUIET_NAN;
    }
    uint32_t n = 0;
    float r = x < 0x1.921fb6p-1f ? x : reduce_by_half_pi(x, &n);
    n += quarter;
    float y = n & 1u ? cos_reduced(r) : sin_reduced(r);
    return n & 2u ? -y : y;
}

float gm_sin(float x)
{
    float y = sin_shifted(gm_abs(x), 0);
    return x < 0.0f ? -y : y;
}

float gm_cos(float x)
{
    return sin_shifted(gm_abs(x), 1);
}

/* ---- atan ------------------------------------------------------------------------------------ */

/* atan(t) = t + t z p(z), z = t^2, for |t| <= tan(pi/8);
 * p is a minimax polynomial, relative error 7.0e-10. */
static float atan_reduced(float t)
{
    float z = t * t;
    float p = -0x1.f2e3b8p-5f;
    p = GM_MAC(0x1.b22416p-4f, p, z);
    p = GM_MAC(-0x1.23b9a0p-3f, p, z);
    p = GM_MAC(0x1.9991e2p-3f, p, z);
    p = GM_MAC(-0x1.55554ap-2f, p, z);
    return GM_MAC(t, p * z, t);
}

/* atan x = pi/2 - atan(1/x) = pi/4 + atan((x - 1) / (x + 1)); pi/2 in two parts. */
float gm_atan(float x)
{
    const float half_pi = 0x1.921fb6p+0f, half_pi_low = -0x1.777a5cp-25f;
    float magnitude = gm_abs(x), y;
    if (magnitude > 0x1.3504f4p+1f) {
        y = half_pi + (half_pi_low - atan_reduced(1.0f / magnitude));
    } else if (magnitude > 0x1.a8279ap-2f) {
        y = 0.5f * half_pi + (0.5f * half_pi_low + atan_reduced((magnitude - 1.0f) / (magnitude + 1.0f)));
    } else {
        return atan_reduced(x);
    }
    return x < 0.0f ? -y : y;
}

/* ---- Whole numbers --------------------------------------------------------------------------- */

float gm_round(float x)
{
    float magnitude = gm_abs(x);
    if (!(magnitude < 0x1p23f)) {
        return x;
    }
    float rounded = (magnitude + 0x1p23f) - 0x1p23f;
    return gm_float_of(gm_bits_of(rounded) | (gm_bits_of(x) & 0x80000000u));
}

/* Splits a finite number above 0 into a mantissa below 2^24, and the biased exponent that it has,
 * or would have as a normal number. */
static uint32_t mantissa_of(float x, int32_t *exponent)
{
    uint32_t bits = gm_bits_of(x);
    uint32_t biased = bits >> 23;
    *exponent = biased == 0 ? 1 : (int32_t)biased;
    return biased == 0 ? bits : (bits & 0x007fffffu) | 0x00800000u;
}

/* Returns the remainder of a long division. It is a multiple of b's last bit, and therefore
 * exact. */
float gm_fmod(float a, float b)
{
    float x = gm_abs(a), y = gm_abs(b);
    if (!(x < INFINITE) || !(y > 0.0f)) {
        return QUIET_NAN;
    }
    if (x < y) {
        return a;
    }
    int32_t above, exponent;
    uint32_t divisor = mantissa_of(y, &exponent), rest = mantissa_of(x, &above);
    for (rest %= divisor; above > exponent; above--) {
        rest <<= 1;
        rest -= rest >= divisor ? divisor : 0;
    }
    int32_t power = exponent - 150, half = power / 2;
    float result = (float)rest * gm_power_of_two(half) * gm_power_of_two(power - half);
    return gm_float_of(gm_bits_of(result) | (gm_bits_of(a) & 0x80000000u));
}

/* ---- sqrt ------------------------------------------------------------------------------------ */

#if !GM_HARDWARE_SQRT

/* 2^8 / sqrt(x), rounded, for the middle of each interval [i / 32, (i + 1) / 32) from 1 to 4. */
static const uint8_t inverse_roots[96] = {
    254, 250, 247, 243, 240, 236, 233, 230, 228, 225, 222, 220, 217, 215, 212, 210, 208, 206, 204, 202,
    200, 198, 196, 194, 193, 191, 189, 188, 186, 185, 183, 182, 180, 179, 178, 176, 175, 174, 172, 171,
    170, 169, 168, 167, 166, 165, 163, 162, 161, 160, 159, 158, 158, 157, 156, 155, 154, 153, 152, 151,
    151, 150, 149, 148, 147, 147, 146, 145, 144, 144, 143, 142, 142, 141, 140, 140, 139, 138, 138, 137,
    137, 136, 135, 135, 134, 134, 133, 132, 132, 131, 131, 130, 130, 129, 129, 128,
};

/* Returns about 2^16 / sqrt(x / 2^30), for x from 2^30 on: one Newton step y (3 - x y^2) / 2 from a
 * table. A constant slightly below 3 keeps gm_root() from overshooting the root. */
static uint32_t inverse_root_of(uint32_t x)
{
    uint32_t y = inverse_roots[(x >> 25) - 32];
    return y * ((0xBFFFE000u - (x >> 16) * (y * y)) >> 8) >> 15;
}

/* About 12 bits of the first root are right. The radicand's rest, divided by the slope, gives a
 * root of 25 bits that is exact or 1 too small for each of the 2^24 radicands; the remainder shows
 * which. */
uint32_t gm_root(uint32_t radicand)
{
    uint32_t x = radicand << 6, inverse = inverse_root_of(x), first = (x >> 16) * inverse >> 15;
    int32_t lacking = (int32_t)(x - first * first) >> 5;
    uint32_t root = (first << 9) + (uint32_t)(lacking * (int32_t)inverse >> 18);
    uint32_t remainder = (radicand << 24) - root * root; /* modulo 2^32 */
    root += remainder > 2 * root;
    return (root + 1) >> 1; /* a root of 24 bits is never half-way */
}

float gm_sqrt(float x)
{
    uint32_t bits = gm_bits_of(x), size = bits << 1;
    if (size == 0 || size > 0xff000000u || bits == 0x7f800000u) {
        return x;
    }
    if (bits >> 31) {
        return QUIET_NAN;
    }
    int32_t exponent = (int32_t)(bits >> 23);
    uint32_t mantissa = bits & 0x007fffffu;
    if (exponent > 0) {
        mantissa |= 0x00800000u;
    } else {
        for (exponent = 1; mantissa < 0x00800000u; exponent--) {
            mantissa <<= 1;
        }
    }
    /* sqrt(m 2^e) = sqrt(2m) 2^((e-1)/2) for odd e, and the bias of e is odd. */
    uint32_t power = (uint32_t)(exponent + 127), odd = power & 1u;
    return gm_float_of(gm_root(mantissa << (1 + odd)) + ((power / 2 - 1) << 23));
}

#endif
