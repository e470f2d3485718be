/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_TANH_H
#define GM_INSTRUCTIONS_TANH_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = tanh(x) */
typedef struct gm_insn_tanh {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_tanh;
typedef char gm_assert_insn_tanh[sizeof(gm_insn_tanh) == 16 ? 1 : -1];

int gm_kernel_tanh(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_TANH
#define GM_WITH_TANH (!GM_ONLY_SELECTED)
#endif

#endif
