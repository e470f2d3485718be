/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_NORMALIZE_GRAD_H
#define GM_INSTRUCTIONS_NORMALIZE_GRAD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* the gradient of NORMALIZE's x if mean and inv_std are x's own: dx = scale inv_std (dy - dbias / n - (x - mean) inv_std dscale / n), n = outer inner */
typedef struct gm_insn_normalize_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t x;
    uint32_t mean;
    uint32_t inv_std;
    uint32_t scale;
    uint32_t dscale;
    uint32_t dbias;
    uint32_t dx;
    uint32_t outer;
    uint32_t channels;
    uint32_t inner;
} gm_insn_normalize_grad;
typedef char gm_assert_insn_normalize_grad[sizeof(gm_insn_normalize_grad) == 48 ? 1 : -1];

int gm_kernel_normalize_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_NORMALIZE_GRAD
#define GM_WITH_NORMALIZE_GRAD (!GM_ONLY_SELECTED)
#endif

#endif
