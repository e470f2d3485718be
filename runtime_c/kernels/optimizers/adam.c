#include "moments.h"

#if GM_WITH_ADAM

/* torch.optim.Adam (Kingma & Ba, algorithm 1, with weight decay added to the gradient where it is not 0):
 * p -= (lr / c1) m / (sqrt(v) / sqrt(c2) + eps), c_i = 1 - beta_i^t. */
void gm_rule_apply_adam(const gm_rule_args *args)
{
    const gm_rule_adam *rule = args->rule;
    float step = -(args->lr / args->aux[0]);
    float correction = 1.0f / gm_sqrt(args->aux[1]);
    for (uint32_t i = 0; i < args->n; i++) {
        float p = args->p[i];
        float g = args->scale * args->g[i];
        if (rule->weight_decay != 0.0f) {
            g = GM_MAC(g, rule->weight_decay, p);
        }
        float m = gm_first_moment(args->slot1[i], g, rule->one_minus_beta1);
        float v = gm_second_moment(args->slot2[i], g, rule->beta2, rule->one_minus_beta2);
        args->slot1[i] = m;
        args->slot2[i] = v;
        args->p[i] = GM_MAC(p, step, m / GM_MAC(rule->eps, gm_sqrt(v), correction));
    }
}

#endif
