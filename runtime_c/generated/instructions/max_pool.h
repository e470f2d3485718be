/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_MAX_POOL_H
#define GM_INSTRUCTIONS_MAX_POOL_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y[b,o,p,c] = the largest x in the window; padding never wins; NaN does. index[b,o,p,c] = its tap, row-major; with relu 255 unless y > 0 */
typedef struct gm_insn_max_pool {
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
    uint32_t relu;
} gm_insn_max_pool;
typedef char gm_assert_insn_max_pool[sizeof(gm_insn_max_pool) == 108 ? 1 : -1];

int gm_kernel_max_pool(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_MAX_POOL
#define GM_WITH_MAX_POOL (!GM_ONLY_SELECTED)
#endif

#endif
