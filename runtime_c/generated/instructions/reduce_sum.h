/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_REDUCE_SUM_H
#define GM_INSTRUCTIONS_REDUCE_SUM_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y[k0..k3] = scale * sum over r0..r3 (row-major ascending) of x; with accumulate, added to y after scaling */
typedef struct gm_insn_reduce_sum {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t k0;
    uint32_t k1;
    uint32_t k2;
    uint32_t k3;
    uint32_t ks0;
    uint32_t ks1;
    uint32_t ks2;
    uint32_t ks3;
    uint32_t r0;
    uint32_t r1;
    uint32_t r2;
    uint32_t r3;
    uint32_t rs0;
    uint32_t rs1;
    uint32_t rs2;
    uint32_t rs3;
    float scale;
    uint32_t accumulate;
} gm_insn_reduce_sum;
typedef char gm_assert_insn_reduce_sum[sizeof(gm_insn_reduce_sum) == 84 ? 1 : -1];

int gm_kernel_reduce_sum(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_REDUCE_SUM
#define GM_WITH_REDUCE_SUM (!GM_ONLY_SELECTED)
#endif

#endif
