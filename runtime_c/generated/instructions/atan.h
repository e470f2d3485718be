/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_ATAN_H
#define GM_INSTRUCTIONS_ATAN_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = arctan(x) */
typedef struct gm_insn_atan {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_atan;
typedef char gm_assert_insn_atan[sizeof(gm_insn_atan) == 16 ? 1 : -1];

int gm_kernel_atan(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_ATAN
#define GM_WITH_ATAN (!GM_ONLY_SELECTED)
#endif

#endif
