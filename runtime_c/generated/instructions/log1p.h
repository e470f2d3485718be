/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_LOG1P_H
#define GM_INSTRUCTIONS_LOG1P_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = log(1 + x), x >= 0 */
typedef struct gm_insn_log1p {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_log1p;
typedef char gm_assert_insn_log1p[sizeof(gm_insn_log1p) == 16 ? 1 : -1];

int gm_kernel_log1p(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_LOG1P
#define GM_WITH_LOG1P (!GM_ONLY_SELECTED)
#endif

#endif
