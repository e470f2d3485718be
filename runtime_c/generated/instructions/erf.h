/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_ERF_H
#define GM_INSTRUCTIONS_ERF_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = erf(x) */
typedef struct gm_insn_erf {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_erf;
typedef char gm_assert_insn_erf[sizeof(gm_insn_erf) == 16 ? 1 : -1];

int gm_kernel_erf(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_ERF
#define GM_WITH_ERF (!GM_ONLY_SELECTED)
#endif

#endif
