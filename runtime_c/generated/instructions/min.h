/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_MIN_H
#define GM_INSTRUCTIONS_MIN_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = min(a, b), broadcast by strides of 0; NaN if either is NaN */
typedef struct gm_insn_min {
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
} gm_insn_min;
typedef char gm_assert_insn_min[sizeof(gm_insn_min) == 64 ? 1 : -1];

int gm_kernel_min(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_MIN
#define GM_WITH_MIN (!GM_ONLY_SELECTED)
#endif

#endif
