/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_SUM_GRAD_H
#define GM_INSTRUCTIONS_SUM_GRAD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* dx = scale * dy for each element */
typedef struct gm_insn_sum_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t dx;
    uint32_t n;
    float scale;
} gm_insn_sum_grad;
typedef char gm_assert_insn_sum_grad[sizeof(gm_insn_sum_grad) == 20 ? 1 : -1];

int gm_kernel_sum_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_SUM_GRAD
#define GM_WITH_SUM_GRAD (!GM_ONLY_SELECTED)
#endif

#endif
