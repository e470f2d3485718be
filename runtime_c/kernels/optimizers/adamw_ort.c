#include "steps.h"
#include "stored_update.h"

#if GM_WITH_ADAMW_ORT

/* AdamW as onnxruntime-training computes it: eps outside the bias correction, decay after the step:
 * p -= (lr sqrt(c2) / c1) m / (sqrt(v) + eps); then p -= lr weight_decay p. */
void gm_rule_apply_adamw_ort(const gm_rule_args *args)
{
    const gm_rule_adamw_ort *rule = args->rule;
    const gm_adam_ort_factors factors = {
        args->scale,
        rule->one_minus_beta1,
        rule->beta2,
        rule->one_minus_beta2,
        rule->eps,
        .step = -(args->lr * gm_sqrt(args->aux[1]) / args->aux[0]),
        .decay = -(args->lr * rule->weight_decay),
    };
    gm_adam_ort_step(&factors, args->g, args->p, args->slot1, args->slot2, args->n);
}

#if GM_WITH_STORED_UPDATES
void gm_step_adamw_ort(const gm_step_args *args)
{
    const gm_rule_adamw_ort *rule = args->rule;
    const gm_moment_factors f = {rule->one_minus_beta1, rule->beta2, rule->one_minus_beta2};
    float rate = args->lr * gm_sqrt(args->aux[1]) / args->aux[0], decay = args->lr * rule->weight_decay;
    for (uint32_t i = 0; i < args->n; i++) {
        float second = gm_moments_of_stored(args, &f, args->g[i], i);
        float step = rate * (args->slot1[i] / (gm_sqrt(second) + rule->eps));
        args->g[i] = step + decay * (args->p[i] - step);
    }
}
#endif

#endif
