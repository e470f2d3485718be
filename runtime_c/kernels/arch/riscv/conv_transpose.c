/* CONV_TRANSPOSE on RISC-V: like conv.c, from CONV's outputs to its inputs. */
#include "../../../generated/instructions/conv_transpose.h"
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
        GM_TRANSPOSED_OPERANDS(session, insn),
    };
    return gm_riscv_sum_windows(&sum);
}

#endif
