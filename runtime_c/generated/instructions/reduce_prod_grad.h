/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_REDUCE_PROD_GRAD_H
#define GM_INSTRUCTIONS_REDUCE_PROD_GRAD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* dx[o,c,i] = dy[o,i] times the product of x[o,b,i] over b != c */
typedef struct gm_insn_reduce_prod_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t x;
    uint32_t dx;
    uint32_t outer;
    uint32_t classes;
    uint32_t inner;
} gm_insn_reduce_prod_grad;
typedef char gm_assert_insn_reduce_prod_grad[sizeof(gm_insn_reduce_prod_grad) == 28 ? 1 : -1];

int gm_kernel_reduce_prod_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_REDUCE_PROD_GRAD
#define GM_WITH_REDUCE_PROD_GRAD (!GM_ONLY_SELECTED)
#endif

#endif
