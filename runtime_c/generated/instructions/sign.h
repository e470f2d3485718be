/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_SIGN_H
#define GM_INSTRUCTIONS_SIGN_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = x > 0 ? 1 : x < 0 ? -1 : x */
typedef struct gm_insn_sign {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_sign;
typedef char gm_assert_insn_sign[sizeof(gm_insn_sign) == 16 ? 1 : -1];

int gm_kernel_sign(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_SIGN
#define GM_WITH_SIGN (!GM_ONLY_SELECTED)
#endif

#endif
