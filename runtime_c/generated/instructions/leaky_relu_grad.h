/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_LEAKY_RELU_GRAD_H
#define GM_INSTRUCTIONS_LEAKY_RELU_GRAD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* dx = x > 0 ? dy : alpha dy */
typedef struct gm_insn_leaky_relu_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t x;
    uint32_t dx;
    uint32_t n;
    float alpha;
} gm_insn_leaky_relu_grad;
typedef char gm_assert_insn_leaky_relu_grad[sizeof(gm_insn_leaky_relu_grad) == 24 ? 1 : -1];

int gm_kernel_leaky_relu_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_LEAKY_RELU_GRAD
#define GM_WITH_LEAKY_RELU_GRAD (!GM_ONLY_SELECTED)
#endif

#endif
