/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_HARD_SIGMOID_GRAD_H
#define GM_INSTRUCTIONS_HARD_SIGMOID_GRAD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* dx = 0 < y < 1 ? alpha dy : 0 */
typedef struct gm_insn_hard_sigmoid_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t y;
    uint32_t dx;
    uint32_t n;
    float alpha;
} gm_insn_hard_sigmoid_grad;
typedef char gm_assert_insn_hard_sigmoid_grad[sizeof(gm_insn_hard_sigmoid_grad) == 24 ? 1 : -1];

int gm_kernel_hard_sigmoid_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_HARD_SIGMOID_GRAD
#define GM_WITH_HARD_SIGMOID_GRAD (!GM_ONLY_SELECTED)
#endif

#endif
