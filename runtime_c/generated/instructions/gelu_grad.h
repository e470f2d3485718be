/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_GELU_GRAD_H
#define GM_INSTRUCTIONS_GELU_GRAD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* dx = dy ((1 + erf(x / sqrt(2))) / 2 + x exp(-x^2 / 2) / sqrt(2 pi)) */
typedef struct gm_insn_gelu_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t x;
    uint32_t dx;
    uint32_t n;
} gm_insn_gelu_grad;
typedef char gm_assert_insn_gelu_grad[sizeof(gm_insn_gelu_grad) == 20 ? 1 : -1];

int gm_kernel_gelu_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_GELU_GRAD
#define GM_WITH_GELU_GRAD (!GM_ONLY_SELECTED)
#endif

#endif
