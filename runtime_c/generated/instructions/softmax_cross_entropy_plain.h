/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_SOFTMAX_CROSS_ENTROPY_PLAIN_H
#define GM_INSTRUCTIONS_SOFTMAX_CROSS_ENTROPY_PLAIN_H

#include <stdint.h>
#include "gm_config.h"
#include "enum_reduction.h"

struct gm_session;

/* SOFTMAX_CROSS_ENTROPY_WITH_GRAD, with the bits of the strict profile in both profiles */
typedef struct gm_insn_softmax_cross_entropy_plain {
    uint32_t head;
    uint32_t x;
    uint32_t labels;
    uint32_t weight;
    uint32_t mask;
    uint32_t dloss;
    uint32_t loss;
    uint32_t dx;
    uint32_t outer;
    uint32_t classes;
    uint32_t inner;
    uint32_t loss_outer;
    uint32_t loss_inner;
    uint32_t reduction;
    int32_t ignore_index;
} gm_insn_softmax_cross_entropy_plain;
typedef char gm_assert_insn_softmax_cross_entropy_plain[sizeof(gm_insn_softmax_cross_entropy_plain) == 60 ? 1 : -1];

int gm_kernel_softmax_cross_entropy_plain(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_SOFTMAX_CROSS_ENTROPY_PLAIN
#define GM_WITH_SOFTMAX_CROSS_ENTROPY_PLAIN (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif

#endif
