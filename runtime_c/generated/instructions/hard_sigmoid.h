/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_HARD_SIGMOID_H
#define GM_INSTRUCTIONS_HARD_SIGMOID_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = min(max(alpha x + beta, 0), 1) */
typedef struct gm_insn_hard_sigmoid {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
    float alpha;
    float beta;
} gm_insn_hard_sigmoid;
typedef char gm_assert_insn_hard_sigmoid[sizeof(gm_insn_hard_sigmoid) == 24 ? 1 : -1];

int gm_kernel_hard_sigmoid(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_HARD_SIGMOID
#define GM_WITH_HARD_SIGMOID (!GM_ONLY_SELECTED)
#endif

#endif
