/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_NORMALIZE_H
#define GM_INSTRUCTIONS_NORMALIZE_H

#include <stdint.h>
#include "gm_config.h"
#include "enum_activation.h"

struct gm_session;

/* y = act((x - mean) inv_std scale + bias); without both mean and bias the gradient of x if statistics are frozen */
typedef struct gm_insn_normalize {
    uint32_t head;
    uint32_t x;
    uint32_t mean;
    uint32_t inv_std;
    uint32_t scale;
    uint32_t bias;
    uint32_t y;
    uint32_t outer;
    uint32_t channels;
    uint32_t inner;
    uint32_t activation;
} gm_insn_normalize;
typedef char gm_assert_insn_normalize[sizeof(gm_insn_normalize) == 44 ? 1 : -1];

int gm_kernel_normalize(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_NORMALIZE
#define GM_WITH_NORMALIZE (!GM_ONLY_SELECTED)
#endif

#endif
