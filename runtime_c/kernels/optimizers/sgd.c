#include "../../src/gm_internal.h"
#include "../../src/numerics.h"

#if GM_WITH_SGD

/* p -= lr (scale g). Loads of a block come before its stores, so that no compiler has to fear that p is g. */
static void step(const float *g, float *p, uint32_t n, float minus_lr, float scale)
{
    for (; n >= 4; n -= 4) {
        float p0 = GM_MAC(p[0], minus_lr, scale * g[0]);
        float p1 = GM_MAC(p[1], minus_lr, scale * g[1]);
        float p2 = GM_MAC(p[2], minus_lr, scale * g[2]);
        float p3 = GM_MAC(p[3], minus_lr, scale * g[3]);
        p[0] = p0, p[1] = p1, p[2] = p2, p[3] = p3;
        p += 4;
        g += 4;
    }
    for (; n > 0; n--) {
        *p = GM_MAC(*p, minus_lr, scale * *g);
        p++;
        g++;
    }
}

static void step_with_decay(const float *g, float *p, uint32_t n, float minus_lr, float scale, float weight_decay)
{
    for (uint32_t i = 0; i < n; i++) {
        p[i] = GM_MAC(p[i], minus_lr, GM_MAC(scale * g[i], weight_decay, p[i]));
    }
}

/* torch.optim.SGD without momentum: g += weight_decay p (where weight_decay is not 0); p -= lr g. */
void gm_rule_apply_sgd(const gm_rule_args *args)
{
    const gm_rule_sgd *rule = args->rule;
    if (rule->weight_decay == 0.0f) {
        step(args->g, args->p, args->n, -args->lr, args->scale);
    } else {
        step_with_decay(args->g, args->p, args->n, -args->lr, args->scale, rule->weight_decay);
    }
}

#endif
