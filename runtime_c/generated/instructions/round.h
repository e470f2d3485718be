/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_ROUND_H
#define GM_INSTRUCTIONS_ROUND_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

enum gm_direction { GM_DIRECTION_NEAREST = 0, GM_DIRECTION_DOWN = 1, GM_DIRECTION_UP = 2 };

/* y = the integer nearest to x, the even one of two, or the next one down or up */
typedef struct gm_insn_round {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
    uint32_t direction;
} gm_insn_round;
typedef char gm_assert_insn_round[sizeof(gm_insn_round) == 20 ? 1 : -1];

int gm_kernel_round(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_ROUND
#define GM_WITH_ROUND (!GM_ONLY_SELECTED)
#endif

#endif
