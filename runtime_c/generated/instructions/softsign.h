/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_SOFTSIGN_H
#define GM_INSTRUCTIONS_SOFTSIGN_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = x / (1 + |x|) */
typedef struct gm_insn_softsign {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_softsign;
typedef char gm_assert_insn_softsign[sizeof(gm_insn_softsign) == 16 ? 1 : -1];

int gm_kernel_softsign(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_SOFTSIGN
#define GM_WITH_SOFTSIGN (!GM_ONLY_SELECTED)
#endif

#endif
