/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_MOMENTS_H
#define GM_INSTRUCTIONS_MOMENTS_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* mean and variance of each channel; inv_std = 1 / sqrt(var + epsilon) */
typedef struct gm_insn_moments {
    uint32_t head;
    uint32_t x;
    uint32_t mean;
    uint32_t inv_std;
    uint32_t var;
    uint32_t outer;
    uint32_t channels;
    uint32_t inner;
    float epsilon;
} gm_insn_moments;
typedef char gm_assert_insn_moments[sizeof(gm_insn_moments) == 36 ? 1 : -1];

int gm_kernel_moments(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_MOMENTS
#define GM_WITH_MOMENTS (!GM_ONLY_SELECTED)
#endif

#endif
