/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_MAX_H
#define GM_INSTRUCTIONS_MAX_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = max(a, b), broadcast by strides of 0; NaN if either is NaN */
typedef struct gm_insn_max {
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
} gm_insn_max;
typedef char gm_assert_insn_max[sizeof(gm_insn_max) == 64 ? 1 : -1];

int gm_kernel_max(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_MAX
#define GM_WITH_MAX (!GM_ONLY_SELECTED)
#endif

#endif
