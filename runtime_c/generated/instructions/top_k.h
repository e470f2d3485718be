/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_TOP_K_H
#define GM_INSTRUCTIONS_TOP_K_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* the largest, or smallest, of x over c, in that order, and their c; NaN comes first; of equal ones the lowest c, with last the highest */
typedef struct gm_insn_top_k {
    uint32_t head;
    uint32_t x;
    uint32_t values;
    uint32_t indices;
    uint32_t outer;
    uint32_t size;
    uint32_t count;
    uint32_t inner;
    uint32_t smallest;
    uint32_t last;
} gm_insn_top_k;
typedef char gm_assert_insn_top_k[sizeof(gm_insn_top_k) == 40 ? 1 : -1];

int gm_kernel_top_k(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_TOP_K
#define GM_WITH_TOP_K (!GM_ONLY_SELECTED)
#endif

#endif
