/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_FLOAT_TO_INT_H
#define GM_INSTRUCTIONS_FLOAT_TO_INT_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = x without its fraction, the nearest int32 if x does not fit; NaN gives 0 */
typedef struct gm_insn_float_to_int {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_float_to_int;
typedef char gm_assert_insn_float_to_int[sizeof(gm_insn_float_to_int) == 16 ? 1 : -1];

int gm_kernel_float_to_int(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_FLOAT_TO_INT
#define GM_WITH_FLOAT_TO_INT (!GM_ONLY_SELECTED)
#endif

#endif
