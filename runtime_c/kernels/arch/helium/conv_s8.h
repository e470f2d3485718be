/* CONV_S8 with Helium; the kernel for Cortex-M calls it. */
#ifndef GM_HELIUM_CONV_S8_H
#define GM_HELIUM_CONV_S8_H

#include "../../../generated/instructions/conv_s8.h"
#include "../arm_m/conv_s8.h"

#if GM_WITH_CONV_S8 && GM_ARCH_PAIRS && GM_ARCH_HELIUM

/* There is a panel, and multipliers and offsets are finite. Returns 0, and does nothing, if the
 * panel is too small, or weights have a zero point. */
int gm_helium_conv_s8(const struct gm_session *session, const gm_insn_conv_s8 *insn);

/* The same with one input and one output channel in each group, if inputs of groups are adjacent,
 * and kernels are small. */
int gm_helium_depthwise_s8(const struct gm_session *session, const gm_insn_conv_s8 *insn);

#else
#define gm_helium_depthwise_s8(session, insn) 0
#define gm_helium_conv_s8(session, insn) 0
#endif
#endif
