/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_MAX_POOL_S8_H
#define GM_INSTRUCTIONS_MAX_POOL_S8_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y[b,o,p,c] = the largest x in the window, -128 if it has no tap inside; index[b,o,p,c] = its tap, row-major, 255 if there is none */
typedef struct gm_insn_max_pool_s8 {
    uint32_t head;
    uint32_t x;
    uint32_t y;
    uint32_t index;
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
} gm_insn_max_pool_s8;
typedef char gm_assert_insn_max_pool_s8[sizeof(gm_insn_max_pool_s8) == 104 ? 1 : -1];

int gm_kernel_max_pool_s8(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_MAX_POOL_S8
#define GM_WITH_MAX_POOL_S8 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif

#endif
