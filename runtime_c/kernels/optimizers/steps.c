#include "steps.h"

#include "../arch/simd/simd.h"

#if GM_WITH_SGD && !GM_ARCH_SGD_STEP

/* Loads of a block come before its stores, so the compiler need not assume that p is g. */
void gm_sgd_step(const float *g, float *p, uint32_t n, float minus_lr, float scale)
{
#if GM_ARCH_SIMD
    uint32_t done = gm_simd_sgd_step(g, p, n, minus_lr, scale);
    g += done, p += done, n -= done;
#endif
    for (; n >= 4; n -= 4) {
        float p0 = GM_MAC(p[0], minus_lr, scale * g[0]);
        float p1 = GM_MAC(p[1], minus_lr, scale * g[1]);
        float p2 = GM_MAC(p[2], minus_lr, scale * g[2]);
        float p3 = GM_MAC(p[3], minus_lr, scale * g[3]);
        p[0] = p0, p[1] = p1, p[2] = p2, p[3] = p3;
        p += 4;
        g += 4;
    }
    for (; n > 0; n--) {
        *p = GM_MAC(*p, minus_lr, scale * *g);
        p++;
        g++;
    }
}

#endif

#if (GM_WITH_ADAM || GM_WITH_ADAMW) && !GM_ARCH_STEPS

void gm_adam_step(const gm_adam_factors *factors, const float *g, float *p, float *m, float *v, uint32_t n)
{
    const gm_adam_factors f = *factors; /* a copy, which no store can change */
#if GM_ARCH_SIMD
    uint32_t done = gm_simd_adam_step(factors, g, p, m, v, n);
    g += done, p += done, m += done, v += done, n -= done;
#endif
    for (uint32_t i = 0; i < n; i++) {
        gm_adam_parameter(&f, g[i], p + i, m + i, v + i);
    }
}

#endif

#if GM_WITH_MOMENTUM && !GM_ARCH_STEPS

void gm_momentum_step(const gm_momentum_factors *factors, const float *g, float *p, float *v, uint32_t n)
{
    const gm_momentum_factors f = *factors;
#if GM_ARCH_SIMD
    uint32_t done = gm_simd_momentum_step(factors, g, p, v, n);
    g += done, p += done, v += done, n -= done;
#endif
    for (uint32_t i = 0; i < n; i++) {
        float velocity = GM_MAC(f.scale * g[i], f.momentum, v[i]);
        v[i] = velocity;
        p[i] = GM_MAC(p[i], f.minus_lr, velocity);
    }
}

#endif

#if GM_WITH_ADAMW_ORT && !GM_ARCH_STEPS

void gm_adam_ort_step(const gm_adam_ort_factors *factors, const float *g, float *p, float *m, float *v, uint32_t n)
{
    const gm_adam_ort_factors f = *factors;
#if GM_ARCH_SIMD
    uint32_t done = gm_simd_adam_ort_step(factors, g, p, m, v, n);
    g += done, p += done, m += done, v += done, n -= done;
#endif
    for (uint32_t i = 0; i < n; i++) {
        gm_adam_ort_parameter(&f, g[i], p + i, m + i, v + i);
    }
}

#endif
