/*
 * MOMENTS: mean and variance of each channel; inv_std = 1 / sqrt(var + epsilon).
 * NORMALIZE: y = act((x - mean) inv_std scale + bias); without both mean and bias, the gradient of
 *   x with frozen statistics.
 * NORMALIZE_SUMS: the gradients of NORMALIZE's scale and bias: dscale = sum of dy (x - mean)
 *   inv_std, dbias = sum of dy, over outer and inner.
 * NORMALIZE_GRAD: the gradient of NORMALIZE's x if mean and inv_std are x's own: dx = scale inv_std
 *   (dy - dbias / n - (x - mean) inv_std dscale / n), n = outer inner.
 */
#include "../generated/instructions/moments.h"
#include "../generated/instructions/normalize.h"
#include "../generated/instructions/normalize_grad.h"
#include "../generated/instructions/normalize_sums.h"
#include "normalize.h"

#include "../src/numerics.h"

/* The first channel that the processor's own form leaves to plain C; `first` if it does none.
 * `whole`: whether this part of the instruction is all of it. */
#if GM_ARCH_NORMALIZE
#define DONE(name, session, insn, whole, first) \
    ((insn)->inner == 1 && (GM_ARCH_TILES || (whole)) ? gm_##name##_across(session, insn) : (first))
#else
#define DONE(name, session, insn, whole, first) (first)
#endif

/* Runs BODY for each offset `at` of a channel, in the order of outer, then inner. */
#define FOR_CHANNEL(layout, BODY)                          \
    for (uint32_t r = 0; r < (layout)->rows; r++) {        \
        uint32_t at = r * (layout)->row;                   \
        for (uint32_t i = 0; i < (layout)->columns; i++) { \
            BODY at += (layout)->column;                   \
        }                                                  \
    }

#if GM_WITH_MOMENTS

/* Computes the mean from differences to one element: accurate if x is large and varies little, and
 * exact if x is constant. */
static float mean_of(const float *x, const gm_channel_layout *layout, float n)
{
    float shift = x[0], sum = 0.0f;
    FOR_CHANNEL(layout, sum += x[at] - shift;)
    return shift + sum / n;
}

static float variance_of(const float *x, const gm_channel_layout *layout, float n, float mean)
{
    float sum = 0.0f;
    FOR_CHANNEL(layout, float d = x[at] - mean; sum = GM_MAC(sum, d, d);)
    return sum / n;
}

int gm_kernel_moments(const struct gm_session *session, const void *instruction)
{
    const gm_insn_moments *insn = instruction;
    const gm_channel_layout layout = GM_CHANNEL_LAYOUT(insn, insn->outer);
    const float *x = gm_f32(session, insn->x);
    float *mean = gm_f32_out(session, insn->mean), *inv_std = gm_f32_out(session, insn->inv_std);
    float *var = gm_f32_out_optional(session, insn->var);
    float n = (float)(insn->outer * insn->inner);
    gm_part own = gm_part_of(session, insn->channels);
    uint32_t done = GM_ARCH_MOMENTS ? DONE(moments, session, insn, own.length == insn->channels, own.start) : own.start;
    for (uint32_t c = done; c < own.start + own.length; c++) {
        mean[c] = mean_of(x + c * layout.channel, &layout, n);
        float variance = variance_of(x + c * layout.channel, &layout, n, mean[c]);
        inv_std[c] = 1.0f / gm_sqrt(variance + insn->epsilon);
        if (var) {
            var[c] = variance;
        }
    }
    return GM_OK;
}

#endif

#if GM_WITH_NORMALIZE

/* x, or +0 if it is -0 or negative; NaN stays. */
static float rectified(float x)
{
    return gm_is_negative(x) || gm_bits_of(x) == 0x80000000u ? 0.0f : x;
}

int gm_kernel_normalize(const struct gm_session *session, const void *instruction)
{
    const gm_insn_normalize *insn = instruction;
    const gm_channel_layout layout = GM_CHANNEL_LAYOUT(insn, insn->outer);
    const float *mean = gm_f32_optional(session, insn->mean), *inv_std = gm_f32(session, insn->inv_std);
    const float *scale = gm_f32(session, insn->scale), *bias = gm_f32_optional(session, insn->bias);
    uint32_t relu = insn->activation;
    for (uint32_t c = DONE(normalize, session, insn, 1, 0); c < insn->channels; c++) {
        const float *x = gm_f32(session, insn->x) + c * layout.channel;
        float *y = gm_f32_out(session, insn->y) + c * layout.channel;
        float m = mean ? mean[c] : 0.0f, factor = scale[c] * inv_std[c], b = bias ? bias[c] : GM_EMPTY_SUM;
        FOR_CHANNEL(&layout, float normal = (x[at] - m) * factor + b; y[at] = relu ? rectified(normal) : normal;)
    }
    return GM_OK;
}

#endif

#if GM_WITH_NORMALIZE_SUMS

int gm_kernel_normalize_sums(const struct gm_session *session, const void *instruction)
{
    const gm_insn_normalize_sums *insn = instruction;
    const gm_channel_layout layout = GM_CHANNEL_LAYOUT(insn, insn->outer);
    const float *mean = gm_f32(session, insn->mean), *inv_std = gm_f32(session, insn->inv_std);
    float *dscale = gm_f32_out(session, insn->dscale), *dbias = gm_f32_out(session, insn->dbias);
    gm_part own = gm_part_of(session, insn->channels);
    uint32_t done = DONE(normalize_sums, session, insn, own.length == insn->channels, own.start);
    for (uint32_t c = done; c < own.start + own.length; c++) {
        const float *dy = gm_f32(session, insn->dy) + c * layout.channel;
        const float *x = gm_f32(session, insn->x) + c * layout.channel;
        float m = mean[c], sum = 0.0f, product = 0.0f;
        FOR_CHANNEL(&layout, sum += dy[at]; product = GM_MAC(product, dy[at], x[at] - m);)
        dscale[c] = product * inv_std[c];
        dbias[c] = sum;
    }
    return GM_OK;
}

#endif

#if GM_WITH_NORMALIZE_GRAD

int gm_kernel_normalize_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_normalize_grad *insn = instruction;
    const gm_part own = gm_part_of(session, insn->outer);
    const gm_channel_layout layout = GM_CHANNEL_LAYOUT(insn, own.length);
    const size_t start = (size_t)own.start * insn->channels * insn->inner;
    const float *mean = gm_f32(session, insn->mean), *inv_std = gm_f32(session, insn->inv_std);
    const float *scale = gm_f32(session, insn->scale);
    const float *dscale = gm_f32(session, insn->dscale), *dbias = gm_f32(session, insn->dbias);
    float n = (float)(insn->outer * insn->inner);
    for (uint32_t c = DONE(normalize_grad, session, insn, own.length == insn->outer, 0); c < insn->channels; c++) {
        const float *dy = gm_f32(session, insn->dy) + start + c * layout.channel;
        const float *x = gm_f32(session, insn->x) + start + c * layout.channel;
        float *dx = gm_f32_out(session, insn->dx) + start + c * layout.channel;
        float m = mean[c], factor = scale[c] * inv_std[c], dy_mean = dbias[c] / n;
        float x_factor = inv_std[c] * (dscale[c] / n);
        FOR_CHANNEL(&layout, dx[at] = factor * GM_MAC(dy[at] - dy_mean, -x_factor, x[at] - m);)
    }
    return GM_OK;
}

#endif
