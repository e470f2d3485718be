/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_CHECK_BOUND_H
#define GM_INSTRUCTIONS_CHECK_BOUND_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* stops the program with NOT_FINITE if any |x[i,j]| is not below limit, or is NaN */
typedef struct gm_insn_check_bound {
    uint32_t head;
    uint32_t x;
    uint32_t rows;
    uint32_t n;
    uint32_t step;
    float limit;
} gm_insn_check_bound;
typedef char gm_assert_insn_check_bound[sizeof(gm_insn_check_bound) == 24 ? 1 : -1];

int gm_kernel_check_bound(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_CHECK_BOUND
#define GM_WITH_CHECK_BOUND (!GM_ONLY_SELECTED)
#endif

#endif
