/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_REDUCE_MIN_H
#define GM_INSTRUCTIONS_REDUCE_MIN_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y[k0..k3] = smallest x over r0..r3; NaN if there is one */
typedef struct gm_insn_reduce_min {
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
} gm_insn_reduce_min;
typedef char gm_assert_insn_reduce_min[sizeof(gm_insn_reduce_min) == 76 ? 1 : -1];

int gm_kernel_reduce_min(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_REDUCE_MIN
#define GM_WITH_REDUCE_MIN (!GM_ONLY_SELECTED)
#endif

#endif
