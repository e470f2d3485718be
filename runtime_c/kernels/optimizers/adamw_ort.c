#include "moments.h"

#if GM_WITH_ADAMW_ORT

/* AdamW as onnxruntime-training computes it: eps outside the bias correction, decay after the step:
 * p -= (lr sqrt(c2) / c1) m / (sqrt(v) + eps); then p -= lr weight_decay p. */
void gm_rule_apply_adamw_ort(const gm_rule_args *args)
{
    const gm_rule_adamw_ort rule = *(const gm_rule_adamw_ort *)args->rule;
    const float *g = args->g;
    float *p = args->p, *m = args->slot1, *v = args->slot2;
    float scale = args->scale;
    float step = -(args->lr * gm_sqrt(args->aux[1]) / args->aux[0]);
    float decay = -(args->lr * rule.weight_decay);
    for (uint32_t i = 0, n = args->n; i < n; i++) {
        float gradient = scale * g[i];
        float first = gm_first_moment(m[i], gradient, rule.one_minus_beta1);
        float second = gm_second_moment(v[i], gradient, rule.beta2, rule.one_minus_beta2);
        m[i] = first;
        v[i] = second;
        float stepped = GM_MAC(p[i], step, first / (gm_sqrt(second) + rule.eps));
        p[i] = GM_MAC(stepped, decay, stepped);
    }
}

#endif
