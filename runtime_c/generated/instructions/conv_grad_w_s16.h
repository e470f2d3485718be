/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_CONV_GRAD_W_S16_H
#define GM_INSTRUCTIONS_CONV_GRAD_W_S16_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* the gradient of CONV_S8 for w: y[g,m,c,k,l] = factor[g,m] 2^dy_exponent sum over batch, output rows and columns of dy (x - x_zero); with accumulate, added to y. The strides y_batch to y_channel are of dy. dy_limit is the limit of dy */
typedef struct gm_insn_conv_grad_w_s16 {
    uint32_t head;
    uint32_t x;
    uint32_t dy;
    uint32_t dy_exponent;
    uint32_t factor;
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
    uint32_t y_batch;
    uint32_t y_h;
    uint32_t y_w;
    uint32_t y_group;
    uint32_t y_channel;
    int32_t x_zero;
    int32_t dy_limit;
    uint32_t accumulate;
    uint32_t panel_words;
} gm_insn_conv_grad_w_s16;
typedef char gm_assert_insn_conv_grad_w_s16[sizeof(gm_insn_conv_grad_w_s16) == 148 ? 1 : -1];

int gm_kernel_conv_grad_w_s16(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_CONV_GRAD_W_S16
#define GM_WITH_CONV_GRAD_W_S16 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif

#endif
