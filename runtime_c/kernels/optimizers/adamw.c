#include "steps.h"
#include "stored_update.h"

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

#if GM_WITH_STORED_UPDATES
void gm_step_adamw(const gm_step_args *args)
{
    const gm_rule_adamw *rule = args->rule;
    const gm_moment_factors f = {rule->one_minus_beta1, rule->beta2, rule->one_minus_beta2};
    float correction = 1.0f / gm_sqrt(args->aux[1]), rate = args->lr / args->aux[0];
    float decay = args->lr * rule->weight_decay;
    for (uint32_t i = 0; i < args->n; i++) {
        float second = gm_moments_of_stored(args, &f, args->g[i], i);
        args->g[i] = decay * args->p[i] + rate * (args->slot1[i] / (rule->eps + gm_sqrt(second) * correction));
    }
}
#endif

#endif
