/* How a reduction walks x: k0..k3 are the dimensions that stay, r0..r3 those that go. */
#ifndef GM_REDUCTION_H
#define GM_REDUCTION_H

#include "../src/gm_internal.h"

/* Runs BODY for each offset `at` of x over r0..r3, r3 fastest. */
#define GM_FOR_REDUCED(insn, BODY)                                                                                  \
    for (uint32_t i0 = 0; i0 < (insn)->r0; i0++) {                                                                  \
        for (uint32_t i1 = 0; i1 < (insn)->r1; i1++) {                                                              \
            for (uint32_t i2 = 0; i2 < (insn)->r2; i2++) {                                                          \
                uint32_t at = i0 * (insn)->rs0 + i1 * (insn)->rs1 + i2 * (insn)->rs2;                               \
                for (uint32_t i3 = 0; i3 < (insn)->r3; i3++, at += (insn)->rs3) {                                   \
                    BODY                                                                                            \
                }                                                                                                   \
            }                                                                                                       \
        }                                                                                                           \
    }

/* Runs BODY for each offset `first` of x over k0..k3, k3 fastest. */
#define GM_FOR_KEPT(insn, BODY)                                                                                     \
    for (uint32_t j0 = 0; j0 < (insn)->k0; j0++) {                                                                  \
        for (uint32_t j1 = 0; j1 < (insn)->k1; j1++) {                                                              \
            for (uint32_t j2 = 0; j2 < (insn)->k2; j2++) {                                                          \
                uint32_t first = j0 * (insn)->ks0 + j1 * (insn)->ks1 + j2 * (insn)->ks2;                            \
                for (uint32_t j3 = 0; j3 < (insn)->k3; j3++, first += (insn)->ks3) {                                \
                    BODY                                                                                            \
                }                                                                                                   \
            }                                                                                                       \
        }                                                                                                           \
    }

#endif
