/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_CHECK_FINITE_H
#define GM_INSTRUCTIONS_CHECK_FINITE_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* stops the program with NOT_FINITE if any x[i] is NaN or infinite */
typedef struct gm_insn_check_finite {
    uint32_t head;
    uint32_t x;
    uint32_t n;
} gm_insn_check_finite;
typedef char gm_assert_insn_check_finite[sizeof(gm_insn_check_finite) == 12 ? 1 : -1];

int gm_kernel_check_finite(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_CHECK_FINITE
#define GM_WITH_CHECK_FINITE (!GM_ONLY_SELECTED)
#endif

#endif
