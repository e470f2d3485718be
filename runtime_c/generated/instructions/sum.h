/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_SUM_H
#define GM_INSTRUCTIONS_SUM_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = scale * sum of x */
typedef struct gm_insn_sum {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
    float scale;
} gm_insn_sum;
typedef char gm_assert_insn_sum[sizeof(gm_insn_sum) == 20 ? 1 : -1];

int gm_kernel_sum(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_SUM
#define GM_WITH_SUM (!GM_ONLY_SELECTED)
#endif

#endif
