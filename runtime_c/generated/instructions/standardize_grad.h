/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_STANDARDIZE_GRAD_H
#define GM_INSTRUCTIONS_STANDARDIZE_GRAD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* dx = inv_std (dy - mean(dy) - y mean(dy y)), means over r0..r3; without mean(dy) unless centre */
typedef struct gm_insn_standardize_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t y;
    uint32_t inv_std;
    uint32_t dx;
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
    uint32_t centre;
} gm_insn_standardize_grad;
typedef char gm_assert_insn_standardize_grad[sizeof(gm_insn_standardize_grad) == 88 ? 1 : -1];

int gm_kernel_standardize_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_STANDARDIZE_GRAD
#define GM_WITH_STANDARDIZE_GRAD (!GM_ONLY_SELECTED)
#endif

#endif
