#include "steps.h"
#include "stored_update.h"

#if GM_WITH_SGD

static void sgd_step_with_decay(const float *g, float *p, uint32_t n, float minus_lr, float scale, float weight_decay)
{
    for (uint32_t i = 0; i < n; i++) {
        p[i] = GM_MAC(p[i], minus_lr, GM_MAC(scale * g[i], weight_decay, p[i]));
    }
}

/* torch.optim.SGD without momentum: g += weight_decay p (if weight_decay is not 0); p -= lr g. */
void gm_rule_apply_sgd(const gm_rule_args *args)
{
    const gm_rule_sgd *rule = args->rule;
    if (rule->weight_decay == 0.0f) {
        gm_sgd_step(args->g, args->p, args->n, -args->lr, args->scale);
    } else {
        sgd_step_with_decay(args->g, args->p, args->n, -args->lr, args->scale, rule->weight_decay);
    }
}

#if GM_WITH_STORED_UPDATES
void gm_step_sgd(const gm_step_args *args)
{
    const gm_rule_sgd *rule = args->rule;
    for (uint32_t i = 0; i < args->n; i++) {
        args->g[i] = args->lr * gm_decayed(args, rule->weight_decay, i);
    }
}
#endif

#endif
