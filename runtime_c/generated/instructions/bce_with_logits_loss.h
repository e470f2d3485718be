/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_BCE_WITH_LOGITS_LOSS_H
#define GM_INSTRUCTIONS_BCE_WITH_LOGITS_LOSS_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* loss = scale * sum of (1 - t) x + (1 + (pos_weight[j] - 1) t) (log(1 + exp(-|x|)) + max(-x, 0)) */
typedef struct gm_insn_bce_with_logits_loss {
    uint32_t head;
    uint32_t x;
    uint32_t target;
    uint32_t pos_weight;
    uint32_t loss;
    uint32_t outer;
    uint32_t inner;
    uint32_t pos_stride;
    uint32_t loss_outer;
    uint32_t loss_inner;
    float scale;
} gm_insn_bce_with_logits_loss;
typedef char gm_assert_insn_bce_with_logits_loss[sizeof(gm_insn_bce_with_logits_loss) == 44 ? 1 : -1];

int gm_kernel_bce_with_logits_loss(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_BCE_WITH_LOGITS_LOSS
#define GM_WITH_BCE_WITH_LOGITS_LOSS (!GM_ONLY_SELECTED)
#endif

#endif
