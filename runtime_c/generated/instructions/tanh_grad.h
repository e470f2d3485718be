/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_TANH_GRAD_H
#define GM_INSTRUCTIONS_TANH_GRAD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* dx = dy (1 - y^2) */
typedef struct gm_insn_tanh_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t y;
    uint32_t dx;
    uint32_t n;
} gm_insn_tanh_grad;
typedef char gm_assert_insn_tanh_grad[sizeof(gm_insn_tanh_grad) == 20 ? 1 : -1];

int gm_kernel_tanh_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_TANH_GRAD
#define GM_WITH_TANH_GRAD (!GM_ONLY_SELECTED)
#endif

#endif
