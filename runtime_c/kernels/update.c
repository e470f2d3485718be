/*
 * UPDATE: rule updates p[n] with the gradient scale * g[n].
 * BIAS_CORRECTION: c[i] = c[i] beta_i + (1 - beta_i), so that after t steps c[i] = 1 - beta_i^t.
 */
#include "../generated/instructions/bias_correction.h"
#include "../generated/instructions/update.h"
#include "../src/gm_internal.h"
#include "../src/numerics.h"

#if GM_WITH_SGD
#define RULE_SGD gm_rule_apply_sgd
#else
#define RULE_SGD NULL
#endif
#if GM_WITH_MOMENTUM
#define RULE_MOMENTUM gm_rule_apply_momentum
#else
#define RULE_MOMENTUM NULL
#endif
#if GM_WITH_ADAM
#define RULE_ADAM gm_rule_apply_adam
#else
#define RULE_ADAM NULL
#endif
#if GM_WITH_ADAMW
#define RULE_ADAMW gm_rule_apply_adamw
#else
#define RULE_ADAMW NULL
#endif
#if GM_WITH_ADAMW_ORT
#define RULE_ADAMW_ORT gm_rule_apply_adamw_ort
#else
#define RULE_ADAMW_ORT NULL
#endif

const gm_rule_fn gm_rules[GM_RULE_COUNT] = {
    [GM_RULE_SGD] = RULE_SGD,     [GM_RULE_MOMENTUM] = RULE_MOMENTUM,   [GM_RULE_ADAM] = RULE_ADAM,
    [GM_RULE_ADAMW] = RULE_ADAMW, [GM_RULE_ADAMW_ORT] = RULE_ADAMW_ORT,
};

#if GM_WITH_UPDATE
int gm_kernel_update(const struct gm_session *session, const void *instruction)
{
    const gm_insn_update *insn = instruction;
    const uint32_t *rule = gm_u32(session, insn->rule);
    const float *scale = gm_f32_optional(session, insn->scale);
    gm_rule_args args = {
        .rule = rule,
        .g = gm_f32(session, insn->g),
        .p = gm_f32_out(session, insn->p),
        .slot1 = gm_f32_out_optional(session, insn->slot1),
        .slot2 = gm_f32_out_optional(session, insn->slot2),
        .aux = gm_f32_optional(session, insn->aux),
        .lr = gm_f32(session, insn->lr)[0],
        .scale = scale ? scale[0] : 1.0f,
        .n = insn->n,
    };
    gm_rule_set_session(&args, session);
    gm_rule_of(rule)(&args);
    return GM_OK;
}
#endif

#if GM_WITH_BIAS_CORRECTION
/* From c = 0, t steps give c = 1 - beta^t without computing a power. */
int gm_kernel_bias_correction(const struct gm_session *session, const void *instruction)
{
    const gm_insn_bias_correction *insn = instruction;
    float *c = gm_f32_out(session, insn->c);
    c[0] = GM_MAC(insn->one_minus_beta1, c[0], insn->beta1);
    c[1] = GM_MAC(insn->one_minus_beta2, c[1], insn->beta2);
    return GM_OK;
}
#endif
