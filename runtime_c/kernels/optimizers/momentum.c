#include "steps.h"
#include "stored_update.h"

#if GM_WITH_MOMENTUM

static void step_with_decay_or_nesterov(const gm_rule_args *args, const gm_rule_momentum *momentum)
{
    const gm_rule_momentum rule = *momentum; /* a copy, which no store can change */
    const float *g = args->g;
    float *p = args->p, *v = args->slot1;
    float scale = args->scale, minus_lr = -args->lr;
    for (uint32_t i = 0, n = args->n; i < n; i++) {
        float gradient = scale * g[i];
        if (rule.weight_decay != 0.0f) {
            gradient = GM_MAC(gradient, rule.weight_decay, p[i]);
        }
        float velocity = GM_MAC(gradient, rule.momentum, v[i]);
        v[i] = velocity;
        p[i] = GM_MAC(p[i], minus_lr, rule.nesterov != 0.0f ? GM_MAC(gradient, rule.momentum, velocity) : velocity);
    }
}

/* torch.optim.SGD with momentum and dampening 0: g += weight_decay p (if not 0); v =
 * momentum v + g; p -= lr (nesterov ? g + momentum v : v). v starts at 0, so that the first
 * step is PyTorch's v = g. */
void gm_rule_apply_momentum(const gm_rule_args *args)
{
    const gm_rule_momentum *rule = args->rule;
    if (rule->weight_decay == 0.0f && rule->nesterov == 0.0f) {
        const gm_momentum_factors factors = {args->scale, rule->momentum, -args->lr};
        gm_momentum_step(&factors, args->g, args->p, args->slot1, args->n);
    } else {
        step_with_decay_or_nesterov(args, rule);
    }
}

#if GM_WITH_STORED_UPDATES
void gm_step_momentum(const gm_step_args *args)
{
    const gm_rule_momentum *rule = args->rule;
    for (uint32_t i = 0; i < args->n; i++) {
        float gradient = gm_decayed(args, rule->weight_decay, i);
        float velocity = gradient + rule->momentum * args->slot1[i];
        args->slot1[i] = velocity;
        args->g[i] = args->lr * (rule->nesterov != 0.0f ? gradient + rule->momentum * velocity : velocity);
    }
}
#endif

#endif
