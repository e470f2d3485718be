/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_GATHER_H
#define GM_INSTRUCTIONS_GATHER_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y[o,i,n] = x[o, indices[i], n]; below 0 an index counts from the end, out of range it stops with INDEX_OUT_OF_RANGE */
typedef struct gm_insn_gather {
    uint32_t head;
    uint32_t x;
    uint32_t indices;
    uint32_t y;
    uint32_t outer;
    uint32_t size;
    uint32_t count;
    uint32_t inner;
} gm_insn_gather;
typedef char gm_assert_insn_gather[sizeof(gm_insn_gather) == 32 ? 1 : -1];

int gm_kernel_gather(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_GATHER
#define GM_WITH_GATHER (!GM_ONLY_SELECTED)
#endif

#endif
