/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_NORMALIZE_SUMS_H
#define GM_INSTRUCTIONS_NORMALIZE_SUMS_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* the gradients of NORMALIZE's scale and bias: dscale = sum of dy (x - mean) inv_std, dbias = sum of dy, over outer and inner */
typedef struct gm_insn_normalize_sums {
    uint32_t head;
    uint32_t dy;
    uint32_t x;
    uint32_t mean;
    uint32_t inv_std;
    uint32_t dscale;
    uint32_t dbias;
    uint32_t outer;
    uint32_t channels;
    uint32_t inner;
} gm_insn_normalize_sums;
typedef char gm_assert_insn_normalize_sums[sizeof(gm_insn_normalize_sums) == 40 ? 1 : -1];

int gm_kernel_normalize_sums(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_NORMALIZE_SUMS
#define GM_WITH_NORMALIZE_SUMS (!GM_ONLY_SELECTED)
#endif

#endif
