/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_ELU_GRAD_H
#define GM_INSTRUCTIONS_ELU_GRAD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* dx = y > 0 ? scale dy : rate (y + alpha) dy */
typedef struct gm_insn_elu_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t y;
    uint32_t dx;
    uint32_t n;
    float scale;
    float alpha;
    float rate;
} gm_insn_elu_grad;
typedef char gm_assert_insn_elu_grad[sizeof(gm_insn_elu_grad) == 32 ? 1 : -1];

int gm_kernel_elu_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_ELU_GRAD
#define GM_WITH_ELU_GRAD (!GM_ONLY_SELECTED)
#endif

#endif
