/* CONV_S8 on Cortex-M; the plain kernel calls it. */
#ifndef GM_ARM_M_CONV_S8_H
#define GM_ARM_M_CONV_S8_H

#include "../../../generated/instructions/conv_s8.h"
#include "../../quantized.h"
#include "../../window.h"
#include "../arch.h"

#if GM_WITH_CONV_S8 && GM_ARCH_PAIRS

/* Returns 0, and does nothing, if there is no panel, or it is too small. */
int gm_arm_conv_s8(const struct gm_session *session, const gm_insn_conv_s8 *insn);

/* The same with one input and one output channel in each group, if inputs of groups are adjacent.
 * There is a panel, and multipliers and offsets are finite. */
int gm_arm_depthwise_s8(const struct gm_session *session, const gm_insn_conv_s8 *insn);

#endif
#endif
