/*
 * Optimizer steps with parameters in lanes. Vector square roots and quotients round as scalar ones
 * do. Machine instructions for as many parameters as 4 registers hold, 16 with 128-bit vectors: SGD
 * 20, and 9 if rows share their gradient; momentum 15, Adam and AdamW 27.
 */
#include "../../../optimizers/steps.h"
#include "lanes.h"

#if GM_ARCH_ZVE32F

/* Registers. */
#define V_STEP_GRADIENTS 0
#define V_STEP_PARAMETERS 4
#define V_STEP_FIRST_MOMENTS 8
#define V_STEP_SECOND_MOMENTS 12
#define V_STEP_CHANGES 16
#define V_STEP_DIVISORS 20

#if GM_WITH_SGD

/* The same lanes of m rows of p, n apart. */
static void step_lanes_of_rows(const float *scales, uint32_t scale_step, float *p, uint32_t m, uint32_t n,
                               float minus_lr)
{
    for (; m > 0; m--, scales += scale_step, p += n) {
        gm_lanes_load(V_STEP_PARAMETERS, p);
        gm_lanes_mul_number(V_STEP_CHANGES, V_STEP_GRADIENTS, *scales);
        gm_lanes_mac_number(V_STEP_PARAMETERS, V_STEP_CHANGES, minus_lr, V_STEP_CHANGES);
        gm_lanes_store(V_STEP_PARAMETERS, p);
    }
}

void gm_sgd_rows(const float *scales, uint32_t scale_step, const float *g, float *p, uint32_t m, uint32_t n,
                 float minus_lr)
{
    for (uint32_t j = 0, lanes; j < n; j += lanes) {
        lanes = gm_lanes_4(n - j);
        gm_lanes_load(V_STEP_GRADIENTS, g + j);
        step_lanes_of_rows(scales, scale_step, p + j, m, n, minus_lr);
    }
}

#endif

#if GM_WITH_MOMENTUM

void gm_momentum_step(const gm_momentum_factors *factors, const float *g, float *p, float *v, uint32_t n)
{
    const gm_momentum_factors f = *factors;
    for (uint32_t lanes; n > 0; n -= lanes, g += lanes, p += lanes, v += lanes) {
        lanes = gm_lanes_4(n);
        gm_lanes_load(V_STEP_GRADIENTS, g);
        gm_lanes_load(V_STEP_FIRST_MOMENTS, v);
        gm_lanes_load(V_STEP_PARAMETERS, p);
        gm_lanes_mul_number(V_STEP_GRADIENTS, V_STEP_GRADIENTS, f.scale);
        gm_lanes_mac_number(V_STEP_GRADIENTS, V_STEP_FIRST_MOMENTS, f.momentum, V_STEP_FIRST_MOMENTS);
        gm_lanes_store(V_STEP_GRADIENTS, v);
        gm_lanes_mac_number(V_STEP_PARAMETERS, V_STEP_GRADIENTS, f.minus_lr, V_STEP_GRADIENTS);
        gm_lanes_store(V_STEP_PARAMETERS, p);
    }
}

#endif

#if GM_WITH_ADAM || GM_WITH_ADAMW || GM_WITH_ADAMW_ORT

/* Updates the moments of the next lanes, as moments.h does. */
GM_INLINED void move_moments(const float *g, float *m, float *v, float scale, float one_minus_beta1, float beta2,
                             float one_minus_beta2)
{
    gm_lanes_load(V_STEP_GRADIENTS, g);
    gm_lanes_load(V_STEP_FIRST_MOMENTS, m);
    gm_lanes_load(V_STEP_SECOND_MOMENTS, v);
    gm_lanes_mul_number(V_STEP_GRADIENTS, V_STEP_GRADIENTS, scale);
    gm_lanes_sub(V_STEP_CHANGES, V_STEP_GRADIENTS, V_STEP_FIRST_MOMENTS);
    gm_lanes_mac_number(V_STEP_FIRST_MOMENTS, V_STEP_CHANGES, one_minus_beta1, V_STEP_CHANGES);
    gm_lanes_mul_number(V_STEP_SECOND_MOMENTS, V_STEP_SECOND_MOMENTS, beta2);
    gm_lanes_mul_number(V_STEP_CHANGES, V_STEP_GRADIENTS, one_minus_beta2);
    gm_lanes_mac(V_STEP_SECOND_MOMENTS, V_STEP_CHANGES, V_STEP_GRADIENTS, V_STEP_CHANGES);
    gm_lanes_store(V_STEP_FIRST_MOMENTS, m);
    gm_lanes_store(V_STEP_SECOND_MOMENTS, v);
    gm_lanes_sqrt(V_STEP_SECOND_MOMENTS, V_STEP_SECOND_MOMENTS);
}

#endif

#if GM_WITH_ADAM || GM_WITH_ADAMW

void gm_adam_step(const gm_adam_factors *factors, const float *g, float *p, float *m, float *v, uint32_t n)
{
    const gm_adam_factors f = *factors;
    for (uint32_t lanes; n > 0; n -= lanes, g += lanes, p += lanes, m += lanes, v += lanes) {
        lanes = gm_lanes_4(n);
        gm_lanes_load(V_STEP_PARAMETERS, p);
        move_moments(g, m, v, f.scale, f.one_minus_beta1, f.beta2, f.one_minus_beta2);
        gm_lanes_fill(V_STEP_DIVISORS, f.eps);
        gm_lanes_mac_number(V_STEP_DIVISORS, V_STEP_SECOND_MOMENTS, f.correction, V_STEP_SECOND_MOMENTS);
        gm_lanes_div(V_STEP_CHANGES, V_STEP_FIRST_MOMENTS, V_STEP_DIVISORS);
        gm_lanes_mul_number(V_STEP_PARAMETERS, V_STEP_PARAMETERS, f.keep);
        gm_lanes_mac_number(V_STEP_PARAMETERS, V_STEP_CHANGES, f.step, V_STEP_CHANGES);
        gm_lanes_store(V_STEP_PARAMETERS, p);
    }
}

#endif

#if GM_WITH_ADAMW_ORT

void gm_adam_ort_step(const gm_adam_ort_factors *factors, const float *g, float *p, float *m, float *v, uint32_t n)
{
    const gm_adam_ort_factors f = *factors;
    for (uint32_t lanes; n > 0; n -= lanes, g += lanes, p += lanes, m += lanes, v += lanes) {
        lanes = gm_lanes_4(n);
        gm_lanes_load(V_STEP_PARAMETERS, p);
        move_moments(g, m, v, f.scale, f.one_minus_beta1, f.beta2, f.one_minus_beta2);
        gm_lanes_add_number(V_STEP_DIVISORS, V_STEP_SECOND_MOMENTS, f.eps);
        gm_lanes_div(V_STEP_CHANGES, V_STEP_FIRST_MOMENTS, V_STEP_DIVISORS);
        gm_lanes_mac_number(V_STEP_PARAMETERS, V_STEP_CHANGES, f.step, V_STEP_CHANGES);
        gm_lanes_copy(V_STEP_CHANGES, V_STEP_PARAMETERS);
        gm_lanes_mac_number(V_STEP_PARAMETERS, V_STEP_CHANGES, f.decay, V_STEP_CHANGES);
        gm_lanes_store(V_STEP_PARAMETERS, p);
    }
}

#endif

#endif
