/*
 * Optimizer steps on a processor without floats. If the values of a parameter are of the
 * usual sizes, they are updated split into mantissa and exponent; all others take the
 * compiler's floating point.
 */
#include "../../optimizers/steps.h"
#include "soft_factor.h"
#include "soft_sum.h"

#if GM_ARCH_SOFT_FLOAT

/* ---- SGD ------------------------------------------------------------------------------------- */

#if GM_WITH_SGD

/* The SOFT_SIZE() of minus_lr from which on none of its products is subnormal: 2^-38. */
#define LEAST_LR_SIZE 6

/* The two factors of a gradient. */
typedef struct sgd_factors {
    uint32_t scale, minus_lr; /* mantissas */
    uint32_t sign;
    int32_t exponent;
} sgd_factors;

/* Returns p + minus_lr (scale g), for g of ordinary size. */
static float sgd_stepped(const sgd_factors *f, float p, uint32_t g)
{
    int32_t exponent = (int32_t)(SOFT_SIZE(g) >> 24) + f->exponent;
    uint32_t scaled = soft_multiply(f->scale, soft_lower_mantissa(g), &exponent);
    uint32_t product = soft_multiply(f->minus_lr, scaled, &exponent);
    return soft_value(soft_add(soft_sum_of(p), soft_signed(product, g ^ f->sign), exponent));
}

/* Returns the limit of SOFT_SIZE() of the gradients that sgd_stepped() handles: all of ordinary
 * size, or none if a factor is not of ordinary size or minus_lr is so small that a product
 * could be subnormal. */
static uint32_t sgd_limit(uint32_t scale, uint32_t minus_lr)
{
    int ordinary = (SOFT_SIZE(scale) | SOFT_SIZE(minus_lr)) < SOFT_SIZE_LIMIT;
    return ordinary && SOFT_SIZE(minus_lr) >> 24 >= LEAST_LR_SIZE ? SOFT_SIZE_LIMIT : 0;
}

void gm_sgd_step(const float *g, float *p, uint32_t n, float minus_lr, float scale)
{
    uint32_t scale_bits = gm_bits_of(scale), lr_bits = gm_bits_of(minus_lr), limit = sgd_limit(scale_bits, lr_bits);
    const sgd_factors factors = {
        .scale = soft_upper_mantissa(scale_bits),
        .minus_lr = soft_upper_mantissa(lr_bits),
        .sign = scale_bits ^ lr_bits,
        .exponent = (int32_t)((SOFT_SIZE(scale_bits) >> 24) + (SOFT_SIZE(lr_bits) >> 24)) - SOFT_FACTOR_EXPONENT,
    };
    int lr_is_finite = lr_bits << 1 < 0xff000000u;
    for (; n > 0; n--, g++, p++) {
        uint32_t bits = gm_bits_of(*g);
        if (SOFT_SIZE(bits) < limit) {
            *p = sgd_stepped(&factors, *p, bits);
        } else if (!(soft_product_is_zero(scale_bits, bits) && lr_is_finite && gm_bits_of(*p) << 1 != 0)) {
            *p += minus_lr * (scale * *g);
        }
    }
}

#endif

/* ---- Rules with moments ---------------------------------------------------------------------- */

#if GM_ARCH_SOFT_STEPS && (GM_WITH_MOMENTUM || GM_WITH_ADAM || GM_WITH_ADAMW || GM_WITH_ADAMW_ORT)

/* Biased exponents of values of the usual sizes. Comments after products give the least that these
 * allow: none is subnormal. */
#define LEAST_SIZE SOFT_LEAST_EXPONENT /* gradients, parameters and most factors: 2^-44 */
#define LEAST_M (127u - 60u)           /* first moments */
#define LARGE_SIZE (127u + 20u)        /* the first exponent that is too large */

/* The exponent of a soft_sum from which on it is normal, with room for a factor of 2^-44. */
#define LEAST_STEP_EXPONENT (127 - 126 + 44 - SOFT_EXPONENT_OFFSET)

/* Whether a parameter has no gradient, and never had one: its moments are +0, and stay so. */
SOFT_INLINE int is_at_rest(float g, float m, float v)
{
    return (gm_bits_of(g) << 1 | gm_bits_of(m) | gm_bits_of(v)) == 0;
}

#endif

#if GM_ARCH_SOFT_STEPS && GM_WITH_MOMENTUM

typedef struct soft_momentum {
    soft_factor scale, momentum, lr;
} soft_momentum;

/* Returns 0, and does nothing, if a value is not of the usual size. */
SOFT_INLINE int take_momentum_step(const soft_momentum *f, float g, float *p, float *v)
{
    soft_sum gradient, old, from;
    if (!(soft_take(g, LEAST_SIZE, LARGE_SIZE, &gradient) & soft_take(*v, LEAST_M, LARGE_SIZE, &old) &
          soft_take(*p, LEAST_SIZE, LARGE_SIZE, &from))) {
        return 0;
    }
    gradient = soft_times_signed(f->scale, gradient);             /* 2^-88 */
    old = soft_times_signed(f->momentum, old);                    /* 2^-104 */
    soft_sum velocity = soft_add(gradient, old.mantissa, old.exponent);
    if (velocity.exponent < LEAST_STEP_EXPONENT) {
        return 0;
    }
    soft_size step = soft_times(f->lr, soft_size_of(velocity));
    soft_sum to = soft_with_sign(step, ~(uint32_t)velocity.mantissa);
    *p = soft_value(soft_add(from, to.mantissa, to.exponent));
    *v = soft_value(velocity);
    return 1;
}

void gm_momentum_step(const gm_momentum_factors *factors, const float *g, float *p, float *v, uint32_t n)
{
    const gm_momentum_factors f = *factors;
    const soft_momentum step = {soft_factor_of(f.scale), soft_factor_of(f.momentum), soft_factor_of(-f.minus_lr)};
    const int usual = soft_is_factor(f.scale, LEAST_SIZE) && soft_is_factor(f.momentum, LEAST_SIZE) &&
                      soft_is_factor(-f.minus_lr, LEAST_SIZE);
    for (; n > 0; n--, g++, p++, v++) {
        if (usual && (is_at_rest(*g, *v, *v) || take_momentum_step(&step, *g, p, v))) {
            continue;
        }
        *v = GM_MAC(f.scale * *g, f.momentum, *v);
        *p = GM_MAC(*p, f.minus_lr, *v);
    }
}

#endif

#if GM_ARCH_SOFT_STEPS && (GM_WITH_ADAM || GM_WITH_ADAMW || GM_WITH_ADAMW_ORT)

#define LEAST_V (127u - 100u) /* second moments */
#define LARGE_V (127u + 60u)
#define LEAST_BETA2 (127u - 20u)
#define LEAST_ONE_MINUS_BETA1 (127u - 40u)

/* The exponent of the least gradient, 2^-40: the product of its square and a factor of 2^-44 is normal. */
#define LEAST_GRADIENT_EXPONENT (127 - 40 - SOFT_EXPONENT_OFFSET)

typedef struct soft_moment_factors {
    soft_factor scale, one_minus_beta1, beta2, one_minus_beta2;
} soft_moment_factors;

typedef struct soft_moments {
    soft_sum first;
    soft_size second;
} soft_moments;

SOFT_INLINE soft_moment_factors soft_moment_factors_of(float scale, float one_minus_beta1, float beta2,
                                                       float one_minus_beta2)
{
    return (soft_moment_factors){soft_factor_of(scale), soft_factor_of(one_minus_beta1), soft_factor_of(beta2),
                                 soft_factor_of(one_minus_beta2)};
}

static int are_moment_factors(float scale, float one_minus_beta1, float beta2, float one_minus_beta2)
{
    return soft_is_factor(scale, LEAST_SIZE) && soft_is_factor(one_minus_beta1, LEAST_ONE_MINUS_BETA1) &&
           soft_is_factor(beta2, LEAST_BETA2) && soft_is_factor(one_minus_beta2, LEAST_SIZE);
}

/* Splits m and v, and updates them. Returns 0 if a value is not of the usual size, or
 * the result is zero. */
SOFT_INLINE int update_moments(const soft_moment_factors *f, float g, float m, float v, soft_moments *to)
{
    soft_sum gradient, first;
    soft_size second;
    if (!(soft_take(g, LEAST_SIZE, LARGE_SIZE, &gradient) & soft_take(m, LEAST_M, LARGE_SIZE, &first) &
          soft_take_size(v, LEAST_V, LARGE_V, &second))) {
        return 0;
    }
    const soft_size size = soft_carried(soft_times(f->scale, soft_size_of(gradient)));
    if (size.exponent < LEAST_GRADIENT_EXPONENT && size.mantissa != 0) {
        return 0;
    }
    soft_sum change = soft_add(soft_with_sign(size, (uint32_t)gradient.mantissa), -first.mantissa, first.exponent);
    change = soft_times_signed(f->one_minus_beta1, change); /* 2^-123 */
    to->first = soft_add(first, change.mantissa, change.exponent);
    const soft_size square = soft_times(soft_factor_of_size(size), soft_times(f->one_minus_beta2, size)); /* 2^-124 */
    to->second = soft_add_sizes(soft_times(f->beta2, second), square); /* 2^-120 */
    return to->first.mantissa != 0 && to->second.mantissa != 0;
}

SOFT_INLINE float soft_value_of_size(soft_size x)
{
    return soft_value((soft_sum){(int32_t)x.mantissa, x.exponent});
}

/* Returns the step -rate m / denominator, or a zero if it could be subnormal. */
SOFT_INLINE soft_sum step_of_moments(soft_factor rate, soft_sum first, soft_size denominator)
{
    soft_size quotient = soft_divided(soft_size_of(first), denominator);
    if (quotient.exponent < LEAST_STEP_EXPONENT) {
        return (soft_sum){0, 0};
    }
    return soft_with_sign(soft_times(rate, quotient), ~(uint32_t)first.mantissa);
}

#endif

#if GM_ARCH_SOFT_STEPS && (GM_WITH_ADAM || GM_WITH_ADAMW)

typedef struct soft_adam {
    soft_moment_factors moments;
    soft_factor correction, keep, rate;
    soft_size eps;
} soft_adam;

SOFT_INLINE int take_adam_step(const soft_adam *f, float g, float *p, float *m, float *v)
{
    soft_moments now;
    soft_sum from;
    if (!soft_take(*p, LEAST_SIZE, LARGE_SIZE, &from) || !update_moments(&f->moments, g, *m, *v, &now)) {
        return 0;
    }
    const soft_size root = soft_square_root(soft_carried(now.second));
    const soft_sum step = step_of_moments(f->rate, now.first, soft_add_sizes(f->eps, soft_times(f->correction, root)));
    if (step.mantissa == 0) {
        return 0;
    }
    *p = soft_value(soft_add(soft_times_signed(f->keep, from), step.mantissa, step.exponent));
    *m = soft_value(now.first);
    *v = soft_value_of_size(now.second);
    return 1;
}

static int are_adam_factors(const gm_adam_factors *f)
{
    return are_moment_factors(f->scale, f->one_minus_beta1, f->beta2, f->one_minus_beta2) &&
           soft_is_factor(f->correction, LEAST_SIZE) && soft_is_factor(f->keep, LEAST_SIZE) &&
           soft_is_factor(-f->step, LEAST_SIZE) && soft_is_factor(f->eps, LEAST_SIZE);
}

void gm_adam_step(const gm_adam_factors *factors, const float *g, float *p, float *m, float *v, uint32_t n)
{
    const gm_adam_factors f = *factors;
    const soft_adam step = {
        .moments = soft_moment_factors_of(f.scale, f.one_minus_beta1, f.beta2, f.one_minus_beta2),
        .correction = soft_factor_of(f.correction),
        .keep = soft_factor_of(f.keep),
        .rate = soft_factor_of(-f.step),
        .eps = soft_size_of(soft_sum_of(f.eps)),
    };
    const int usual = are_adam_factors(&f), keeps_all = gm_bits_of(f.keep) == gm_bits_of(1.0f);
    for (; n > 0; n--, g++, p++, m++, v++) {
        if (usual && is_at_rest(*g, *m, *v)) {
            *p = keeps_all ? *p : *p * f.keep;
        } else if (!usual || !take_adam_step(&step, *g, p, m, v)) {
            gm_adam_parameter(&f, *g, p, m, v);
        }
    }
}

#endif

#if GM_ARCH_SOFT_STEPS && GM_WITH_ADAMW_ORT

typedef struct soft_adam_ort {
    soft_moment_factors moments;
    soft_factor rate, decay;
    soft_size eps;
    int has_decay;
} soft_adam_ort;

SOFT_INLINE int take_adam_ort_step(const soft_adam_ort *f, float g, float *p, float *m, float *v)
{
    soft_moments now;
    soft_sum from;
    if (!soft_take(*p, LEAST_SIZE, LARGE_SIZE, &from) || !update_moments(&f->moments, g, *m, *v, &now)) {
        return 0;
    }
    const soft_size root = soft_square_root(soft_carried(now.second));
    const soft_sum step = step_of_moments(f->rate, now.first, soft_add_sizes(root, f->eps));
    soft_sum stepped = soft_add(from, step.mantissa, step.exponent);
    if (step.mantissa == 0 || stepped.exponent < LEAST_STEP_EXPONENT) {
        return 0;
    }
    if (f->has_decay) {
        const soft_sum decayed = soft_times_signed(f->decay, stepped);
        stepped = soft_add(stepped, -decayed.mantissa, decayed.exponent);
    }
    *p = soft_value(stepped);
    *m = soft_value(now.first);
    *v = soft_value_of_size(now.second);
    return 1;
}

static int are_adam_ort_factors(const gm_adam_ort_factors *f, int has_decay)
{
    return are_moment_factors(f->scale, f->one_minus_beta1, f->beta2, f->one_minus_beta2) &&
           soft_is_factor(-f->step, LEAST_SIZE) && soft_is_factor(f->eps, LEAST_SIZE) &&
           (!has_decay || soft_is_factor(-f->decay, LEAST_SIZE));
}

void gm_adam_ort_step(const gm_adam_ort_factors *factors, const float *g, float *p, float *m, float *v, uint32_t n)
{
    const gm_adam_ort_factors f = *factors;
    const soft_adam_ort step = {
        .moments = soft_moment_factors_of(f.scale, f.one_minus_beta1, f.beta2, f.one_minus_beta2),
        .rate = soft_factor_of(-f.step),
        .decay = soft_factor_of(-f.decay),
        .eps = soft_size_of(soft_sum_of(f.eps)),
        .has_decay = gm_bits_of(f.decay) << 1 != 0,
    };
    const int usual = are_adam_ort_factors(&f, step.has_decay);
    for (; n > 0; n--, g++, p++, m++, v++) {
        if (usual && is_at_rest(*g, *m, *v)) {
            *p = GM_MAC(*p, f.decay, *p);
        } else if (!usual || !take_adam_ort_step(&step, *g, p, m, v)) {
            gm_adam_ort_parameter(&f, *g, p, m, v);
        }
    }
}

#endif

#endif
