/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_CONV_H
#define GM_INSTRUCTIONS_CONV_H

#include <stdint.h>
#include "gm_config.h"
#include "enum_activation.h"

struct gm_session;

/* y[b,o,p,g,m] = act(bias[g,m] + sum over kernel rows, columns and in_channels c of x w) */
typedef struct gm_insn_conv {
    uint32_t head;
    uint32_t x;
    uint32_t w;
    uint32_t bias;
    uint32_t y;
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
    uint32_t activation;
} gm_insn_conv;
typedef char gm_assert_insn_conv[sizeof(gm_insn_conv) == 148 ? 1 : -1];

int gm_kernel_conv(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_CONV
#define GM_WITH_CONV (!GM_ONLY_SELECTED)
#endif

#endif
