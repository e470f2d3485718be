/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_SOFTMAX_GRAD_H
#define GM_INSTRUCTIONS_SOFTMAX_GRAD_H

#include <stdint.h>
#include "gm_config.h"
#include "attention_grad.h"

struct gm_session;

/* dx = y (dy - sum over c of dy y) */
typedef struct gm_insn_softmax_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t y;
    uint32_t dx;
    uint32_t outer;
    uint32_t classes;
    uint32_t inner;
} gm_insn_softmax_grad;
typedef char gm_assert_insn_softmax_grad[sizeof(gm_insn_softmax_grad) == 28 ? 1 : -1];

int gm_kernel_softmax_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_SOFTMAX_GRAD
#define GM_WITH_SOFTMAX_GRAD ((!GM_ONLY_SELECTED) || GM_WITH_ATTENTION_GRAD)
#endif

#endif
