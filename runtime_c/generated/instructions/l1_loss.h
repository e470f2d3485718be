/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_L1_LOSS_H
#define GM_INSTRUCTIONS_L1_LOSS_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* loss = scale * sum of |x - target| */
typedef struct gm_insn_l1_loss {
    uint32_t head;
    uint32_t x;
    uint32_t target;
    uint32_t loss;
    uint32_t n;
    uint32_t loss_stride;
    float scale;
} gm_insn_l1_loss;
typedef char gm_assert_insn_l1_loss[sizeof(gm_insn_l1_loss) == 28 ? 1 : -1];

int gm_kernel_l1_loss(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_L1_LOSS
#define GM_WITH_L1_LOSS (!GM_ONLY_SELECTED)
#endif

#endif
