/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_MATMUL_H
#define GM_INSTRUCTIONS_MATMUL_H

#include <stdint.h>
#include "gm_config.h"
#include "attention.h"
#include "attention_grad.h"

struct gm_session;

/* y[i,j,m,n] = sum over k of a[i,j,m,k] b[i,j,k,n]: products over two batch dimensions, such as samples and heads */
typedef struct gm_insn_matmul {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t y;
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
} gm_insn_matmul;
typedef char gm_assert_insn_matmul[sizeof(gm_insn_matmul) == 80 ? 1 : -1];

int gm_kernel_matmul(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_MATMUL
#define GM_WITH_MATMUL ((!GM_ONLY_SELECTED) || GM_WITH_ATTENTION || GM_WITH_ATTENTION_GRAD)
#endif

#endif
