#include "moments.h"

#if GM_WITH_ADAMW

/* torch.optim.AdamW (Loshchilov & Hutter, algorithm 2): p *= 1 - lr weight_decay; then Adam's step. */
void gm_rule_apply_adamw(const gm_rule_args *args)
{
    const gm_rule_adamw rule = *(const gm_rule_adamw *)args->rule;
    const float *g = args->g;
    float *p = args->p, *m = args->slot1, *v = args->slot2;
    float scale = args->scale;
    float step = -(args->lr / args->aux[0]);
    float correction = 1.0f / gm_sqrt(args->aux[1]);
    float keep = GM_MAC(1.0f, -args->lr, rule.weight_decay);
    for (uint32_t i = 0, n = args->n; i < n; i++) {
        float gradient = scale * g[i];
        float first = gm_first_moment(m[i], gradient, rule.one_minus_beta1);
        float second = gm_second_moment(v[i], gradient, rule.beta2, rule.one_minus_beta2);
        m[i] = first;
        v[i] = second;
        p[i] = GM_MAC(p[i] * keep, step, first / GM_MAC(rule.eps, gm_sqrt(second), correction));
    }
}

#endif
