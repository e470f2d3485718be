#include "../../src/gm_internal.h"
#include "../../src/numerics.h"

#if GM_WITH_MOMENTUM

/* torch.optim.SGD with momentum and dampening 0: g += weight_decay p (where not 0); v = momentum v + g;
 * p -= lr (nesterov ? g + momentum v : v). v starts at 0, which makes the first step PyTorch's v = g. */
void gm_rule_apply_momentum(const gm_rule_args *args)
{
    const gm_rule_momentum rule = *(const gm_rule_momentum *)args->rule;
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

#endif
