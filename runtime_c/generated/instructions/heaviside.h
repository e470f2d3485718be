/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_HEAVISIDE_H
#define GM_INSTRUCTIONS_HEAVISIDE_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = a > b ? 1 : a < b ? 0 : 1/2, broadcast by strides of 0: the slope of max(a, b) along a */
typedef struct gm_insn_heaviside {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t a0;
    uint32_t a1;
    uint32_t a2;
    uint32_t a3;
    uint32_t b0;
    uint32_t b1;
    uint32_t b2;
    uint32_t b3;
} gm_insn_heaviside;
typedef char gm_assert_insn_heaviside[sizeof(gm_insn_heaviside) == 64 ? 1 : -1];

int gm_kernel_heaviside(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_HEAVISIDE
#define GM_WITH_HEAVISIDE (!GM_ONLY_SELECTED)
#endif

#endif
