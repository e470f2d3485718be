#include "moments.h"

#if GM_WITH_ADAM

/* torch.optim.Adam (Kingma & Ba, algorithm 1, with weight decay added to the gradient where it is not 0):
 * p -= (lr / c1) m / (sqrt(v) / sqrt(c2) + eps), c_i = 1 - beta_i^t. */
void gm_rule_apply_adam(const gm_rule_args *args)
{
    const gm_rule_adam rule = *(const gm_rule_adam *)args->rule;
    const float *g = args->g;
    float *p = args->p, *m = args->slot1, *v = args->slot2;
    float scale = args->scale;
    float step = -(args->lr / args->aux[0]);
    float correction = 1.0f / gm_sqrt(args->aux[1]);
    for (uint32_t i = 0, n = args->n; i < n; i++) {
        float gradient = scale * g[i];
        if (rule.weight_decay != 0.0f) {
            gradient = GM_MAC(gradient, rule.weight_decay, p[i]);
        }
        float first = gm_first_moment(m[i], gradient, rule.one_minus_beta1);
        float second = gm_second_moment(v[i], gradient, rule.beta2, rule.one_minus_beta2);
        m[i] = first;
        v[i] = second;
        p[i] = GM_MAC(p[i], step, first / GM_MAC(rule.eps, gm_sqrt(second), correction));
    }
}

#endif
