/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_EXP_H
#define GM_INSTRUCTIONS_EXP_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = exp(x) */
typedef struct gm_insn_exp {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_exp;
typedef char gm_assert_insn_exp[sizeof(gm_insn_exp) == 16 ? 1 : -1];

int gm_kernel_exp(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_EXP
#define GM_WITH_EXP (!GM_ONLY_SELECTED)
#endif

#endif
