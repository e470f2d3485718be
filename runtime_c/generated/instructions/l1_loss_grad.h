/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_L1_LOSS_GRAD_H
#define GM_INSTRUCTIONS_L1_LOSS_GRAD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* dx = dloss * scale * sign(x - target), sign(0) = 0 */
typedef struct gm_insn_l1_loss_grad {
    uint32_t head;
    uint32_t dloss;
    uint32_t x;
    uint32_t target;
    uint32_t dx;
    uint32_t n;
    uint32_t loss_stride;
    float scale;
} gm_insn_l1_loss_grad;
typedef char gm_assert_insn_l1_loss_grad[sizeof(gm_insn_l1_loss_grad) == 32 ? 1 : -1];

int gm_kernel_l1_loss_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_L1_LOSS_GRAD
#define GM_WITH_L1_LOSS_GRAD (!GM_ONLY_SELECTED)
#endif

#endif
