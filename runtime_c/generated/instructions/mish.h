/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_MISH_H
#define GM_INSTRUCTIONS_MISH_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = x t, t = tanh(log(1 + exp(x))) */
typedef struct gm_insn_mish {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_mish;
typedef char gm_assert_insn_mish[sizeof(gm_insn_mish) == 16 ? 1 : -1];

int gm_kernel_mish(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_MISH
#define GM_WITH_MISH (!GM_ONLY_SELECTED)
#endif

#endif
