/* Steps of SGD, momentum, Adam and both forms of AdamW with vectors: the operations of
 * optimizers/steps.c, on GM_LANES parameters at once. */
#include "../../optimizers/steps.h"
#include "simd.h"
#include "vector.h"

#if GM_ARCH_SIMD && GM_WITH_SGD

static GM_SIMD_TARGET uint32_t sgd_step(const float *g, float *p, uint32_t n, float minus_lr, float scale)
{
    gm_vec rate = gm_vec_splat(minus_lr), factor = gm_vec_splat(scale);
    uint32_t i = 0;
    for (; n - i >= GM_LANES; i += GM_LANES) {
        gm_vec_store(p + i, gm_vec_mac(gm_vec_load(p + i), rate, gm_vec_mul(factor, gm_vec_load(g + i))));
    }
    return i;
}

uint32_t gm_simd_sgd_step(const float *g, float *p, uint32_t n, float minus_lr, float scale)
{
    return gm_simd_runs() ? sgd_step(g, p, n, minus_lr, scale) : 0;
}

#endif

#if GM_ARCH_SIMD && GM_WITH_MOMENTUM

static GM_SIMD_TARGET uint32_t momentum_step(const gm_momentum_factors *s, const float *g, float *p, float *v,
                                             uint32_t n)
{
    gm_vec scale = gm_vec_splat(s->scale), momentum = gm_vec_splat(s->momentum), rate = gm_vec_splat(s->minus_lr);
    uint32_t i = 0;
    for (; n - i >= GM_LANES; i += GM_LANES) {
        gm_vec velocity = gm_vec_mac(gm_vec_mul(scale, gm_vec_load(g + i)), momentum, gm_vec_load(v + i));
        gm_vec stepped = gm_vec_mac(gm_vec_load(p + i), rate, velocity);
        gm_vec_store(v + i, velocity);
        gm_vec_store(p + i, stepped);
    }
    return i;
}

uint32_t gm_simd_momentum_step(const gm_momentum_factors *factors, const float *g, float *p, float *v, uint32_t n)
{
    return gm_simd_runs() ? momentum_step(factors, g, p, v, n) : 0;
}

#endif

#if GM_ARCH_SIMD && (GM_WITH_ADAM || GM_WITH_ADAMW || GM_WITH_ADAMW_ORT)

/* The factors of moments.h. */
typedef struct moment_vectors {
    gm_vec scale, one_minus_beta1, beta2, one_minus_beta2;
} moment_vectors;

typedef struct both_moments {
    gm_vec first, second;
} both_moments;

/* Returns the new moments of GM_LANES parameters, with the operations of moments.h. */
GM_SIMD_INLINE both_moments new_moments(const moment_vectors *f, const float *g, const float *m, const float *v)
{
    gm_vec gradient = gm_vec_mul(f->scale, gm_vec_load(g)), first = gm_vec_load(m);
    first = gm_vec_mac(first, f->one_minus_beta1, gm_vec_sub(gradient, first));
    gm_vec second = gm_vec_mul(f->beta2, gm_vec_load(v));
    second = gm_vec_mac(second, gm_vec_mul(f->one_minus_beta2, gradient), gradient);
    return (both_moments){first, second};
}

#endif

#if GM_ARCH_SIMD && (GM_WITH_ADAM || GM_WITH_ADAMW)

typedef struct adam_vectors {
    moment_vectors moments;
    gm_vec eps, correction, keep, step;
} adam_vectors;

/* GM_LANES parameters, with the operations of gm_adam_parameter(). */
GM_SIMD_INLINE void adam_vector(const adam_vectors *f, const float *g, float *p, float *m, float *v)
{
    both_moments now = new_moments(&f->moments, g, m, v);
    gm_vec root = gm_vec_mac(f->eps, gm_vec_sqrt(now.second), f->correction);
    gm_vec kept = gm_vec_mul(gm_vec_load(p), f->keep);
    gm_vec_store(m, now.first);
    gm_vec_store(v, now.second);
    gm_vec_store(p, gm_vec_mac(kept, f->step, gm_vec_div(now.first, root)));
}

static GM_SIMD_TARGET uint32_t adam_step(const gm_adam_factors *s, const float *g, float *p, float *m, float *v,
                                         uint32_t n)
{
    const adam_vectors f = {
        {gm_vec_splat(s->scale), gm_vec_splat(s->one_minus_beta1), gm_vec_splat(s->beta2),
         gm_vec_splat(s->one_minus_beta2)},
        gm_vec_splat(s->eps),
        gm_vec_splat(s->correction),
        gm_vec_splat(s->keep),
        gm_vec_splat(s->step),
    };
    uint32_t i = 0;
    for (; n - i >= GM_LANES; i += GM_LANES) {
        adam_vector(&f, g + i, p + i, m + i, v + i);
    }
    return i;
}

uint32_t gm_simd_adam_step(const gm_adam_factors *factors, const float *g, float *p, float *m, float *v, uint32_t n)
{
    return gm_simd_runs() ? adam_step(factors, g, p, m, v, n) : 0;
}

#endif

#if GM_ARCH_SIMD && GM_WITH_ADAMW_ORT

typedef struct adam_ort_vectors {
    moment_vectors moments;
    gm_vec eps, step, decay;
} adam_ort_vectors;

/* GM_LANES parameters, with the operations of gm_adam_ort_step(). */
GM_SIMD_INLINE void adam_ort_vector(const adam_ort_vectors *f, const float *g, float *p, float *m, float *v)
{
    both_moments now = new_moments(&f->moments, g, m, v);
    gm_vec root = gm_vec_add(gm_vec_sqrt(now.second), f->eps);
    gm_vec stepped = gm_vec_mac(gm_vec_load(p), f->step, gm_vec_div(now.first, root));
    gm_vec_store(m, now.first);
    gm_vec_store(v, now.second);
    gm_vec_store(p, gm_vec_mac(stepped, f->decay, stepped));
}

static GM_SIMD_TARGET uint32_t adam_ort_step(const gm_adam_ort_factors *s, const float *g, float *p, float *m, float *v,
                                             uint32_t n)
{
    const adam_ort_vectors f = {
        {gm_vec_splat(s->scale), gm_vec_splat(s->one_minus_beta1), gm_vec_splat(s->beta2),
         gm_vec_splat(s->one_minus_beta2)},
        gm_vec_splat(s->eps),
        gm_vec_splat(s->step),
        gm_vec_splat(s->decay),
    };
    uint32_t i = 0;
    for (; n - i >= GM_LANES; i += GM_LANES) {
        adam_ort_vector(&f, g + i, p + i, m + i, v + i);
    }
    return i;
}

uint32_t gm_simd_adam_ort_step(const gm_adam_ort_factors *factors, const float *g, float *p, float *m, float *v,
                               uint32_t n)
{
    return gm_simd_runs() ? adam_ort_step(factors, g, p, m, v, n) : 0;
}

#endif
