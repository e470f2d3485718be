/* Rendered from runtime_c/spec by `scons render`; do not edit. */
#ifndef GM_INSTRUCTIONS_CONV_UPDATE_S8_H
#define GM_INSTRUCTIONS_CONV_UPDATE_S8_H

#include <stdint.h>
#include "gm_config.h"

struct gm_session;

/* one output channel after another: row = the gradient that CONV_GRAD_W_S8 makes of w[g,m]; then rule updates p[g,m] with it as UPDATE_S8 does, or with p_bytes 2 as UPDATE_S16 does */
typedef struct gm_insn_conv_update_s8 {
    uint32_t head;
    uint32_t x;
    uint32_t dy;
    uint32_t row;
    uint32_t p;
    uint32_t slot1;
    uint32_t slot2;
    uint32_t aux;
    uint32_t lr;
    uint32_t rule;
    uint32_t factor;
    uint32_t units;
    uint32_t counter;
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
    uint32_t p_bytes;
    uint32_t stream;
    float limit;
    int32_t zero;
    int32_t low;
    int32_t high;
} gm_insn_conv_update_s8;
typedef char gm_assert_insn_conv_update_s8[sizeof(gm_insn_conv_update_s8) == 184 ? 1 : -1];

int gm_kernel_conv_update_s8(const struct gm_session *session, const void *instruction);

#ifndef GM_WITH_CONV_UPDATE_S8
#define GM_WITH_CONV_UPDATE_S8 (!GM_ONLY_SELECTED && GM_WITH_INT8)
#endif

#endif
