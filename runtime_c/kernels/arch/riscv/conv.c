/* CONV on RISC-V: y[b,i,j,m] = act(bias[m] + sum over taps and c of x[under the tap,c] w[m,c,tap]) */
#include "../../../generated/instructions/conv.h"
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
        GM_CONV_OPERANDS(session, insn),
    };
    return gm_riscv_sum_windows(&sum);
}

#endif
