/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_ABS_H
#define GM_INSTRUCTIONS_ABS_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = |x| */
typedef struct gm_insn_abs {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_abs;
typedef char gm_assert_insn_abs[sizeof(gm_insn_abs) == 16 ? 1 : -1];

int gm_kernel_abs(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_ABS
#define GM_WITH_ABS (!GM_ONLY_SELECTED)
#endif

#endif
