/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_GEMM_UPDATE_H
#define GM_INSTRUCTIONS_GEMM_UPDATE_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* row by row: row[n] = sum over k of a[m,k] b[k,n]; then rule updates p[m,n] with it */
typedef struct gm_insn_gemm_update {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t row;
    uint32_t p;
    uint32_t slot1;
    uint32_t slot2;
    uint32_t aux;
    uint32_t lr;
    uint32_t rule;
    uint32_t m;
    uint32_t n;
    uint32_t k;
    uint32_t a_row;
    uint32_t a_col;
    uint32_t b_row;
    uint32_t b_col;
} gm_insn_gemm_update;
typedef char gm_assert_insn_gemm_update[sizeof(gm_insn_gemm_update) == 68 ? 1 : -1];

int gm_kernel_gemm_update(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_GEMM_UPDATE
#define GM_WITH_GEMM_UPDATE (!GM_ONLY_SELECTED)
#endif

#endif
