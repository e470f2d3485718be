/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_ELU_H
#define GM_INSTRUCTIONS_ELU_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = x > 0 ? scale x : alpha (exp(rate x) - 1) */
typedef struct gm_insn_elu {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
    float scale;
    float alpha;
    float rate;
} gm_insn_elu;
typedef char gm_assert_insn_elu[sizeof(gm_insn_elu) == 28 ? 1 : -1];

int gm_kernel_elu(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_ELU
#define GM_WITH_ELU (!GM_ONLY_SELECTED)
#endif

#endif
