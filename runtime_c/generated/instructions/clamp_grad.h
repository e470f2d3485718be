/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_CLAMP_GRAD_H
#define GM_INSTRUCTIONS_CLAMP_GRAD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* dx = low <= x <= high ? dy : 0 */
typedef struct gm_insn_clamp_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t x;
    uint32_t dx;
    uint32_t n;
    float low;
    float high;
} gm_insn_clamp_grad;
typedef char gm_assert_insn_clamp_grad[sizeof(gm_insn_clamp_grad) == 28 ? 1 : -1];

int gm_kernel_clamp_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_CLAMP_GRAD
#define GM_WITH_CLAMP_GRAD (!GM_ONLY_SELECTED)
#endif

#endif
