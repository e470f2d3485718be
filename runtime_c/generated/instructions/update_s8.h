/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_UPDATE_S8_H
#define GM_INSTRUCTIONS_UPDATE_S8_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* rule updates p; its element i stands for (p - zero) units of its channel, with the gradient scale g; the step is rounded up or down at random, by its fraction, and p stays in low to high */
typedef struct gm_insn_update_s8 {
    uint32_t head;
    uint32_t g;
    uint32_t p;
    uint32_t slot1;
    uint32_t slot2;
    uint32_t aux;
    uint32_t lr;
    uint32_t scale;
    uint32_t rule;
    uint32_t units;
    uint32_t counter;
    uint32_t outer;
    uint32_t channels;
    uint32_t inner;
    uint32_t stream;
    float limit;
    int32_t zero;
    int32_t low;
    int32_t high;
} gm_insn_update_s8;
typedef char gm_assert_insn_update_s8[sizeof(gm_insn_update_s8) == 76 ? 1 : -1];

int gm_kernel_update_s8(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_UPDATE_S8
#define GM_WITH_UPDATE_S8 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif

#endif
