/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_INT_TO_FLOAT_H
#define GM_INSTRUCTIONS_INT_TO_FLOAT_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = x, rounded to nearest */
typedef struct gm_insn_int_to_float {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_int_to_float;
typedef char gm_assert_insn_int_to_float[sizeof(gm_insn_int_to_float) == 16 ? 1 : -1];

int gm_kernel_int_to_float(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_INT_TO_FLOAT
#define GM_WITH_INT_TO_FLOAT (!GM_ONLY_SELECTED)
#endif

#endif
