#include "moments.h"

#if GM_WITH_ADAMW

/* torch.optim.AdamW (Loshchilov & Hutter, algorithm 2): p *= 1 - lr weight_decay; then Adam's step. */
void gm_rule_apply_adamw(const gm_rule_args *args)
{
    const gm_rule_adamw *rule = args->rule;
    float step = -(args->lr / args->aux[0]);
    float correction = 1.0f / gm_sqrt(args->aux[1]);
    float keep = GM_MAC(1.0f, -args->lr, rule->weight_decay);
    for (uint32_t i = 0; i < args->n; i++) {
        float g = args->scale * args->g[i];
        float m = gm_first_moment(args->slot1[i], g, rule->one_minus_beta1);
        float v = gm_second_moment(args->slot2[i], g, rule->beta2, rule->one_minus_beta2);
        args->slot1[i] = m;
        args->slot2[i] = v;
        args->p[i] = GM_MAC(args->p[i] * keep, step, m / GM_MAC(rule->eps, gm_sqrt(v), correction));
    }
}

#endif
