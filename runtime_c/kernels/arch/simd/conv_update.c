/* CONV_UPDATE with vectors: the same gradient as CONV_GRAD_W, each part of it at once applied by
 * the rule. */
#include "blocks/weight_gradient.h"

#if GM_ARCH_SIMD && GM_WITH_CONV_UPDATE

int gm_simd_conv_update(const struct gm_session *session, const gm_insn_conv_update *insn, gm_rule_args *args)
{
    gm_weight_gradient w = {.g = GM_CONV_GRADIENT(insn)};
    const float *x = gm_f32(session, insn->x), *dy = gm_f32(session, insn->dy);
    const gm_gradient_destination to = {.update = args};
    if (!gm_weight_gradient_start(&w, insn->groups, insn->out_channels)) {
        return 0;
    }
    args->n = insn->out_channels * w.g.in_channels * w.taps;
    for (uint32_t group = 0; group < (w.grouped ? 1 : insn->groups); group++) {
        gm_weight_gradient_of_group(&w, x + (size_t)group * insn->x_group, dy + (size_t)group * insn->y_group, &to);
        gm_rule_advance(args);
    }
    return 1;
}

#endif
