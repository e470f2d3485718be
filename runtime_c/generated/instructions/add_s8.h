/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_ADD_S8_H
#define GM_INSTRUCTIONS_ADD_S8_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = round(((a - a_zero) a_scale + (b - b_zero) b_scale) / y_scale) + y_zero, clamped to low .. high; broadcast by strides of 0 */
typedef struct gm_insn_add_s8 {
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
    float a_scale;
    int32_t a_zero;
    float b_scale;
    int32_t b_zero;
    float y_scale;
    int32_t y_zero;
    int32_t low;
    int32_t high;
} gm_insn_add_s8;
typedef char gm_assert_insn_add_s8[sizeof(gm_insn_add_s8) == 96 ? 1 : -1];

int gm_kernel_add_s8(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_ADD_S8
#define GM_WITH_ADD_S8 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif

#endif
