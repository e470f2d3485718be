#include "../../src/gm_internal.h"
#include "../../src/numerics.h"

#if GM_WITH_MOMENTUM

/* torch.optim.SGD with momentum and dampening 0: g += weight_decay p (where not 0); v = momentum v + g;
 * p -= lr (nesterov ? g + momentum v : v). v starts at 0, which makes the first step PyTorch's v = g. */
void gm_rule_apply_momentum(const gm_rule_args *args)
{
    const gm_rule_momentum *rule = args->rule;
    float weight_decay = rule->weight_decay, momentum = rule->momentum;
    int nesterov = rule->nesterov != 0.0f;
    for (uint32_t i = 0; i < args->n; i++) {
        float p = args->p[i];
        float g = args->scale * args->g[i];
        if (weight_decay != 0.0f) {
            g = GM_MAC(g, weight_decay, p);
        }
        float v = GM_MAC(g, momentum, args->slot1[i]);
        args->slot1[i] = v;
        args->p[i] = GM_MAC(p, -args->lr, nesterov ? GM_MAC(g, momentum, v) : v);
    }
}

#endif
