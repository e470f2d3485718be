/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_SQRT_H
#define GM_INSTRUCTIONS_SQRT_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = sqrt(x) */
typedef struct gm_insn_sqrt {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_sqrt;
typedef char gm_assert_insn_sqrt[sizeof(gm_insn_sqrt) == 16 ? 1 : -1];

int gm_kernel_sqrt(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_SQRT
#define GM_WITH_SQRT (!GM_ONLY_SELECTED)
#endif

#endif
