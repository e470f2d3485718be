/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_MISH_GRAD_H
#define GM_INSTRUCTIONS_MISH_GRAD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* dx = dy (t + x sigmoid(x) (1 - t^2)), t as in MISH */
typedef struct gm_insn_mish_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t x;
    uint32_t dx;
    uint32_t n;
} gm_insn_mish_grad;
typedef char gm_assert_insn_mish_grad[sizeof(gm_insn_mish_grad) == 20 ? 1 : -1];

int gm_kernel_mish_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_MISH_GRAD
#define GM_WITH_MISH_GRAD (!GM_ONLY_SELECTED)
#endif

#endif
