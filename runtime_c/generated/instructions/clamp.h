/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_CLAMP_H
#define GM_INSTRUCTIONS_CLAMP_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = min(max(x, low), high) */
typedef struct gm_insn_clamp {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
    float low;
    float high;
} gm_insn_clamp;
typedef char gm_assert_insn_clamp[sizeof(gm_insn_clamp) == 24 ? 1 : -1];

int gm_kernel_clamp(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_CLAMP
#define GM_WITH_CLAMP (!GM_ONLY_SELECTED)
#endif

#endif
