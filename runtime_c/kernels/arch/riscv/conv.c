/* CONV on RISC-V: y[b,i,j,m] = act(bias[m] + sum over taps and c of x[under the tap,c] w[m,c,tap]) */
#include "blocks/window_sum.h"
#include "riscv.h"

#if GM_ARCH_RISCV && GM_WITH_CONV

int gm_riscv_conv(const struct gm_session *session, const gm_insn_conv *insn)
{
    const gm_riscv_window_sum sum = {
        .rows =
            gm_riscv_conv_axis(insn->in_h, insn->out_h, insn->kernel_h, insn->stride_h, insn->dilation_h, insn->pad_h),
        .columns =
            gm_riscv_conv_axis(insn->in_w, insn->out_w, insn->kernel_w, insn->stride_w, insn->dilation_w, insn->pad_w),
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
    return gm_riscv_sum_windows(&sum);
}

#endif
