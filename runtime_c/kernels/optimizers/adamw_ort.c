#include "steps.h"

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

#endif
