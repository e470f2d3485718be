/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_SIN_H
#define GM_INSTRUCTIONS_SIN_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = sin(x) */
typedef struct gm_insn_sin {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_sin;
typedef char gm_assert_insn_sin[sizeof(gm_insn_sin) == 16 ? 1 : -1];

int gm_kernel_sin(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_SIN
#define GM_WITH_SIN (!GM_ONLY_SELECTED)
#endif

#endif
