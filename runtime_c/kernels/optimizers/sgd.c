#include "../../src/gm_internal.h"
#include "../../src/numerics.h"

#if GM_WITH_SGD

/* p -= lr g */
static void step_plain(const float *g, float *p, uint32_t n, float minus_lr)
{
    for (; n >= 4; n -= 4) {
        p[0] = GM_MAC(p[0], minus_lr, g[0]);
        p[1] = GM_MAC(p[1], minus_lr, g[1]);
        p[2] = GM_MAC(p[2], minus_lr, g[2]);
        p[3] = GM_MAC(p[3], minus_lr, g[3]);
        p += 4;
        g += 4;
    }
    for (; n > 0; n--) {
        *p = GM_MAC(*p, minus_lr, *g);
        p++;
        g++;
    }
}

/* torch.optim.SGD without momentum: g += weight_decay p (where weight_decay is not 0); p -= lr g. */
void gm_rule_apply_sgd(const gm_rule_args *args)
{
    const gm_rule_sgd *rule = args->rule;
    float *p = args->p;
    if (rule->weight_decay == 0.0f && args->scale == 1.0f) {
        step_plain(args->g, p, args->n, -args->lr);
        return;
    }
    for (uint32_t i = 0; i < args->n; i++) {
        float g = args->scale * args->g[i];
        if (rule->weight_decay != 0.0f) {
            g = GM_MAC(g, rule->weight_decay, p[i]);
        }
        p[i] = GM_MAC(p[i], -args->lr, g);
    }
}

#endif
