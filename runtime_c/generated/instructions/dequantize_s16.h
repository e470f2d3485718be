/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_DEQUANTIZE_S16_H
#define GM_INSTRUCTIONS_DEQUANTIZE_S16_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = 2^x_exponent x */
typedef struct gm_insn_dequantize_s16 {
    uint32_t head;
    uint32_t x;
    uint32_t x_exponent;
    uint32_t y;
    uint32_t n;
} gm_insn_dequantize_s16;
typedef char gm_assert_insn_dequantize_s16[sizeof(gm_insn_dequantize_s16) == 20 ? 1 : -1];

int gm_kernel_dequantize_s16(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_DEQUANTIZE_S16
#define GM_WITH_DEQUANTIZE_S16 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif

#endif
