/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_SCATTER_ADD_H
#define GM_INSTRUCTIONS_SCATTER_ADD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* dx[o, indices[i], n] += dy[o,i,n], o, i, n ascending; indices as GATHER */
typedef struct gm_insn_scatter_add {
    uint32_t head;
    uint32_t dy;
    uint32_t indices;
    uint32_t dx;
    uint32_t outer;
    uint32_t size;
    uint32_t count;
    uint32_t inner;
} gm_insn_scatter_add;
typedef char gm_assert_insn_scatter_add[sizeof(gm_insn_scatter_add) == 32 ? 1 : -1];

int gm_kernel_scatter_add(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_SCATTER_ADD
#define GM_WITH_SCATTER_ADD (!GM_ONLY_SELECTED)
#endif

#endif
