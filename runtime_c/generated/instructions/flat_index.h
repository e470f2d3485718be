/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_FLAT_INDEX_H
#define GM_INSTRUCTIONS_FLAT_INDEX_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y[o,i,n] = (first size + indices[o,i,n]) inner + n; first is o, with accumulate y[o,i,n]; indices as GATHER */
typedef struct gm_insn_flat_index {
    uint32_t head;
    uint32_t indices;
    uint32_t y;
    uint32_t outer;
    uint32_t size;
    uint32_t count;
    uint32_t inner;
    uint32_t i_outer;
    uint32_t i_count;
    uint32_t i_inner;
    uint32_t accumulate;
} gm_insn_flat_index;
typedef char gm_assert_insn_flat_index[sizeof(gm_insn_flat_index) == 44 ? 1 : -1];

int gm_kernel_flat_index(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_FLAT_INDEX
#define GM_WITH_FLAT_INDEX (!GM_ONLY_SELECTED)
#endif

#endif
