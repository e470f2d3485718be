/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_SIGMOID_H
#define GM_INSTRUCTIONS_SIGMOID_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = 1 / (1 + exp(-x)) */
typedef struct gm_insn_sigmoid {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_sigmoid;
typedef char gm_assert_insn_sigmoid[sizeof(gm_insn_sigmoid) == 16 ? 1 : -1];

int gm_kernel_sigmoid(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_SIGMOID
#define GM_WITH_SIGMOID (!GM_ONLY_SELECTED)
#endif

#endif
