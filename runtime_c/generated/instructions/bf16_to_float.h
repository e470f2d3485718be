/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_BF16_TO_FLOAT_H
#define GM_INSTRUCTIONS_BF16_TO_FLOAT_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = the float32 whose upper 16 bits are x; the others are 0 */
typedef struct gm_insn_bf16_to_float {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_bf16_to_float;
typedef char gm_assert_insn_bf16_to_float[sizeof(gm_insn_bf16_to_float) == 16 ? 1 : -1];

int gm_kernel_bf16_to_float(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_BF16_TO_FLOAT
#define GM_WITH_BF16_TO_FLOAT (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif

#endif
