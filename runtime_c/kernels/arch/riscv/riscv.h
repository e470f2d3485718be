/* The RISC-V functions that plain kernels call first, and which leave to these what does not suit
 * them: <op>.c here is the form of ../../<op>.c. */
#ifndef GM_RISCV_H
#define GM_RISCV_H

#include "../../../generated/instructions/conv.h"
#include "../../../generated/instructions/conv_transpose.h"
#include "../../../generated/instructions/gemm_update.h"
#include "../../../src/gm_internal.h"
#include "../arch.h"

#if GM_ARCH_RISCV

/* Return 1 if they did the work. */
int gm_riscv_conv(const struct gm_session *session, const gm_insn_conv *insn);
int gm_riscv_conv_transpose(const struct gm_session *session, const gm_insn_conv_transpose *insn);

/* GEMM_UPDATE with several products per sum. row: room for n gradients. */
int gm_riscv_gemm_update(const gm_insn_gemm_update *insn, const float *a, const float *b, float *row,
                         const gm_rule_args *args);

#endif
#endif
