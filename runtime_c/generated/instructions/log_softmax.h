/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_LOG_SOFTMAX_H
#define GM_INSTRUCTIONS_LOG_SOFTMAX_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = (x - max) - log(sum over c of exp(x - max)) */
typedef struct gm_insn_log_softmax {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t outer;
    uint32_t classes;
    uint32_t inner;
} gm_insn_log_softmax;
typedef char gm_assert_insn_log_softmax[sizeof(gm_insn_log_softmax) == 24 ? 1 : -1];

int gm_kernel_log_softmax(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_LOG_SOFTMAX
#define GM_WITH_LOG_SOFTMAX (!GM_ONLY_SELECTED)
#endif

#endif
