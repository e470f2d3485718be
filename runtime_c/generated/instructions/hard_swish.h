/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_HARD_SWISH_H
#define GM_INSTRUCTIONS_HARD_SWISH_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = x min(max(x / 6 + 1/2, 0), 1) */
typedef struct gm_insn_hard_swish {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_hard_swish;
typedef char gm_assert_insn_hard_swish[sizeof(gm_insn_hard_swish) == 16 ? 1 : -1];

int gm_kernel_hard_swish(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_HARD_SWISH
#define GM_WITH_HARD_SWISH (!GM_ONLY_SELECTED)
#endif

#endif
