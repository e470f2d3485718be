/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_SOFTMAX_CROSS_ENTROPY_WITH_GRAD_H
#define GM_INSTRUCTIONS_SOFTMAX_CROSS_ENTROPY_WITH_GRAD_H

#include <stdint.h>
#include "gm_config.h"
#include "enum_reduction.h"

struct gm_session;

/* SOFTMAX_CROSS_ENTROPY and its gradient: p = softmax(x); loss = reduce(-mask weight[label] log(p[label])), dx = dloss mask weight[label] (p - onehot(label)), divided by the total weight if reduction is mean */
typedef struct gm_insn_softmax_cross_entropy_with_grad {
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
} gm_insn_softmax_cross_entropy_with_grad;
typedef char gm_assert_insn_softmax_cross_entropy_with_grad[sizeof(gm_insn_softmax_cross_entropy_with_grad) == 60 ? 1 : -1];

int gm_kernel_softmax_cross_entropy_with_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_SOFTMAX_CROSS_ENTROPY_WITH_GRAD
#define GM_WITH_SOFTMAX_CROSS_ENTROPY_WITH_GRAD (!GM_ONLY_SELECTED)
#endif

#endif
