/* CONV with vectors: y[b,i,j,m] = activation(bias[m] + sum over taps and c of x[under the tap,c]
 * w[m,c,tap]). */
#include "blocks/window_sum.h"

#if GM_ARCH_TILES && GM_WITH_CONV

int gm_simd_conv(const struct gm_session *session, const gm_insn_conv *insn)
{
    gm_window_sum sum = {
        .source = {insn->x_batch, insn->x_h, insn->x_w, insn->x_group, insn->x_channel},
        .dest = {insn->y_batch, insn->y_h, insn->y_w, insn->y_group, insn->y_channel},
        .batch = insn->batch,
        .groups = insn->groups,
        .inputs = insn->in_channels,
        .outputs = insn->out_channels,
        .w_group = insn->w_group,
        .w_output = insn->w_out_channel,
        .w_input = insn->w_in_channel,
        .w_h = insn->w_h,
        .w_w = insn->w_w,
        .x = gm_f32(session, insn->x),
        .w = gm_f32(session, insn->w),
        .bias = gm_f32_optional(session, insn->bias),
        .y = gm_f32_out(session, insn->y),
        .relu = insn->activation == GM_ACTIVATION_RELU,
    };
    if (!gm_simd_runs() || !gm_window_fits(insn->kernel_h, insn->kernel_w) || insn->in_channels == 0) {
        return 0;
    }
    GM_CONV_AXES(&sum.rows, &sum.columns, insn);
    return gm_simd_window_sum(&sum);
}

#endif
