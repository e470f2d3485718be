/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_REDUCE_PROD_H
#define GM_INSTRUCTIONS_REDUCE_PROD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y[o,i] = product of x[o,c,i] over c */
typedef struct gm_insn_reduce_prod {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t outer;
    uint32_t classes;
    uint32_t inner;
} gm_insn_reduce_prod;
typedef char gm_assert_insn_reduce_prod[sizeof(gm_insn_reduce_prod) == 24 ? 1 : -1];

int gm_kernel_reduce_prod(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_REDUCE_PROD
#define GM_WITH_REDUCE_PROD (!GM_ONLY_SELECTED)
#endif

#endif
