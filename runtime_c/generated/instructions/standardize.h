/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_STANDARDIZE_H
#define GM_INSTRUCTIONS_STANDARDIZE_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = (x - mean) inv_std over r0..r3, inv_std = 1 / sqrt(var + epsilon); mean is 0 unless centre */
typedef struct gm_insn_standardize {
    uint32_t head;
    uint32_t x;
    uint32_t inv_std;
    uint32_t mean;
    uint32_t var;
    uint32_t y;
    uint32_t k0;
    uint32_t k1;
    uint32_t k2;
    uint32_t k3;
    uint32_t ks0;
    uint32_t ks1;
    uint32_t ks2;
    uint32_t ks3;
    uint32_t r0;
    uint32_t r1;
    uint32_t r2;
    uint32_t r3;
    uint32_t rs0;
    uint32_t rs1;
    uint32_t rs2;
    uint32_t rs3;
    float epsilon;
    uint32_t centre;
} gm_insn_standardize;
typedef char gm_assert_insn_standardize[sizeof(gm_insn_standardize) == 96 ? 1 : -1];

int gm_kernel_standardize(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_STANDARDIZE
#define GM_WITH_STANDARDIZE (!GM_ONLY_SELECTED)
#endif

#endif
