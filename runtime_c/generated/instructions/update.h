/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_UPDATE_H
#define GM_INSTRUCTIONS_UPDATE_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* rule updates p[n] with the gradient scale * g[n] */
typedef struct gm_insn_update {
    uint32_t head;
    uint32_t g;
    uint32_t p;
    uint32_t slot1;
    uint32_t slot2;
    uint32_t aux;
    uint32_t lr;
    uint32_t scale;
    uint32_t rule;
    uint32_t n;
} gm_insn_update;
typedef char gm_assert_insn_update[sizeof(gm_insn_update) == 40 ? 1 : -1];

int gm_kernel_update(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_UPDATE
#define GM_WITH_UPDATE (!GM_ONLY_SELECTED)
#endif

#endif
