/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_RANDOM_UNIFORM_H
#define GM_INSTRUCTIONS_RANDOM_UNIFORM_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y[i] = low + range u, u = random(seed, step, stream, i) / 2^32 cut to 24 bits */
typedef struct gm_insn_random_uniform {
    uint32_t head;
    uint32_t counter;
    uint32_t y;
    uint32_t n;
    uint32_t stream;
    float low;
    float range;
} gm_insn_random_uniform;
typedef char gm_assert_insn_random_uniform[sizeof(gm_insn_random_uniform) == 28 ? 1 : -1];

int gm_kernel_random_uniform(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_RANDOM_UNIFORM
#define GM_WITH_RANDOM_UNIFORM (!GM_ONLY_SELECTED)
#endif

#endif
