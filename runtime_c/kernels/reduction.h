/* Reduction loops over x: dimensions k0..k3 are kept, and r0..r3 are reduced. */
#ifndef GM_REDUCTION_H
#define GM_REDUCTION_H

#include "../src/gm_internal.h"

/* Offset of row i of the dimensions (d0, d1, d2). One loop over rows instead of three nested ones,
 * because kernels contain these loops several times. */
static inline uint32_t gm_row_offset(uint32_t i, uint32_t d1, uint32_t d2, uint32_t s0, uint32_t s1, uint32_t s2)
{
    return i / d2 / d1 * s0 + i / d2 % d1 * s1 + i % d2 * s2;
}

/* Runs BODY for each offset `at` of x over r0..r3, r3 fastest. */
#define GM_FOR_REDUCED(insn, BODY)                                                                     \
    for (uint32_t i = 0; i < (insn)->r0 * (insn)->r1 * (insn)->r2; i++) {                              \
        uint32_t at = gm_row_offset(i, (insn)->r1, (insn)->r2, (insn)->rs0, (insn)->rs1, (insn)->rs2); \
        for (uint32_t i3 = 0; i3 < (insn)->r3; i3++, at += (insn)->rs3) {                              \
            BODY                                                                                       \
        }                                                                                              \
    }

/* Runs BODY for each offset `first` of x over k0..k3, k3 fastest. */
#define GM_FOR_KEPT(insn, BODY)                                                                           \
    for (uint32_t j = 0; j < (insn)->k0 * (insn)->k1 * (insn)->k2; j++) {                                 \
        uint32_t first = gm_row_offset(j, (insn)->k1, (insn)->k2, (insn)->ks0, (insn)->ks1, (insn)->ks2); \
        for (uint32_t j3 = 0; j3 < (insn)->k3; j3++, first += (insn)->ks3) {                              \
            BODY                                                                                          \
        }                                                                                                 \
    }

#endif
