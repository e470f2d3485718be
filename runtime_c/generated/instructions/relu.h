/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_RELU_H
#define GM_INSTRUCTIONS_RELU_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = x < 0 ? 0 : x, so that NaN stays NaN */
typedef struct gm_insn_relu {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_relu;
typedef char gm_assert_insn_relu[sizeof(gm_insn_relu) == 16 ? 1 : -1];

int gm_kernel_relu(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_RELU
#define GM_WITH_RELU (!GM_ONLY_SELECTED)
#endif

#endif
