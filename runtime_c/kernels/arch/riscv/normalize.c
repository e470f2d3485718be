/*
 * Batch normalization on RISC-V, 8 adjacent channels at a time, or 4 in a gradient; their
 * parameters stay in registers. Machine instructions for each element: moments 2 times 3.4,
 * normalize 5.5, with RELU 7, or 8 in place, with a scale alone 3.5, sums 5.4, gradient 8.3.
 */
#include "../../../generated/instructions/moments.h"
#include "../../../generated/instructions/normalize.h"
#include "../../../generated/instructions/normalize_grad.h"
#include "../../../generated/instructions/normalize_sums.h"
#include "../../normalize.h"
#include "blocks/tile.h"

#if GM_ARCH_RISCV && !GM_ARCH_ZVE32F

#define CHANNELS_AT_ONCE 8

/* Runs BODY for each channel c of those in registers; none is loaded long before its turn. */
#define EACH_CHANNEL(channels, BODY)                                  \
    _Pragma("GCC unroll 8") for (uint32_t c = 0; c < (channels); c++) \
    {                                                                 \
        BODY if (c % 4 == 3)                                          \
        {                                                             \
            GM_IN_ORDER();                                            \
        }                                                             \
    }

#if GM_WITH_MOMENTS

/* The means of 8 channels of n elements. */
static void means_of(const float *x, uint32_t n, size_t step, float *mean)
{
    const float *first = x;
    float shift[CHANNELS_AT_ONCE], sum[CHANNELS_AT_ONCE];
    EACH_CHANNEL(CHANNELS_AT_ONCE, shift[c] = first[c]; sum[c] = 0.0f;)
    for (uint32_t i = n; i > 0; i--, x += step) {
        EACH_CHANNEL(CHANNELS_AT_ONCE, sum[c] += x[c] - shift[c];)
    }
    EACH_CHANNEL(CHANNELS_AT_ONCE, mean[c] = shift[c] + sum[c] / (float)n;)
}

static void variances_of(const float *x, uint32_t n, size_t step, const float *mean, float *variance)
{
    float m[CHANNELS_AT_ONCE], sum[CHANNELS_AT_ONCE];
    EACH_CHANNEL(CHANNELS_AT_ONCE, m[c] = mean[c]; sum[c] = 0.0f;)
    for (uint32_t i = n; i > 0; i--, x += step) {
        EACH_CHANNEL(CHANNELS_AT_ONCE, float d = x[c] - m[c]; sum[c] = gm_riscv_mac(sum[c], d, d);)
    }
    EACH_CHANNEL(CHANNELS_AT_ONCE, variance[c] = sum[c] / (float)n;)
}

uint32_t gm_moments_across(const struct gm_session *session, const gm_insn_moments *insn)
{
    const float *x = gm_f32(session, insn->x);
    float *mean = gm_f32_out(session, insn->mean), *inv_std = gm_f32_out(session, insn->inv_std);
    float *var = gm_f32_out_optional(session, insn->var);
    uint32_t done = 0;
    for (; insn->channels - done >= CHANNELS_AT_ONCE; done += CHANNELS_AT_ONCE) {
        float variance[CHANNELS_AT_ONCE];
        means_of(x + done, insn->outer, insn->channels, mean + done);
        variances_of(x + done, insn->outer, insn->channels, mean + done, variance);
        for (uint32_t c = 0; c < CHANNELS_AT_ONCE; c++) {
            inv_std[done + c] = 1.0f / gm_sqrt(variance[c] + insn->epsilon);
            if (var) {
                var[done + c] = variance[c];
            }
        }
    }
    return done;
}

#endif

#if GM_WITH_NORMALIZE

typedef struct numbers_of_channels {
    float mean[CHANNELS_AT_ONCE], factor[CHANNELS_AT_ONCE], bias[CHANNELS_AT_ONCE];
} numbers_of_channels;

/* x, or +0 if it is -0 or negative; NaN stays. */
GM_INLINED float above_zero(float x)
{
    return x <= 0.0f ? 0.0f : x;
}

/* The same, but NaN becomes 0. */
GM_INLINED float above_zero_or_nan(float x)
{
    __asm__("fmax.s %0, %0, %1" : "+f"(x) : "f"(0.0f));
    return x;
}

/* NaN if `found` or one of the two is; perhaps also if products are infinite. */
GM_INLINED float nan_among(float found, float a, float b)
{
    __asm__("fmadd.s %0, %1, %2, %0" : "+f"(found) : "f"(a), "f"(b));
    return found;
}

/* With RELU, not in place. Returns 0 if a result might be NaN, which is lost. */
static int normalize_without_nan(const float *x, float *y, uint32_t n, size_t step, const numbers_of_channels *of)
{
    const numbers_of_channels v = *of;
    float found = 0.0f;
    for (; n > 0; n--, x += step, y += step) {
        GM_UNROLLED
        for (uint32_t c = 0; c < CHANNELS_AT_ONCE; c += 2) {
            float a = (x[c] - v.mean[c]) * v.factor[c] + v.bias[c];
            float b = (x[c + 1] - v.mean[c + 1]) * v.factor[c + 1] + v.bias[c + 1];
            found = nan_among(found, a, b);
            y[c] = above_zero_or_nan(a), y[c + 1] = above_zero_or_nan(b);
            GM_IN_ORDER();
        }
    }
    return found == found;
}

GM_INLINED void normalize_channels(const float *x, float *y, uint32_t n, size_t step, const numbers_of_channels *of,
                                   int relu)
{
    const numbers_of_channels v = *of;
    for (; n > 0; n--, x += step, y += step) {
        EACH_CHANNEL(CHANNELS_AT_ONCE, float normal = (x[c] - v.mean[c]) * v.factor[c] + v.bias[c];
                     y[c] = relu ? above_zero(normal) : normal;)
    }
}

static void normalize_linear(const float *x, float *y, uint32_t n, size_t step, const numbers_of_channels *v)
{
    normalize_channels(x, y, n, step, v, 0);
}

static void normalize_relu(const float *x, float *y, uint32_t n, size_t step, const numbers_of_channels *v)
{
    if (x == y || !normalize_without_nan(x, y, n, step, v)) {
        normalize_channels(x, y, n, step, v, 1);
    }
}

/* Without mean and bias: neither subtracting 0 nor adding the empty sum would change anything. */
static void scale_channels(const float *x, float *y, uint32_t n, size_t step, const numbers_of_channels *of)
{
    const numbers_of_channels v = *of;
    for (; n > 0; n--, x += step, y += step) {
        EACH_CHANNEL(CHANNELS_AT_ONCE, y[c] = x[c] * v.factor[c];)
    }
}

uint32_t gm_normalize_across(const struct gm_session *session, const gm_insn_normalize *insn)
{
    const float *mean = gm_f32_optional(session, insn->mean), *inv_std = gm_f32(session, insn->inv_std);
    const float *factor = gm_f32(session, insn->scale), *bias = gm_f32_optional(session, insn->bias);
    const float *x = gm_f32(session, insn->x);
    float *y = gm_f32_out(session, insn->y);
    int bare = !mean && !bias && !insn->activation;
    uint32_t done = 0;
    for (; insn->channels - done >= CHANNELS_AT_ONCE; done += CHANNELS_AT_ONCE) {
        numbers_of_channels v;
        for (uint32_t i = 0, of = done; i < CHANNELS_AT_ONCE; i++, of++) {
            v.mean[i] = mean ? mean[of] : 0.0f, v.factor[i] = factor[of] * inv_std[of];
            v.bias[i] = bias ? bias[of] : GM_EMPTY_SUM;
        }
        if (bare) {
            scale_channels(x + done, y + done, insn->outer, insn->channels, &v);
        } else if (insn->activation) {
            normalize_relu(x + done, y + done, insn->outer, insn->channels, &v);
        } else {
            normalize_linear(x + done, y + done, insn->outer, insn->channels, &v);
        }
    }
    return done;
}

#endif

#if GM_WITH_NORMALIZE_SUMS

static void sums_of(const float *dy, const float *x, uint32_t n, size_t step, const float *mean, float *product,
                    float *sum)
{
    float m[CHANNELS_AT_ONCE], products[CHANNELS_AT_ONCE], sums[CHANNELS_AT_ONCE];
    EACH_CHANNEL(CHANNELS_AT_ONCE, m[c] = mean[c]; products[c] = sums[c] = 0.0f;)
    for (; n > 0; n--, dy += step, x += step) {
        EACH_CHANNEL(CHANNELS_AT_ONCE, float d = dy[c]; sums[c] += d;
                     products[c] = gm_riscv_mac(products[c], d, x[c] - m[c]);)
    }
    EACH_CHANNEL(CHANNELS_AT_ONCE, product[c] = products[c]; sum[c] = sums[c];)
}

uint32_t gm_normalize_sums_across(const struct gm_session *session, const gm_insn_normalize_sums *insn)
{
    const float *dy = gm_f32(session, insn->dy), *x = gm_f32(session, insn->x);
    const float *mean = gm_f32(session, insn->mean), *inv_std = gm_f32(session, insn->inv_std);
    float *dscale = gm_f32_out(session, insn->dscale), *dbias = gm_f32_out(session, insn->dbias);
    uint32_t done = 0;
    for (; insn->channels - done >= CHANNELS_AT_ONCE; done += CHANNELS_AT_ONCE) {
        float product[CHANNELS_AT_ONCE], sum[CHANNELS_AT_ONCE];
        sums_of(dy + done, x + done, insn->outer, insn->channels, mean + done, product, sum);
        for (uint32_t c = 0; c < CHANNELS_AT_ONCE; c++) {
            dscale[done + c] = product[c] * inv_std[done + c];
            dbias[done + c] = sum[c];
        }
    }
    return done;
}

#endif

#if GM_WITH_NORMALIZE_GRAD

#define GRADIENTS 4

typedef struct gradient_numbers {
    float mean[GRADIENTS], factor[GRADIENTS], dy_mean[GRADIENTS], minus_slope[GRADIENTS];
} gradient_numbers;

static void gradients_of(const float *dy, const float *x, float *dx, uint32_t n, size_t step,
                         const gradient_numbers *of)
{
    const gradient_numbers v = *of;
    for (; n > 0; n--, dy += step, x += step, dx += step) {
        EACH_CHANNEL(GRADIENTS, float part = gm_riscv_mac(dy[c] - v.dy_mean[c], v.minus_slope[c], x[c] - v.mean[c]);
                     dx[c] = v.factor[c] * part;)
    }
}

uint32_t gm_normalize_grad_across(const struct gm_session *session, const gm_insn_normalize_grad *insn)
{
    const float *dy = gm_f32(session, insn->dy), *x = gm_f32(session, insn->x), *mean = gm_f32(session, insn->mean);
    const float *inv_std = gm_f32(session, insn->inv_std), *factor = gm_f32(session, insn->scale);
    const float *dscale = gm_f32(session, insn->dscale), *dbias = gm_f32(session, insn->dbias);
    float *dx = gm_f32_out(session, insn->dx), n = (float)insn->outer;
    uint32_t done = 0;
    for (; insn->channels - done >= GRADIENTS; done += GRADIENTS) {
        gradient_numbers v;
        for (uint32_t i = 0, of = done; i < GRADIENTS; i++, of++) {
            v.mean[i] = mean[of], v.factor[i] = factor[of] * inv_std[of], v.dy_mean[i] = dbias[of] / n;
            v.minus_slope[i] = -(inv_std[of] * (dscale[of] / n));
        }
        gradients_of(dy + done, x + done, dx + done, insn->outer, insn->channels, &v);
    }
    return done;
}

#endif

#endif
