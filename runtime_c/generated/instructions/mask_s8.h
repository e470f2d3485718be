/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_MASK_S8_H
#define GM_INSTRUCTIONS_MASK_S8_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* bit i of mask = low < q < high; the rest of the last byte is 0 */
typedef struct gm_insn_mask_s8 {
    uint32_t head;
    uint32_t q;
    uint32_t mask;
    uint32_t n;
    int32_t low;
    int32_t high;
} gm_insn_mask_s8;
typedef char gm_assert_insn_mask_s8[sizeof(gm_insn_mask_s8) == 24 ? 1 : -1];

int gm_kernel_mask_s8(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_MASK_S8
#define GM_WITH_MASK_S8 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif

#endif
