/* Parameter loops of the most common rules. A processor may have its own implementations. */
#ifndef GM_OPTIMIZER_STEPS_H
#define GM_OPTIMIZER_STEPS_H

#include "../../src/gm_internal.h"
#include "../../src/numerics.h"
#include "../arch/arch.h"
#include "moments.h"

/* Whether a gm_rule_<name> record is SGD without weight decay, which uses a parameter's value
 * only to update it. */
static inline int gm_is_plain_sgd(const void *rule)
{
    const gm_rule_sgd *sgd = rule;
    return sgd->kind == GM_RULE_SGD && gm_bits_of(sgd->weight_decay) << 1 == 0;
}

/* p -= lr (scale g) */
#if GM_ARCH_SGD && !GM_ARCH_HELIUM
/* for m consecutive rows of p: p[i,j] -= lr (scales[i scale_step] g[j]) */
void gm_sgd_rows(const float *scales, uint32_t scale_step, const float *g, float *p, uint32_t m, uint32_t n,
                 float minus_lr);

static inline void gm_sgd_step(const float *g, float *p, uint32_t n, float minus_lr, float scale)
{
    gm_sgd_rows(&scale, 0, g, p, 1, n, minus_lr);
}
#else
void gm_sgd_step(const float *g, float *p, uint32_t n, float minus_lr, float scale);
#endif

/* The same for m consecutive rows of args->n parameters each, with the scale a[row a_row]. Returns
 * 0, and does nothing, for any other rule. */
#if GM_ARCH_HELIUM && GM_WITH_SGD
int gm_sgd_outer(const gm_rule_args *args, const float *a, uint32_t a_row, uint32_t m);
#elif GM_ARCH_SGD && GM_WITH_SGD
static inline int gm_sgd_outer(const gm_rule_args *args, const float *a, uint32_t a_row, uint32_t m)
{
    if (!gm_is_plain_sgd(args->rule)) {
        return 0;
    }
    gm_sgd_rows(a, a_row, args->g, args->p, m, args->n, -args->lr);
    return 1;
}
#else
#define gm_sgd_outer(args, a, a_row, m) 0
#endif

/* Adam and AdamW: g = scale g; m and v as in moments.h; p = p keep + step m / (eps +
 * sqrt(v) correction). */
typedef struct gm_adam_factors {
    float scale, one_minus_beta1, beta2, one_minus_beta2, eps, correction, keep, step;
} gm_adam_factors;

static inline void gm_adam_parameter(const gm_adam_factors *f, float g, float *p, float *m, float *v)
{
    float gradient = f->scale * g;
    float first = gm_first_moment(*m, gradient, f->one_minus_beta1);
    float second = gm_second_moment(*v, gradient, f->beta2, f->one_minus_beta2);
    *m = first;
    *v = second;
    *p = GM_MAC(*p * f->keep, f->step, first / GM_MAC(f->eps, gm_sqrt(second), f->correction));
}

void gm_adam_step(const gm_adam_factors *factors, const float *g, float *p, float *m, float *v, uint32_t n);

/* Momentum: v = scale g + momentum v; p += minus_lr v. */
typedef struct gm_momentum_factors {
    float scale, momentum, minus_lr;
} gm_momentum_factors;

void gm_momentum_step(const gm_momentum_factors *factors, const float *g, float *p, float *v, uint32_t n);

/* onnxruntime's AdamW: m and v as above; p += step m / (sqrt(v) + eps); p += decay p. */
typedef struct gm_adam_ort_factors {
    float scale, one_minus_beta1, beta2, one_minus_beta2, eps, step, decay;
} gm_adam_ort_factors;

static inline void gm_adam_ort_parameter(const gm_adam_ort_factors *f, float g, float *p, float *m, float *v)
{
    float gradient = f->scale * g;
    float first = gm_first_moment(*m, gradient, f->one_minus_beta1);
    float second = gm_second_moment(*v, gradient, f->beta2, f->one_minus_beta2);
    *m = first;
    *v = second;
    float stepped = GM_MAC(*p, f->step, first / (gm_sqrt(second) + f->eps));
    *p = GM_MAC(stepped, f->decay, stepped);
}

void gm_adam_ort_step(const gm_adam_ort_factors *factors, const float *g, float *p, float *m, float *v, uint32_t n);

#endif
