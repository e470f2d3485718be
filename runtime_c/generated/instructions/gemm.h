/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_GEMM_H
#define GM_INSTRUCTIONS_GEMM_H

#include <stdint.h>
#include "gm_config.h"
#include "enum_activation.h"

struct gm_session;

/* y[b,m,n] = act(sum over k of a[b,m,k] b[b,k,n] + bias[n]); with accumulate, the sum starts from y */
typedef struct gm_insn_gemm {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t bias;
    uint32_t y;
    uint32_t batch;
    uint32_t m;
    uint32_t n;
    uint32_t k;
    uint32_t a_batch;
    uint32_t a_row;
    uint32_t a_col;
    uint32_t b_batch;
    uint32_t b_row;
    uint32_t b_col;
    uint32_t accumulate;
    uint32_t activation;
} gm_insn_gemm;
typedef char gm_assert_insn_gemm[sizeof(gm_insn_gemm) == 68 ? 1 : -1];

int gm_kernel_gemm(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_GEMM
#define GM_WITH_GEMM (!GM_ONLY_SELECTED)
#endif

#endif
