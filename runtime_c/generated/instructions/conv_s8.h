/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_CONV_S8_H
#define GM_INSTRUCTIONS_CONV_S8_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* y[b,o,p,g,m] = round(multipliers[g,m] (bias[g,m] + sum over kernel rows, columns and in_channels of (x - x_zero) (w - w_zero)) + offsets[g,m]) + y_zero, clamped to low .. high */
typedef struct gm_insn_conv_s8 {
    uint32_t head;
    uint32_t x;
    uint32_t w;
    uint32_t bias;
    uint32_t multipliers;
    uint32_t offsets;
    uint32_t y;
    uint32_t panel;
    uint32_t batch;
    uint32_t groups;
    uint32_t in_channels;
    uint32_t out_channels;
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
    uint32_t x_group;
    uint32_t x_channel;
    uint32_t w_group;
    uint32_t w_out_channel;
    uint32_t w_in_channel;
    uint32_t w_h;
    uint32_t w_w;
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_group;
    uint32_t y_channel;
    int32_t x_zero;
    int32_t w_zero;
    int32_t y_zero;
    int32_t low;
    int32_t high;
    uint32_t panel_words;
} gm_insn_conv_s8;
typedef char gm_assert_insn_conv_s8[sizeof(gm_insn_conv_s8) == 180 ? 1 : -1];

int gm_kernel_conv_s8(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_CONV_S8
#define GM_WITH_CONV_S8 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif

#endif
