/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_GELU_TANH_H
#define GM_INSTRUCTIONS_GELU_TANH_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = x s, s = sigmoid(u), u = sqrt(8 / pi) (x + 0.044715 x^3) */
typedef struct gm_insn_gelu_tanh {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_gelu_tanh;
typedef char gm_assert_insn_gelu_tanh[sizeof(gm_insn_gelu_tanh) == 16 ? 1 : -1];

int gm_kernel_gelu_tanh(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_GELU_TANH
#define GM_WITH_GELU_TANH (!GM_ONLY_SELECTED)
#endif

#endif
