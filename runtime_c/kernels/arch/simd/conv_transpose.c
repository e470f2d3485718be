/* CONV_TRANSPOSE with vectors: x[pixel,c] (+)= sum over the taps and m of y[output over the
 * pixel,m] w[m,c,tap]. */
#include "blocks/window_sum.h"

#if GM_ARCH_TILES && GM_WITH_CONV_TRANSPOSE

int gm_simd_conv_transpose(const struct gm_session *session, const gm_insn_conv_transpose *insn)
{
    gm_window_sum sum = {
        .source = {insn->y_batch, insn->y_h, insn->y_w, insn->y_group, insn->y_channel},
        .dest = {insn->x_batch, insn->x_h, insn->x_w, insn->x_group, insn->x_channel},
        .batch = insn->batch,
        .groups = insn->groups,
        .inputs = insn->out_channels,
        .outputs = insn->in_channels,
        .w_group = insn->w_group,
        .w_output = insn->w_in_channel,
        .w_input = insn->w_out_channel,
        .w_h = insn->w_h,
        .w_w = insn->w_w,
        .x = gm_f32(session, insn->y),
        .w = gm_f32(session, insn->w),
        .bias = gm_f32_optional(session, insn->bias),
        .y = gm_f32_out(session, insn->x),
        .accumulate = insn->accumulate != 0,
        .transposed = 1,
    };
    if (!gm_simd_runs() || !gm_window_fits(insn->kernel_h, insn->kernel_w) || insn->out_channels == 0) {
        return 0;
    }
    GM_TRANSPOSED_AXES(&sum.rows, &sum.columns, insn);
    return gm_simd_window_sum(&sum);
}

#endif
