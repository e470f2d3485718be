/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_SOFTMAX_CROSS_ENTROPY_H
#define GM_INSTRUCTIONS_SOFTMAX_CROSS_ENTROPY_H

#include <stdint.h>
#include "gm_config.h"
#include "enum_reduction.h"

struct gm_session;

/* log_prob = log_softmax(x); loss = reduce(-mask weight[label] log_prob[label]), smoothed; labels equal to ignore_index count nothing; with log_input, log_prob = x */
typedef struct gm_insn_softmax_cross_entropy {
    uint32_t head;
    uint32_t x;
    uint32_t labels;
    uint32_t weight;
    uint32_t mask;
    uint32_t log_prob;
    uint32_t loss;
    uint32_t outer;
    uint32_t classes;
    uint32_t inner;
    uint32_t loss_outer;
    uint32_t loss_inner;
    uint32_t reduction;
    int32_t ignore_index;
    float smoothing;
    uint32_t log_input;
} gm_insn_softmax_cross_entropy;
typedef char gm_assert_insn_softmax_cross_entropy[sizeof(gm_insn_softmax_cross_entropy) == 64 ? 1 : -1];

int gm_kernel_softmax_cross_entropy(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_SOFTMAX_CROSS_ENTROPY
#define GM_WITH_SOFTMAX_CROSS_ENTROPY (!GM_ONLY_SELECTED)
#endif

#endif
