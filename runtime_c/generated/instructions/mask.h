/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_MASK_H
#define GM_INSTRUCTIONS_MASK_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* bit i of mask = x in low .. high or NaN, or with relu x > 0; the rest of the last byte is 0 */
typedef struct gm_insn_mask {
    uint32_t head;
    uint32_t x;
    uint32_t mask;
    uint32_t n;
    float low;
    float high;
    uint32_t relu;
} gm_insn_mask;
typedef char gm_assert_insn_mask[sizeof(gm_insn_mask) == 28 ? 1 : -1];

int gm_kernel_mask(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_MASK
#define GM_WITH_MASK (!GM_ONLY_SELECTED)
#endif

#endif
