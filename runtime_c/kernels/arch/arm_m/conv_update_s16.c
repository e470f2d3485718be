/* CONV_UPDATE_S16 on Cortex-M: CONV_GRAD_W_S16 whose gradients update the
 * weights a few at a time. */
#include "../../../generated/instructions/conv_grad_w_s16.h"
#include "../../../generated/instructions/conv_update_s16.h"
#include "conv_grad_s16.h"

#if GM_ARCH_CONV_UPDATE_S16

#define AS_UPDATED(name) .name = insn->name

int gm_arm_conv_update_s16(const struct gm_session *session, const gm_insn_conv_update_s16 *insn,
                           const gm_stored_update *update)
{
    const gm_insn_conv_grad_w_s16 gradient = {
        AS_UPDATED(x), AS_UPDATED(dy), AS_UPDATED(dy_exponent), AS_UPDATED(factor), AS_UPDATED(panel),
        AS_UPDATED(batch), AS_UPDATED(groups), AS_UPDATED(in_channels), AS_UPDATED(out_channels),
        AS_UPDATED(in_h), AS_UPDATED(in_w), AS_UPDATED(out_h), AS_UPDATED(out_w), AS_UPDATED(kernel_h),
        AS_UPDATED(kernel_w), AS_UPDATED(stride_h), AS_UPDATED(stride_w), AS_UPDATED(dilation_h),
        AS_UPDATED(dilation_w), AS_UPDATED(pad_h), AS_UPDATED(pad_w), AS_UPDATED(x_batch), AS_UPDATED(x_h),
        AS_UPDATED(x_w), AS_UPDATED(x_group), AS_UPDATED(x_channel), AS_UPDATED(y_batch), AS_UPDATED(y_h),
        AS_UPDATED(y_w), AS_UPDATED(y_group), AS_UPDATED(y_channel), AS_UPDATED(x_zero), AS_UPDATED(dy_limit),
        AS_UPDATED(panel_words),
    };
    const gm_weight_gradients made = {gm_f32_out(session, insn->row), update, gm_f32(session, insn->units)};
    return gm_arm_conv_grad_w_s16(session, &gradient, &made);
}

#endif
