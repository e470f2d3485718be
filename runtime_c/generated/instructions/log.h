/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_LOG_H
#define GM_INSTRUCTIONS_LOG_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = log(x) */
typedef struct gm_insn_log {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_log;
typedef char gm_assert_insn_log[sizeof(gm_insn_log) == 16 ? 1 : -1];

int gm_kernel_log(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_LOG
#define GM_WITH_LOG (!GM_ONLY_SELECTED)
#endif

#endif
