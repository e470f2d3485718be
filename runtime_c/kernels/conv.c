/* CONV: y[b,o,p,g,m] = act(bias[g,m] + sum over kernel rows, columns and in_channels c of x w). */
#include "../generated/instructions/conv.h"
#include "arch/arch.h"
#include "arch/riscv/riscv.h"
#include "arch/simd/simd.h"
#include "window.h"

#if GM_WITH_CONV && !GM_ARCH_CONV

/* Strides of the weights (groups, out_channels, in_channels, kernel_h, kernel_w). */
typedef struct weight_strides {
    uint32_t group, out_channel, channel, h, w;
} weight_strides;

typedef struct conv_operands {
    gm_window window;
    gm_layout x;
    weight_strides w;
    uint32_t in_channels;
} conv_operands;

/* sum[j] += x w[j] over the input channels of one tap, for 4 adjacent output channels j. */
static void add_tap_4(const float *x, const float *w, const conv_operands *c, float *sum)
{
    const float *w0 = w, *w1 = w0 + c->w.out_channel, *w2 = w1 + c->w.out_channel, *w3 = w2 + c->w.out_channel;
    uint32_t x_step = c->x.channel, w_step = c->w.channel;
    float s0 = sum[0], s1 = sum[1], s2 = sum[2], s3 = sum[3];
    for (uint32_t i = c->in_channels; i > 0; i--) {
        float value = *x;
        s0 = GM_MAC(s0, value, *w0);
        s1 = GM_MAC(s1, value, *w1);
        s2 = GM_MAC(s2, value, *w2);
        s3 = GM_MAC(s3, value, *w3);
        x += x_step;
        w0 += w_step, w1 += w_step, w2 += w_step, w3 += w_step;
    }
    sum[0] = s0, sum[1] = s1, sum[2] = s2, sum[3] = s3;
}

static void add_tap_1(const float *x, const float *w, const conv_operands *c, float *sum)
{
    float s = *sum;
    for (uint32_t i = c->in_channels; i > 0; i--) {
        s = GM_MAC(s, *x, *w);
        x += c->x.channel;
        w += c->w.channel;
    }
    *sum = s;
}

/* All taps of output (row, column), for 1 or 4 adjacent output channels. x:
 * its sample and group. */
static void add_taps(const float *x, const float *w, const conv_operands *c, uint32_t row, uint32_t column,
                     uint32_t out_channels, float *sum)
{
    const gm_window *window = &c->window;
    for (uint32_t k = 0; k < window->kernel_h; k++) {
        uint32_t i = gm_input_index(row, k, window->stride_h, window->dilation_h, window->pad_h);
        for (uint32_t l = 0; l < window->kernel_w && i < window->in_h; l++) {
            uint32_t j = gm_input_index(column, l, window->stride_w, window->dilation_w, window->pad_w);
            if (j < window->in_w) {
                (out_channels == 4 ? add_tap_4 : add_tap_1)(x + i * c->x.h + j * c->x.w, w + k * c->w.h + l * c->w.w, c,
                                                            sum);
            }
        }
    }
}

static void start_sums(float *sum, const float *bias, uint32_t out_channels)
{
    for (uint32_t j = 0; j < out_channels; j++) {
        sum[j] = bias ? bias[j] : GM_EMPTY_SUM;
    }
}

/* The output channels of one group at one output position. */
static void conv_pixel(const gm_insn_conv *insn, const conv_operands *c, const float *x, const float *w,
                       const float *bias, float *y, uint32_t row, uint32_t column)
{
    for (uint32_t m = 0; m < insn->out_channels;) {
        uint32_t out_channels = insn->out_channels - m >= GM_CHANNELS_AT_ONCE ? GM_CHANNELS_AT_ONCE : 1;
        float sum[4];
        start_sums(sum, bias ? bias + m : NULL, out_channels);
        add_taps(x, w + m * insn->w_out_channel, c, row, column, out_channels, sum);
        for (uint32_t j = 0; j < out_channels; j++, m++) {
            int cut = insn->activation == GM_ACTIVATION_RELU && gm_is_negative(sum[j]);
            y[m * insn->y_channel] = cut ? 0.0f : sum[j];
        }
    }
}

int gm_kernel_conv(const struct gm_session *session, const void *instruction)
{
    const gm_insn_conv *insn = instruction;
#if GM_ARCH_TILES
    if (gm_simd_conv(session, insn)) {
        return GM_OK;
    }
#elif GM_ARCH_RISCV
    if (gm_riscv_conv(session, insn)) {
        return GM_OK;
    }
#endif
    const float *x = gm_f32(session, insn->x), *w = gm_f32(session, insn->w);
    const float *bias = gm_f32_optional(session, insn->bias);
    float *y = gm_f32_out(session, insn->y);
    const conv_operands c = {
        .window = GM_WINDOW(insn),
        .x = {insn->x_batch, insn->x_h, insn->x_w, insn->x_group, insn->x_channel},
        .w = {insn->w_group, insn->w_out_channel, insn->w_in_channel, insn->w_h, insn->w_w},
        .in_channels = insn->in_channels,
    };
    for (uint32_t b = 0; b < insn->batch; b++) {
        for (uint32_t row = 0; row < insn->out_h; row++) {
            for (uint32_t column = 0; column < insn->out_w; column++) {
                float *at = y + b * insn->y_batch + row * insn->y_h + column * insn->y_w;
                for (uint32_t g = 0; g < insn->groups; g++) {
                    conv_pixel(insn, &c, x + b * insn->x_batch + g * insn->x_group, w + g * insn->w_group,
                               bias ? bias + g * insn->out_channels : NULL, at + g * insn->y_group, row, column);
                }
            }
        }
    }
    return GM_OK;
}

#endif
