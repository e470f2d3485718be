/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_CONV_GRAD_X_S16_H
#define GM_INSTRUCTIONS_CONV_GRAD_X_S16_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* the gradient of CONV_S8 for x: dx[b,i,j,g,c] 2^exponent = scale[g,c] (2^dy_exponent sum over kernel rows, columns and out_channels of dy (w - w_zero) + 2^addend_exponent addend) if low < q < high and the bit of mask is 1, else 0, rounded; gain becomes that of the next step */
typedef struct gm_insn_conv_grad_x_s16 {
    uint32_t head;
    uint32_t dy;
    uint32_t dy_exponent;
    uint32_t w;
    uint32_t addend;
    uint32_t addend_exponent;
    uint32_t q;
    uint32_t mask;
    uint32_t scale;
    uint32_t dx;
    uint32_t exponent;
    uint32_t gain;
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
    int32_t w_zero;
    int32_t low;
    int32_t high;
    int32_t limit;
    uint32_t panel_words;
} gm_insn_conv_grad_x_s16;
typedef char gm_assert_insn_conv_grad_x_s16[sizeof(gm_insn_conv_grad_x_s16) == 196 ? 1 : -1];

int gm_kernel_conv_grad_x_s16(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_CONV_GRAD_X_S16
#define GM_WITH_CONV_GRAD_X_S16 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif

#endif
