#include "moments.h"

#if GM_WITH_ADAMW_ORT

/* AdamW as onnxruntime-training computes it: eps outside the bias correction, decay after the step:
 * p -= (lr sqrt(c2) / c1) m / (sqrt(v) + eps); then p -= lr weight_decay p. */
void gm_rule_apply_adamw_ort(const gm_rule_args *args)
{
    const gm_rule_adamw_ort *rule = args->rule;
    float step = -(args->lr * gm_sqrt(args->aux[1]) / args->aux[0]);
    float decay = -(args->lr * rule->weight_decay);
    for (uint32_t i = 0; i < args->n; i++) {
        float g = args->scale * args->g[i];
        float m = gm_first_moment(args->slot1[i], g, rule->one_minus_beta1);
        float v = gm_second_moment(args->slot2[i], g, rule->beta2, rule->one_minus_beta2);
        args->slot1[i] = m;
        args->slot2[i] = v;
        float p = GM_MAC(args->p[i], step, m / (gm_sqrt(v) + rule->eps));
        args->p[i] = GM_MAC(p, decay, p);
    }
}

#endif
