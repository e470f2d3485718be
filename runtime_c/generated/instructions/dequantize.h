/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_DEQUANTIZE_H
#define GM_INSTRUCTIONS_DEQUANTIZE_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = (x - zero) scale, both of its channel; zero is 0 if it is absent */
typedef struct gm_insn_dequantize {
    uint32_t head;
    uint32_t x;
    uint32_t scale;
    uint32_t zero;
    uint32_t y;
    uint32_t outer;
    uint32_t channels;
    uint32_t inner;
    uint32_t x_outer;
    uint32_t x_channel;
    uint32_t x_inner;
} gm_insn_dequantize;
typedef char gm_assert_insn_dequantize[sizeof(gm_insn_dequantize) == 44 ? 1 : -1];

int gm_kernel_dequantize(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_DEQUANTIZE
#define GM_WITH_DEQUANTIZE (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif

#endif
