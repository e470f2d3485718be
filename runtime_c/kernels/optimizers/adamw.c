#include "steps.h"

#if GM_WITH_ADAMW

/* torch.optim.AdamW (Loshchilov & Hutter, algorithm 2): p *= 1 - lr weight_decay; then Adam's
 * step. */
void gm_rule_apply_adamw(const gm_rule_args *args)
{
    const gm_rule_adamw *rule = args->rule;
    const gm_adam_factors factors = {
        args->scale,
        rule->one_minus_beta1,
        rule->beta2,
        rule->one_minus_beta2,
        rule->eps,
        .correction = 1.0f / gm_sqrt(args->aux[1]),
        .keep = GM_MAC(1.0f, -args->lr, rule->weight_decay),
        .step = -(args->lr / args->aux[0]),
    };
    gm_adam_step(&factors, args->g, args->p, args->slot1, args->slot2, args->n);
}

#endif
