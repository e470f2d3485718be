/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_BIAS_CORRECTION_H
#define GM_INSTRUCTIONS_BIAS_CORRECTION_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* c[i] = c[i] beta_i + (1 - beta_i), so that after t steps c[i] = 1 - beta_i^t */
typedef struct gm_insn_bias_correction {
    uint32_t head;
    uint32_t c;
    float beta1;
    float one_minus_beta1;
    float beta2;
    float one_minus_beta2;
} gm_insn_bias_correction;
typedef char gm_assert_insn_bias_correction[sizeof(gm_insn_bias_correction) == 24 ? 1 : -1];

int gm_kernel_bias_correction(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_BIAS_CORRECTION
#define GM_WITH_BIAS_CORRECTION (!GM_ONLY_SELECTED)
#endif

#endif
