/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_CUMSUM_H
#define GM_INSTRUCTIONS_CUMSUM_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y[o,i,n] = sum of x[o,j,n] over j <= i, with exclusive j < i; with reverse from the other end */
typedef struct gm_insn_cumsum {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t outer;
    uint32_t size;
    uint32_t inner;
    uint32_t exclusive;
    uint32_t reverse;
} gm_insn_cumsum;
typedef char gm_assert_insn_cumsum[sizeof(gm_insn_cumsum) == 32 ? 1 : -1];

int gm_kernel_cumsum(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_CUMSUM
#define GM_WITH_CUMSUM (!GM_ONLY_SELECTED)
#endif

#endif
