/*
 * CONV_UPDATE: for each output channel in turn: row = the gradient of CONV's w[g,m]; then rule
 *   updates p[g,m] with it. The strides y_batch to y_channel are those of dy.
 */
#include "../generated/instructions/conv_update.h"
#include "conv_gradient.h"

#if GM_WITH_CONV_UPDATE

int gm_kernel_conv_update(const struct gm_session *session, const void *instruction)
{
    const gm_insn_conv_update *insn = instruction;
    const gm_conv_gradient g = GM_CONV_GRADIENT(insn);
    const float *x = gm_f32(session, insn->x), *dy = gm_f32(session, insn->dy);
    const uint32_t *rule = gm_u32(session, insn->rule);
    float *row = gm_f32_out(session, insn->row);
    gm_rule_args args = {
        .rule = rule,
        .g = row,
        .p = gm_f32_out(session, insn->p),
        .slot1 = gm_f32_out_optional(session, insn->slot1),
        .slot2 = gm_f32_out_optional(session, insn->slot2),
        .aux = gm_f32_optional(session, insn->aux),
        .lr = gm_f32(session, insn->lr)[0],
        .scale = 1.0f,
        .n = insn->in_channels * insn->kernel_h * insn->kernel_w,
    };
    gm_rule_set_session(&args, session);
#if GM_ARCH_CONV_NEIGHBOURS
    const gm_gradient_target target = {insn->groups, insn->out_channels, &args, row, 0};
    if (gm_conv_gradient_of_neighbours(&g, x, dy, &target)) {
        return GM_OK;
    }
#endif
    for (uint32_t group = 0; group < insn->groups; group++) {
        for (uint32_t m = 0; m < insn->out_channels; m++) {
            for (uint32_t i = 0; i < args.n; i++) {
                row[i] = GM_EMPTY_SUM;
            }
            gm_conv_gradient_row(&g, x + group * insn->x_group, dy + group * insn->y_group + m * insn->y_channel, row);
            gm_rule_of(rule)(&args);
            gm_rule_advance(&args);
        }
    }
    return GM_OK;
}

#endif
