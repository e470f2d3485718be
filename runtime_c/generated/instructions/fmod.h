/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_FMOD_H
#define GM_INSTRUCTIONS_FMOD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = a - b trunc(a / b), exactly, with the sign of a; broadcast by strides of 0 */
typedef struct gm_insn_fmod {
    uint32_t head;
    uint32_t a;
    uint32_t b;
    uint32_t y;
    uint32_t d0;
    uint32_t d1;
    uint32_t d2;
    uint32_t d3;
    uint32_t a0;
    uint32_t a1;
    uint32_t a2;
    uint32_t a3;
    uint32_t b0;
    uint32_t b1;
    uint32_t b2;
    uint32_t b3;
} gm_insn_fmod;
typedef char gm_assert_insn_fmod[sizeof(gm_insn_fmod) == 64 ? 1 : -1];

int gm_kernel_fmod(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_FMOD
#define GM_WITH_FMOD (!GM_ONLY_SELECTED)
#endif

#endif
