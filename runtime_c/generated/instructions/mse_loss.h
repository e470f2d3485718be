/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_MSE_LOSS_H
#define GM_INSTRUCTIONS_MSE_LOSS_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* loss = scale * sum of (x - target)^2, or one loss an element if loss_stride is 1 */
typedef struct gm_insn_mse_loss {
    uint32_t head;
    uint32_t x;
    uint32_t target;
    uint32_t loss;
    uint32_t n;
    uint32_t loss_stride;
    float scale;
} gm_insn_mse_loss;
typedef char gm_assert_insn_mse_loss[sizeof(gm_insn_mse_loss) == 28 ? 1 : -1];

int gm_kernel_mse_loss(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_MSE_LOSS
#define GM_WITH_MSE_LOSS (!GM_ONLY_SELECTED)
#endif

#endif
