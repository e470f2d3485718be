/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_SCATTER_H
#define GM_INSTRUCTIONS_SCATTER_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

enum gm_combine { GM_COMBINE_REPLACE = 0, GM_COMBINE_MUL = 1, GM_COMBINE_MAX = 2, GM_COMBINE_MIN = 3 };

/* y[o, indices[i], n] = x[o,i,n], or its product with x, or the larger or smaller of both; o, i, n ascending; indices as GATHER */
typedef struct gm_insn_scatter {
    uint32_t head;
    uint32_t x;
    uint32_t indices;
    uint32_t y;
    uint32_t outer;
    uint32_t size;
    uint32_t count;
    uint32_t inner;
    uint32_t combine;
} gm_insn_scatter;
typedef char gm_assert_insn_scatter[sizeof(gm_insn_scatter) == 36 ? 1 : -1];

int gm_kernel_scatter(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_SCATTER
#define GM_WITH_SCATTER (!GM_ONLY_SELECTED)
#endif

#endif
