/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_MAX_POOL_GRAD_S16_H
#define GM_INSTRUCTIONS_MAX_POOL_GRAD_S16_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* dx 2^exponent = 2^dy_exponent sum over kernel rows and columns of dy of the window that has this element there, if its index says so; the exponent is the least under which the largest keeps the limit */
typedef struct gm_insn_max_pool_grad_s16 {
    uint32_t head;
    uint32_t index;
    uint32_t dy;
    uint32_t dy_exponent;
    uint32_t dx;
    uint32_t exponent;
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
    int32_t limit;
} gm_insn_max_pool_grad_s16;
typedef char gm_assert_insn_max_pool_grad_s16[sizeof(gm_insn_max_pool_grad_s16) == 116 ? 1 : -1];

int gm_kernel_max_pool_grad_s16(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_MAX_POOL_GRAD_S16
#define GM_WITH_MAX_POOL_GRAD_S16 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif

#endif
