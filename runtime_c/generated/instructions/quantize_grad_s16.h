/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_QUANTIZE_GRAD_S16_H
#define GM_INSTRUCTIONS_QUANTIZE_GRAD_S16_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y 2^exponent = scale[c] dy if low < q < high and the bit of mask is 1, else 0, rounded; the exponent is the least under which the largest keeps the limit. A number that is not finite stops the program with NOT_FINITE */
typedef struct gm_insn_quantize_grad_s16 {
    uint32_t head;
    uint32_t dy;
    uint32_t q;
    uint32_t mask;
    uint32_t scale;
    uint32_t y;
    uint32_t exponent;
    uint32_t outer;
    uint32_t channels;
    uint32_t inner;
    int32_t low;
    int32_t high;
    int32_t limit;
} gm_insn_quantize_grad_s16;
typedef char gm_assert_insn_quantize_grad_s16[sizeof(gm_insn_quantize_grad_s16) == 52 ? 1 : -1];

int gm_kernel_quantize_grad_s16(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_QUANTIZE_GRAD_S16
#define GM_WITH_QUANTIZE_GRAD_S16 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif

#endif
