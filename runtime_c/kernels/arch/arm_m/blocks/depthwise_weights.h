/* Turns the sums of depthwise CONV_GRAD_W_S16 into weight gradients, or updates the
 * weights with them. */
#ifndef GM_ARM_M_DEPTHWISE_WEIGHTS_H
#define GM_ARM_M_DEPTHWISE_WEIGHTS_H

#include "../../../../generated/instructions/conv_grad_w_s16.h"
#include "../conv_grad_s16.h"

#if GM_ARCH_CONV_GRAD_W_S16

/* Up to four channels from index `first` on. sums: by tap, then by four channels. */
void gm_store_depthwise_weights(const struct gm_session *session, const gm_insn_conv_grad_w_s16 *insn,
                                const gm_weight_gradients *made, const int64_t *sums, uint32_t first, uint32_t channels);

#endif
#endif
