/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_SUM_SQUARES_H
#define GM_INSTRUCTIONS_SUM_SQUARES_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = sum of x[i]^2 over ascending i; with accumulate, the sum starts from y */
typedef struct gm_insn_sum_squares {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
    uint32_t accumulate;
} gm_insn_sum_squares;
typedef char gm_assert_insn_sum_squares[sizeof(gm_insn_sum_squares) == 20 ? 1 : -1];

int gm_kernel_sum_squares(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_SUM_SQUARES
#define GM_WITH_SUM_SQUARES (!GM_ONLY_SELECTED)
#endif

#endif
