/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_MASK_GRAD_H
#define GM_INSTRUCTIONS_MASK_GRAD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* dx = bit i of mask ? dy : 0 */
typedef struct gm_insn_mask_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t mask;
    uint32_t dx;
    uint32_t n;
} gm_insn_mask_grad;
typedef char gm_assert_insn_mask_grad[sizeof(gm_insn_mask_grad) == 20 ? 1 : -1];

int gm_kernel_mask_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_MASK_GRAD
#define GM_WITH_MASK_GRAD (!GM_ONLY_SELECTED)
#endif

#endif
