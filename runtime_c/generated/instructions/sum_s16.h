/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_SUM_S16_H
#define GM_INSTRUCTIONS_SUM_S16_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y[c] = 2^x_exponent sum of x over outer and inner, divided by divisor[c]; with accumulate, added to y */
typedef struct gm_insn_sum_s16 {
    uint32_t head;
    uint32_t x;
    uint32_t x_exponent;
    uint32_t divisor;
    uint32_t y;
    uint32_t outer;
    uint32_t channels;
    uint32_t inner;
    uint32_t x_outer;
    uint32_t x_channel;
    uint32_t x_inner;
    uint32_t accumulate;
} gm_insn_sum_s16;
typedef char gm_assert_insn_sum_s16[sizeof(gm_insn_sum_s16) == 48 ? 1 : -1];

int gm_kernel_sum_s16(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_SUM_S16
#define GM_WITH_SUM_S16 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif

#endif
