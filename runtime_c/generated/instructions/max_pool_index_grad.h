/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_MAX_POOL_INDEX_GRAD_H
#define GM_INSTRUCTIONS_MAX_POOL_INDEX_GRAD_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* dx = sum over kernel rows and columns of dy of the window that has this element there, if its index says so */
typedef struct gm_insn_max_pool_index_grad {
    uint32_t head;
    uint32_t index;
    uint32_t dy;
    uint32_t dx;
    uint32_t batch;
    uint32_t channels;
    uint32_t in_h;
    uint32_t in_w;
    uint32_t out_h;
    uint32_t out_w;
    uint32_t kernel_h;
    uint32_t kernel_w;
    uint32_t stride_h;
    uint32_t stride_w;
    uint32_t dilation_h;
    uint32_t dilation_w;
    uint32_t pad_h;
    uint32_t pad_w;
    uint32_t x_batch;
    uint32_t x_h;
    uint32_t x_w;
    uint32_t x_channel;
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_channel;
} gm_insn_max_pool_index_grad;
typedef char gm_assert_insn_max_pool_index_grad[sizeof(gm_insn_max_pool_index_grad) == 104 ? 1 : -1];

int gm_kernel_max_pool_index_grad(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_MAX_POOL_INDEX_GRAD
#define GM_WITH_MAX_POOL_INDEX_GRAD (!GM_ONLY_SELECTED)
#endif

#endif
