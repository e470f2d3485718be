/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_HARD_SWISH_GRAD_H
#define GM_INSTRUCTIONS_HARD_SWISH_GRAD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* dx = x <= -3 ? 0 : x < 3 ? (x / 3 + 1/2) dy : dy */
typedef struct gm_insn_hard_swish_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t x;
    uint32_t dx;
    uint32_t n;
} gm_insn_hard_swish_grad;
typedef char gm_assert_insn_hard_swish_grad[sizeof(gm_insn_hard_swish_grad) == 20 ? 1 : -1];

int gm_kernel_hard_swish_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_HARD_SWISH_GRAD
#define GM_WITH_HARD_SWISH_GRAD (!GM_ONLY_SELECTED)
#endif

#endif
