/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_AVERAGE_POOL_S8_H
#define GM_INSTRUCTIONS_AVERAGE_POOL_S8_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

enum gm_order { GM_ORDER_ROWS = 0, GM_ORDER_COLUMNS = 1, GM_ORDER_LANES = 2, GM_ORDER_PAIRS = 3 };

/* y[b,o,p,c] = round((sum of (x - x_zero) x_scale in the window / count) / y_scale) + y_zero, clamped to low .. high; the count as AVERAGE_POOL, the order of the sum as `order` says */
typedef struct gm_insn_average_pool_s8 {
    uint32_t head;
    uint32_t x;
    uint32_t y;
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
    uint32_t count_pad;
    uint32_t padded_h;
    uint32_t padded_w;
    uint32_t order;
    float x_scale;
    int32_t x_zero;
    float y_scale;
    int32_t y_zero;
    int32_t low;
    int32_t high;
} gm_insn_average_pool_s8;
typedef char gm_assert_insn_average_pool_s8[sizeof(gm_insn_average_pool_s8) == 140 ? 1 : -1];

int gm_kernel_average_pool_s8(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_AVERAGE_POOL_S8
#define GM_WITH_AVERAGE_POOL_S8 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif

#endif
