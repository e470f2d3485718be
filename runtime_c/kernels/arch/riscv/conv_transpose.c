/* CONV_TRANSPOSE on RISC-V: as conv.c, from CONV's outputs to its inputs. */
#include "blocks/window_sum.h"
#include "riscv.h"

#if GM_ARCH_RISCV && GM_WITH_CONV_TRANSPOSE

int gm_riscv_conv_transpose(const struct gm_session *session, const gm_insn_conv_transpose *insn)
{
    const gm_riscv_window_sum sum = {
        .rows = gm_riscv_transposed_axis(insn->in_h, insn->out_h, insn->kernel_h, insn->stride_h, insn->dilation_h,
                                         insn->pad_h),
        .columns = gm_riscv_transposed_axis(insn->in_w, insn->out_w, insn->kernel_w, insn->stride_w, insn->dilation_w,
                                            insn->pad_w),
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
    return gm_riscv_sum_windows(&sum);
}

#endif
