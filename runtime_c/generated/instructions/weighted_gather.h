/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_WEIGHTED_GATHER_H
#define GM_INSTRUCTIONS_WEIGHTED_GATHER_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y[o,i,n] = sum over ascending t of weights[i,t] x[o, indices[i,t], n]; indices as GATHER */
typedef struct gm_insn_weighted_gather {
    uint32_t head;
    uint32_t x;
    uint32_t indices;
    uint32_t weights;
    uint32_t y;
    uint32_t outer;
    uint32_t size;
    uint32_t count;
    uint32_t taps;
    uint32_t inner;
} gm_insn_weighted_gather;
typedef char gm_assert_insn_weighted_gather[sizeof(gm_insn_weighted_gather) == 40 ? 1 : -1];

int gm_kernel_weighted_gather(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_WEIGHTED_GATHER
#define GM_WITH_WEIGHTED_GATHER (!GM_ONLY_SELECTED)
#endif

#endif
