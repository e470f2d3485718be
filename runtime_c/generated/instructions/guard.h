/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_GUARD_H
#define GM_INSTRUCTIONS_GUARD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* the next instruction runs in iterations first, first + period, .., count times, each time with three of its operands moved on by their steps, in bytes; the executor does it */
typedef struct gm_insn_guard {
    uint32_t head;
    uint32_t first;
    uint32_t count;
    uint32_t period;
    uint32_t operand_a;
    uint32_t step_a;
    uint32_t operand_b;
    uint32_t step_b;
    uint32_t operand_c;
    uint32_t step_c;
} gm_insn_guard;
typedef char gm_assert_insn_guard[sizeof(gm_insn_guard) == 40 ? 1 : -1];

int gm_kernel_guard(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_GUARD
#define GM_WITH_GUARD (!GM_ONLY_SELECTED && GM_WITH_LOOPS)
#endif

#endif
