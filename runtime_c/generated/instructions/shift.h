/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_SHIFT_H
#define GM_INSTRUCTIONS_SHIFT_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* moves bytes by .. n - 1 of x to its start, in place */
typedef struct gm_insn_shift {
    uint32_t head;
    uint32_t x;
    uint32_t n;
    uint32_t by;
} gm_insn_shift;
typedef char gm_assert_insn_shift[sizeof(gm_insn_shift) == 16 ? 1 : -1];

int gm_kernel_shift(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_SHIFT
#define GM_WITH_SHIFT (!GM_ONLY_SELECTED && GM_WITH_LOOPS)
#endif

#endif
