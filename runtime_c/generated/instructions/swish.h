/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_SWISH_H
#define GM_INSTRUCTIONS_SWISH_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = x sigmoid(alpha x) */
typedef struct gm_insn_swish {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
    float alpha;
} gm_insn_swish;
typedef char gm_assert_insn_swish[sizeof(gm_insn_swish) == 20 ? 1 : -1];

int gm_kernel_swish(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_SWISH
#define GM_WITH_SWISH (!GM_ONLY_SELECTED)
#endif

#endif
