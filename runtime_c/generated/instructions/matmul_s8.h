/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_MATMUL_S8_H
#define GM_INSTRUCTIONS_MATMUL_S8_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y[i,j,m,n] = round(multiplier sum over k of (a[i,j,m,k] - a_zero) (b[i,j,k,n] - b_zero)) + y_zero, clamped to low .. high */
typedef struct gm_insn_matmul_s8 {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t y;
    uint32_t panel;
    uint32_t d0;
    uint32_t d1;
    uint32_t m;
    uint32_t n;
    uint32_t k;
    uint32_t a0;
    uint32_t a1;
    uint32_t a_row;
    uint32_t a_col;
    uint32_t b0;
    uint32_t b1;
    uint32_t b_row;
    uint32_t b_col;
    uint32_t y0;
    uint32_t y1;
    uint32_t y_row;
    float multiplier;
    int32_t a_zero;
    int32_t b_zero;
    int32_t y_zero;
    int32_t low;
    int32_t high;
    uint32_t panel_words;
} gm_insn_matmul_s8;
typedef char gm_assert_insn_matmul_s8[sizeof(gm_insn_matmul_s8) == 112 ? 1 : -1];

int gm_kernel_matmul_s8(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_MATMUL_S8
#define GM_WITH_MATMUL_S8 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif

#endif
