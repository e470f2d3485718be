/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_SOFTMAX_H
#define GM_INSTRUCTIONS_SOFTMAX_H

#include <stdint.h>
#include "gm_config.h"
#include "attention.h"
#include "attention_grad.h"

struct gm_session;

/* y[o,c,i] = exp(x[o,c,i] - max over c) / sum over c of the same */
typedef struct gm_insn_softmax {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t outer;
    uint32_t classes;
    uint32_t inner;
} gm_insn_softmax;
typedef char gm_assert_insn_softmax[sizeof(gm_insn_softmax) == 24 ? 1 : -1];

int gm_kernel_softmax(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_SOFTMAX
#define GM_WITH_SOFTMAX ((!GM_ONLY_SELECTED) || GM_WITH_ATTENTION || GM_WITH_ATTENTION_GRAD)
#endif

#endif
