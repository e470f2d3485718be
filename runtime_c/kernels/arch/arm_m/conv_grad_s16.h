/* CONV_GRAD_X_S16, CONV_GRAD_W_S16 and CONV_UPDATE_S16 on Cortex-M; the plain kernels call them. */
#ifndef GM_ARM_M_CONV_GRAD_S16_H
#define GM_ARM_M_CONV_GRAD_S16_H

#include "../../../generated/instructions/conv_grad_w_s16.h"
#include "../../../generated/instructions/conv_grad_x_s16.h"
#include "../../../generated/instructions/conv_update_s16.h"
#include "../../gradient_s16.h"
#include "../../optimizers/stored_update.h"
#include "../../window.h"
#include "../arch.h"

#if GM_WITH_CONV_GRAD_X_S16 && GM_ARCH_PAIRS
#define GM_ARCH_CONV_GRAD_X_S16 1
#else
#define GM_ARCH_CONV_GRAD_X_S16 0
#endif

#if GM_ARCH_CONV_GRAD_X_S16

/* Scans all values of dx, and writes them unless dx is NULL. Returns 0, and does nothing, if there
 * is no panel, or it is too small. */
int gm_arm_conv_grad_x_s16(const struct gm_session *session, const gm_insn_conv_grad_x_s16 *insn,
                           gm_gradient_s16 *made, int16_t *dx);

#endif

#if (GM_WITH_CONV_GRAD_W_S16 || GM_WITH_CONV_UPDATE_S16) && GM_ARCH_PAIRS
#define GM_ARCH_CONV_GRAD_W_S16 1
#else
#define GM_ARCH_CONV_GRAD_W_S16 0
#endif

#define GM_ARCH_CONV_UPDATE_S16 (GM_ARCH_CONV_GRAD_W_S16 && GM_WITH_CONV_UPDATE_S16)

#if GM_ARCH_CONV_GRAD_W_S16

/* The gradients of weights: y has room for all of them. If they update the weights, they are made a
 * few at a time; then y has room for one output channel. */
typedef struct gm_weight_gradients {
    float *y;
    const gm_stored_update *update; /* NULL: none */
    const float *units;             /* of the weights, by output channel */
} gm_weight_gradients;

/* Returns 0, and does nothing, if there is no panel, or it is too small. */
int gm_arm_conv_grad_w_s16(const struct gm_session *session, const gm_insn_conv_grad_w_s16 *insn,
                           const gm_weight_gradients *made);

/* The same with one input and one output channel in each group. There is a panel. */
int gm_arm_depthwise_grad_w_s16(const struct gm_session *session, const gm_insn_conv_grad_w_s16 *insn,
                                const gm_weight_gradients *made);

#if GM_ARCH_CONV_UPDATE_S16

/* The same for CONV_UPDATE_S16. */
int gm_arm_conv_update_s16(const struct gm_session *session, const gm_insn_conv_update_s16 *insn,
                           const gm_stored_update *update);

#endif
#endif
#endif
