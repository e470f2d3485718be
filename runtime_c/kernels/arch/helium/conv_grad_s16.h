/* CONV_GRAD_X_S16 and CONV_GRAD_W_S16 with Helium; the kernels for Cortex-M call them. */
#ifndef GM_HELIUM_CONV_GRAD_S16_H
#define GM_HELIUM_CONV_GRAD_S16_H

#include "../../../generated/instructions/conv_grad_w_s16.h"
#include "../../../generated/instructions/conv_grad_x_s16.h"
#include "../arm_m/blocks/finish_s16.h"

#if GM_ARCH_CONV_GRAD_X_S16 && GM_ARCH_HELIUM

/* For depthwise convolutions with small kernels and a multiple of four adjacent
 * channels; sums become gradients as in gradient_tiles.h. There is a panel. Otherwise
 * returns 0, and does nothing. */
int gm_helium_depthwise_grad_x_s16(const struct gm_session *session, const gm_insn_conv_grad_x_s16 *insn,
                                   gm_finish_s16 *finish);

#else
#define gm_helium_depthwise_grad_x_s16(session, insn, finish) 0
#endif

#if GM_ARCH_CONV_GRAD_W_S16 && GM_ARCH_HELIUM

/* For depthwise convolutions with a multiple of four adjacent channels. There is a panel.
 * Otherwise, or if the panel is too small, returns 0, and does nothing. */
int gm_helium_depthwise_grad_w_s16(const struct gm_session *session, const gm_insn_conv_grad_w_s16 *insn,
                                   const gm_weight_gradients *made);

#else
#define gm_helium_depthwise_grad_w_s16(session, insn, made) 0
#endif
#endif
