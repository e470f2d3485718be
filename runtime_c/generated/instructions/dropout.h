/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_DROPOUT_H
#define GM_INSTRUCTIONS_DROPOUT_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y[i] = random(seed, step, stream, i) < threshold ? 0 : scale x[i]; forward and backward alike */
typedef struct gm_insn_dropout {
    uint32_t head;
    uint32_t x;
    uint32_t counter;
    uint32_t y;
    uint32_t n;
    uint32_t stream;
    uint32_t threshold;
    float scale;
} gm_insn_dropout;
typedef char gm_assert_insn_dropout[sizeof(gm_insn_dropout) == 32 ? 1 : -1];

int gm_kernel_dropout(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_DROPOUT
#define GM_WITH_DROPOUT (!GM_ONLY_SELECTED)
#endif

#endif
