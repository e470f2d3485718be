#include "moments.h"
#include "steps.h"
#include "stored_update.h"

#if GM_WITH_ADAM

static void adam_step_with_decay(const gm_rule_args *args, const gm_adam_factors *factors, float weight_decay)
{
    const gm_adam_factors f = *factors; /* a copy, which no store can change */
    const float *g = args->g;
    float *p = args->p, *m = args->slot1, *v = args->slot2;
    for (uint32_t i = 0, n = args->n; i < n; i++) {
        float gradient = GM_MAC(f.scale * g[i], weight_decay, p[i]);
        float first = gm_first_moment(m[i], gradient, f.one_minus_beta1);
        float second = gm_second_moment(v[i], gradient, f.beta2, f.one_minus_beta2);
        m[i] = first;
        v[i] = second;
        p[i] = GM_MAC(p[i], f.step, first / GM_MAC(f.eps, gm_sqrt(second), f.correction));
    }
}

/* torch.optim.Adam (Kingma & Ba, algorithm 1; weight decay, if not 0, is added to the gradient): p
 * -= (lr / c1) m / (sqrt(v) / sqrt(c2) + eps), c_i = 1 - beta_i^t. */
void gm_rule_apply_adam(const gm_rule_args *args)
{
    const gm_rule_adam *rule = args->rule;
    const gm_adam_factors factors = {
        args->scale,  rule->one_minus_beta1,
        rule->beta2,  rule->one_minus_beta2,
        rule->eps,    .correction = 1.0f / gm_sqrt(args->aux[1]),
        .keep = 1.0f, .step = -(args->lr / args->aux[0]),
    };
    if (rule->weight_decay == 0.0f) {
        gm_adam_step(&factors, args->g, args->p, args->slot1, args->slot2, args->n);
    } else {
        adam_step_with_decay(args, &factors, rule->weight_decay);
    }
}

#if GM_WITH_STORED_UPDATES
void gm_step_adam(const gm_step_args *args)
{
    const gm_rule_adam *rule = args->rule;
    const gm_moment_factors f = {rule->one_minus_beta1, rule->beta2, rule->one_minus_beta2};
    float correction = 1.0f / gm_sqrt(args->aux[1]), rate = args->lr / args->aux[0];
    for (uint32_t i = 0; i < args->n; i++) {
        float second = gm_moments_of_stored(args, &f, gm_decayed(args, rule->weight_decay, i), i);
        args->g[i] = rate * (args->slot1[i] / (rule->eps + gm_sqrt(second) * correction));
    }
}
#endif

#endif
