/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_SOFTPLUS_H
#define GM_INSTRUCTIONS_SOFTPLUS_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = log(1 + exp(-|x|)) + max(x, 0) */
typedef struct gm_insn_softplus {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_softplus;
typedef char gm_assert_insn_softplus[sizeof(gm_insn_softplus) == 16 ? 1 : -1];

int gm_kernel_softplus(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_SOFTPLUS
#define GM_WITH_SOFTPLUS (!GM_ONLY_SELECTED)
#endif

#endif
