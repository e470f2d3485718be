/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_QUANTIZE_GRAD_H
#define GM_INSTRUCTIONS_QUANTIZE_GRAD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* dx = dy scale if low < q < high and the bit of mask is 1, else 0, with the scale of its channel, or 1 if that is absent */
typedef struct gm_insn_quantize_grad {
    uint32_t head;
    uint32_t dy;
    uint32_t q;
    uint32_t mask;
    uint32_t scale;
    uint32_t dx;
    uint32_t outer;
    uint32_t channels;
    uint32_t inner;
    int32_t low;
    int32_t high;
} gm_insn_quantize_grad;
typedef char gm_assert_insn_quantize_grad[sizeof(gm_insn_quantize_grad) == 44 ? 1 : -1];

int gm_kernel_quantize_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_QUANTIZE_GRAD
#define GM_WITH_QUANTIZE_GRAD (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif

#endif
