/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_COS_H
#define GM_INSTRUCTIONS_COS_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = cos(x) */
typedef struct gm_insn_cos {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_cos;
typedef char gm_assert_insn_cos[sizeof(gm_insn_cos) == 16 ? 1 : -1];

int gm_kernel_cos(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_COS
#define GM_WITH_COS (!GM_ONLY_SELECTED)
#endif

#endif
