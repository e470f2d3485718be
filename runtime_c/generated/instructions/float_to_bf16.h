/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_FLOAT_TO_BF16_H
#define GM_INSTRUCTIONS_FLOAT_TO_BF16_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = the bits of the bfloat16 nearest to x, ties to even */
typedef struct gm_insn_float_to_bf16 {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_float_to_bf16;
typedef char gm_assert_insn_float_to_bf16[sizeof(gm_insn_float_to_bf16) == 16 ? 1 : -1];

int gm_kernel_float_to_bf16(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_FLOAT_TO_BF16
#define GM_WITH_FLOAT_TO_BF16 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif

#endif
