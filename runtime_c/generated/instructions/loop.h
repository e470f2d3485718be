/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_LOOP_H
#define GM_INSTRUCTIONS_LOOP_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* the next `body` words of the program run `iterations` times; the executor does it */
typedef struct gm_insn_loop {
    uint32_t head;
    uint32_t body;
    uint32_t iterations;
} gm_insn_loop;
typedef char gm_assert_insn_loop[sizeof(gm_insn_loop) == 12 ? 1 : -1];

int gm_kernel_loop(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_LOOP
#define GM_WITH_LOOP (!GM_ONLY_SELECTED && GM_WITH_LOOPS)
#endif

#endif
