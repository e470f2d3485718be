/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_GELU_H
#define GM_INSTRUCTIONS_GELU_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = x (1 + erf(x / sqrt(2))) / 2 */
typedef struct gm_insn_gelu {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t n;
} gm_insn_gelu;
typedef char gm_assert_insn_gelu[sizeof(gm_insn_gelu) == 16 ? 1 : -1];

int gm_kernel_gelu(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_GELU
#define GM_WITH_GELU (!GM_ONLY_SELECTED)
#endif

#endif
