/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_QUANTIZE_H
#define GM_INSTRUCTIONS_QUANTIZE_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = round(x / scale) + zero, clamped to low .. high; NaN gives low */
typedef struct gm_insn_quantize {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
    float scale;
    int32_t zero;
    int32_t low;
    int32_t high;
} gm_insn_quantize;
typedef char gm_assert_insn_quantize[sizeof(gm_insn_quantize) == 32 ? 1 : -1];

int gm_kernel_quantize(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_QUANTIZE
#define GM_WITH_QUANTIZE (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif

#endif
