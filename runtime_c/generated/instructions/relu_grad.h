/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_RELU_GRAD_H
#define GM_INSTRUCTIONS_RELU_GRAD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* dx = y > 0 ? dy : 0 */
typedef struct gm_insn_relu_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t y;
    uint32_t dx;
    uint32_t n;
} gm_insn_relu_grad;
typedef char gm_assert_insn_relu_grad[sizeof(gm_insn_relu_grad) == 20 ? 1 : -1];

int gm_kernel_relu_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_RELU_GRAD
#define GM_WITH_RELU_GRAD (!GM_ONLY_SELECTED)
#endif

#endif
