/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_CLIP_SCALE_H
#define GM_INSTRUCTIONS_CLIP_SCALE_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y = scale min(1, max_norm / (scale sqrt(sum_squares) + 1e-6)) */
typedef struct gm_insn_clip_scale {
    uint32_t head;
    uint32_t sum_squares;
    uint32_t scale;
    uint32_t y;
    float max_norm;
} gm_insn_clip_scale;
typedef char gm_assert_insn_clip_scale[sizeof(gm_insn_clip_scale) == 20 ? 1 : -1];

int gm_kernel_clip_scale(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_CLIP_SCALE
#define GM_WITH_CLIP_SCALE (!GM_ONLY_SELECTED)
#endif

#endif
