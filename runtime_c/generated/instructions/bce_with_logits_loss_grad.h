/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_BCE_WITH_LOGITS_LOSS_GRAD_H
#define GM_INSTRUCTIONS_BCE_WITH_LOGITS_LOSS_GRAD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* dx = dloss * scale * ((1 - t) - (1 + (pos_weight[j] - 1) t) sigmoid(-x)) */
typedef struct gm_insn_bce_with_logits_loss_grad {
    uint32_t head;
    uint32_t dloss;
    uint32_t x;
    uint32_t target;
    uint32_t pos_weight;
    uint32_t dx;
    uint32_t outer;
    uint32_t inner;
    uint32_t pos_stride;
    uint32_t loss_outer;
    uint32_t loss_inner;
    float scale;
} gm_insn_bce_with_logits_loss_grad;
typedef char gm_assert_insn_bce_with_logits_loss_grad[sizeof(gm_insn_bce_with_logits_loss_grad) == 48 ? 1 : -1];

int gm_kernel_bce_with_logits_loss_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_BCE_WITH_LOGITS_LOSS_GRAD
#define GM_WITH_BCE_WITH_LOGITS_LOSS_GRAD (!GM_ONLY_SELECTED)
#endif

#endif
