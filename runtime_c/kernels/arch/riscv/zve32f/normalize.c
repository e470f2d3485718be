/*
 * Batch normalization of adjacent channels, which are lanes. Machine instructions for each row of
 * 16 channels, as many as fit at once in 128-bit vectors: moments 6 and 6, normalize 9, with RELU
 * 11, with a scale alone 7, sums 9, gradient 12.
 */
#include "../../../../generated/instructions/moments.h"
#include "../../../../generated/instructions/normalize.h"
#include "../../../../generated/instructions/normalize_grad.h"
#include "../../../../generated/instructions/normalize_sums.h"
#include "../../../normalize.h"
#include "lanes.h"

#if GM_ARCH_ZVE32F

/* Registers. 0 is the mask of the chosen lanes. */
#define V_NORM_X 4
#define V_NORM_DY 8
#define V_NORM_MEAN 12
#define V_NORM_FACTOR 16
#define V_NORM_SUM 20
#define V_NORM_PRODUCTS 24
#define V_NORM_BIAS 28

#if GM_WITH_MOMENTS

/* V_NORM_MEAN = the means of n rows, `step` apart: the first row plus the mean difference to it. */
static void means_of_lanes(const float *x, uint32_t n, size_t step)
{
    gm_lanes_load(V_NORM_MEAN, x);
    gm_lanes_fill(V_NORM_SUM, 0.0f);
    for (uint32_t i = n; i > 0; i--, x += step) {
        gm_lanes_load(V_NORM_X, x);
        gm_lanes_sub(V_NORM_X, V_NORM_X, V_NORM_MEAN);
        gm_lanes_add(V_NORM_SUM, V_NORM_SUM, V_NORM_X);
    }
    gm_lanes_div_number(V_NORM_SUM, V_NORM_SUM, (float)n);
    gm_lanes_add(V_NORM_MEAN, V_NORM_MEAN, V_NORM_SUM);
}

/* V_NORM_SUM = their variances. */
static void variances_of_lanes(const float *x, uint32_t n, size_t step)
{
    gm_lanes_fill(V_NORM_SUM, 0.0f);
    for (uint32_t i = n; i > 0; i--, x += step) {
        gm_lanes_load(V_NORM_X, x);
        gm_lanes_sub(V_NORM_X, V_NORM_X, V_NORM_MEAN);
        gm_lanes_mac(V_NORM_SUM, V_NORM_X, V_NORM_X, V_NORM_X);
    }
    gm_lanes_div_number(V_NORM_SUM, V_NORM_SUM, (float)n);
}

uint32_t gm_moments_across(const struct gm_session *session, const gm_insn_moments *insn)
{
    const float *x = gm_f32(session, insn->x);
    float *mean = gm_f32_out(session, insn->mean), *inv_std = gm_f32_out(session, insn->inv_std);
    float *var = gm_f32_out_optional(session, insn->var);
    for (uint32_t done = 0, lanes; done < insn->channels; done += lanes) {
        lanes = gm_lanes_4(insn->channels - done);
        means_of_lanes(x + done, insn->outer, insn->channels);
        gm_lanes_store(V_NORM_MEAN, mean + done);
        variances_of_lanes(x + done, insn->outer, insn->channels);
        if (var) {
            gm_lanes_store(V_NORM_SUM, var + done);
        }
        gm_lanes_add_number(V_NORM_SUM, V_NORM_SUM, insn->epsilon);
        gm_lanes_sqrt(V_NORM_SUM, V_NORM_SUM);
        gm_lanes_fill(V_NORM_FACTOR, 1.0f);
        gm_lanes_div(V_NORM_FACTOR, V_NORM_FACTOR, V_NORM_SUM);
        gm_lanes_store(V_NORM_FACTOR, inv_std + done);
    }
    return insn->channels;
}

#endif

#if GM_WITH_NORMALIZE

/* n rows, `step` apart. */
GM_INLINED void normalize_lanes(const float *x, float *y, uint32_t n, size_t step, int relu)
{
    for (; n > 0; n--, x += step, y += step) {
        gm_lanes_load(V_NORM_X, x);
        gm_lanes_sub(V_NORM_X, V_NORM_X, V_NORM_MEAN);
        gm_lanes_mul(V_NORM_X, V_NORM_X, V_NORM_FACTOR);
        gm_lanes_add(V_NORM_X, V_NORM_X, V_NORM_BIAS);
        if (relu) {
            gm_lanes_choose_at_most(V_NORM_X, 0.0f);
            gm_lanes_clear_chosen(V_NORM_X, V_NORM_X);
        }
        gm_lanes_store(V_NORM_X, y);
    }
}

/* Without mean and bias: neither subtracting 0 nor adding the empty sum would change anything. */
static void scale_lanes(const float *x, float *y, uint32_t n, size_t step)
{
    for (; n > 0; n--, x += step, y += step) {
        gm_lanes_load(V_NORM_X, x);
        gm_lanes_mul(V_NORM_X, V_NORM_X, V_NORM_FACTOR);
        gm_lanes_store(V_NORM_X, y);
    }
}

/* Loads lanes from `from`, or fills them if it is NULL. */
GM_INLINED void load_or_fill(uint32_t v, const float *from, uint32_t first, float number)
{
    if (from) {
        gm_lanes_load(v, from + first);
    } else {
        gm_lanes_fill(v, number);
    }
}

/* V_NORM_FACTOR = scale inv_std. */
GM_INLINED void load_factor_lanes(const float *scale, const float *inv_std)
{
    gm_lanes_load(V_NORM_FACTOR, scale);
    gm_lanes_load(V_NORM_X, inv_std);
    gm_lanes_mul(V_NORM_FACTOR, V_NORM_FACTOR, V_NORM_X);
}

uint32_t gm_normalize_across(const struct gm_session *session, const gm_insn_normalize *insn)
{
    const float *mean = gm_f32_optional(session, insn->mean), *inv_std = gm_f32(session, insn->inv_std);
    const float *scale = gm_f32(session, insn->scale), *bias = gm_f32_optional(session, insn->bias);
    const float *x = gm_f32(session, insn->x);
    float *y = gm_f32_out(session, insn->y);
    for (uint32_t done = 0, lanes; done < insn->channels; done += lanes) {
        lanes = gm_lanes_4(insn->channels - done);
        load_factor_lanes(scale + done, inv_std + done);
        load_or_fill(V_NORM_MEAN, mean, done, 0.0f);
        load_or_fill(V_NORM_BIAS, bias, done, GM_EMPTY_SUM);
        if (insn->activation) {
            normalize_lanes(x + done, y + done, insn->outer, insn->channels, 1);
        } else if (mean || bias) {
            normalize_lanes(x + done, y + done, insn->outer, insn->channels, 0);
        } else {
            scale_lanes(x + done, y + done, insn->outer, insn->channels);
        }
    }
    return insn->channels;
}

#endif

#if GM_WITH_NORMALIZE_SUMS

/* V_NORM_SUM += dy, V_NORM_PRODUCTS += dy (x - mean), over n rows, `step` apart. */
static void add_rows_of_lanes(const float *dy, const float *x, uint32_t n, size_t step)
{
    for (; n > 0; n--, dy += step, x += step) {
        gm_lanes_load(V_NORM_DY, dy);
        gm_lanes_load(V_NORM_X, x);
        gm_lanes_add(V_NORM_SUM, V_NORM_SUM, V_NORM_DY);
        gm_lanes_sub(V_NORM_X, V_NORM_X, V_NORM_MEAN);
        gm_lanes_mac(V_NORM_PRODUCTS, V_NORM_DY, V_NORM_X, V_NORM_X);
    }
}

uint32_t gm_normalize_sums_across(const struct gm_session *session, const gm_insn_normalize_sums *insn)
{
    const float *dy = gm_f32(session, insn->dy), *x = gm_f32(session, insn->x);
    const float *mean = gm_f32(session, insn->mean), *inv_std = gm_f32(session, insn->inv_std);
    float *dscale = gm_f32_out(session, insn->dscale), *dbias = gm_f32_out(session, insn->dbias);
    for (uint32_t done = 0, lanes; done < insn->channels; done += lanes) {
        lanes = gm_lanes_4(insn->channels - done);
        gm_lanes_load(V_NORM_MEAN, mean + done);
        gm_lanes_fill(V_NORM_SUM, 0.0f);
        gm_lanes_fill(V_NORM_PRODUCTS, 0.0f);
        add_rows_of_lanes(dy + done, x + done, insn->outer, insn->channels);
        gm_lanes_load(V_NORM_X, inv_std + done);
        gm_lanes_mul(V_NORM_PRODUCTS, V_NORM_PRODUCTS, V_NORM_X);
        gm_lanes_store(V_NORM_PRODUCTS, dscale + done);
        gm_lanes_store(V_NORM_SUM, dbias + done);
    }
    return insn->channels;
}

#endif

#if GM_WITH_NORMALIZE_GRAD

/* dx = V_NORM_FACTOR (dy - V_NORM_SUM + V_NORM_PRODUCTS (x - V_NORM_MEAN)), for n
 * rows, `step` apart. */
static void gradients_of_lanes(const float *dy, const float *x, float *dx, uint32_t n, size_t step)
{
    for (; n > 0; n--, dy += step, x += step, dx += step) {
        gm_lanes_load(V_NORM_DY, dy);
        gm_lanes_load(V_NORM_X, x);
        gm_lanes_sub(V_NORM_DY, V_NORM_DY, V_NORM_SUM);
        gm_lanes_sub(V_NORM_X, V_NORM_X, V_NORM_MEAN);
        gm_lanes_mac(V_NORM_DY, V_NORM_PRODUCTS, V_NORM_X, V_NORM_X);
        gm_lanes_mul(V_NORM_DY, V_NORM_DY, V_NORM_FACTOR);
        gm_lanes_store(V_NORM_DY, dx);
    }
}

uint32_t gm_normalize_grad_across(const struct gm_session *session, const gm_insn_normalize_grad *insn)
{
    const float *dy = gm_f32(session, insn->dy), *x = gm_f32(session, insn->x), *mean = gm_f32(session, insn->mean);
    const float *inv_std = gm_f32(session, insn->inv_std), *scale = gm_f32(session, insn->scale);
    const float *dscale = gm_f32(session, insn->dscale), *dbias = gm_f32(session, insn->dbias);
    float *dx = gm_f32_out(session, insn->dx), n = (float)insn->outer;
    for (uint32_t done = 0, lanes; done < insn->channels; done += lanes) {
        lanes = gm_lanes_4(insn->channels - done);
        load_factor_lanes(scale + done, inv_std + done); /* V_NORM_X then holds inv_std */
        gm_lanes_load(V_NORM_PRODUCTS, dscale + done);
        gm_lanes_div_number(V_NORM_PRODUCTS, V_NORM_PRODUCTS, n);
        gm_lanes_mul(V_NORM_PRODUCTS, V_NORM_X, V_NORM_PRODUCTS);
        gm_lanes_mul_number(V_NORM_PRODUCTS, V_NORM_PRODUCTS, -1.0f);
        gm_lanes_load(V_NORM_SUM, dbias + done);
        gm_lanes_div_number(V_NORM_SUM, V_NORM_SUM, n);
        gm_lanes_load(V_NORM_MEAN, mean + done);
        gradients_of_lanes(dy + done, x + done, dx + done, insn->outer, insn->channels);
    }
    return insn->channels;
}

#endif

#endif
