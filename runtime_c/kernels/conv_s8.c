/*
 * CONV_S8: y[b,o,p,g,m] = round(multipliers[g,m] (bias[g,m] + sum over kernel rows, columns and
 *   in_channels of (x - x_zero) (w - w_zero)) + offsets[g,m]) + y_zero, clamped to low .. high.
 */
#include "../generated/instructions/conv_s8.h"
#include "arch/arm_m/conv_s8.h"
#include "arch/simd/s8.h"
#include "quantized.h"
#include "window.h"

#if GM_WITH_CONV_S8

/* Strides of the weights (groups, out_channels, in_channels, kernel_h, kernel_w). */
typedef struct int8_weight_strides {
    uint32_t group, out_channel, channel, h, w;
} int8_weight_strides;

typedef struct conv_s8_operands {
    gm_window window;
    gm_layout x;
    int8_weight_strides w;
    uint32_t in_channels;
    int32_t x_zero, w_zero;
} conv_s8_operands;

/* sum[j] += x w[j] over the input channels of one tap, for 4 adjacent output channels j. */
static void add_int8_tap_4(const int8_t *x, const int8_t *w, const conv_s8_operands *c, uint32_t *sum)
{
    const int8_t *w0 = w, *w1 = w0 + c->w.out_channel, *w2 = w1 + c->w.out_channel, *w3 = w2 + c->w.out_channel;
    uint32_t x_step = c->x.channel, w_step = c->w.channel;
    uint32_t s0 = sum[0], s1 = sum[1], s2 = sum[2], s3 = sum[3];
    int32_t x_zero = c->x_zero, w_zero = c->w_zero;
    for (uint32_t i = c->in_channels; i > 0; i--) {
        int32_t value = *x - x_zero;
        s0 += (uint32_t)(value * (*w0 - w_zero));
        s1 += (uint32_t)(value * (*w1 - w_zero));
        s2 += (uint32_t)(value * (*w2 - w_zero));
        s3 += (uint32_t)(value * (*w3 - w_zero));
        x += x_step;
        w0 += w_step, w1 += w_step, w2 += w_step, w3 += w_step;
    }
    sum[0] = s0, sum[1] = s1, sum[2] = s2, sum[3] = s3;
}

static void add_int8_tap_1(const int8_t *x, const int8_t *w, const conv_s8_operands *c, uint32_t *sum)
{
    uint32_t s = *sum, x_step = c->x.channel, w_step = c->w.channel;
    int32_t x_zero = c->x_zero, w_zero = c->w_zero;
    for (uint32_t i = c->in_channels; i > 0; i--, x += x_step, w += w_step) {
        s += (uint32_t)((*x - x_zero) * (*w - w_zero));
    }
    *sum = s;
}

/* All taps of output (row, column), for 1 or 4 adjacent output channels. x:
 * its sample and group. */
static void add_int8_taps(const int8_t *x, const int8_t *w, const conv_s8_operands *c, uint32_t row, uint32_t column,
                          uint32_t out_channels, uint32_t *sum)
{
    const gm_window *window = &c->window;
    for (uint32_t k = 0; k < window->kernel_h; k++) {
        uint32_t i = gm_input_index(row, k, window->stride_h, window->dilation_h, window->pad_h);
        for (uint32_t l = 0; l < window->kernel_w && i < window->in_h; l++) {
            uint32_t j = gm_input_index(column, l, window->stride_w, window->dilation_w, window->pad_w);
            if (j < window->in_w) {
                (out_channels == 4 ? add_int8_tap_4 : add_int8_tap_1)(x + i * c->x.h + j * c->x.w,
                                                                      w + k * c->w.h + l * c->w.w, c, sum);
            }
        }
    }
}

/* The output channels of one group at one output position. */
static void conv_s8_pixel(const conv_s8_operands *c, const gm_requantization *r, uint32_t out_channels, const int8_t *x,
                          const int8_t *w, int8_t *y, uint32_t y_step, uint32_t row, uint32_t column)
{
    for (uint32_t m = 0; m < out_channels;) {
        uint32_t at_once = out_channels - m >= 4 ? 4 : 1;
        uint32_t sum[4];
        for (uint32_t j = 0; j < at_once; j++) {
            sum[j] = gm_start_of_sum(r, m + j);
        }
        add_int8_taps(x, w + m * c->w.out_channel, c, row, column, at_once, sum);
        for (uint32_t j = 0; j < at_once; j++, m++) {
            y[m * y_step] = gm_requantized(r, m, sum[j]);
        }
    }
}

/* Output (row, column) of one sample, in all groups. */
static void conv_s8_groups(const gm_insn_conv_s8 *insn, const conv_s8_operands *c, gm_requantization r, const int8_t *x,
                           const int8_t *w, int8_t *y, uint32_t row, uint32_t column)
{
    for (uint32_t g = 0; g < insn->groups; g++) {
        conv_s8_pixel(c, &r, insn->out_channels, x + g * insn->x_group, w + g * insn->w_group, y + g * insn->y_group,
                      insn->y_channel, row, column);
        gm_skip_channels(&r, insn->out_channels);
    }
}

int gm_kernel_conv_s8(const struct gm_session *session, const void *instruction)
{
    const gm_insn_conv_s8 *insn = instruction;
#if GM_ARCH_PAIRS
    if (gm_arm_conv_s8(session, insn)) {
        return GM_OK;
    }
#elif GM_ARCH_SIMD_S8
    if (gm_simd_conv_s8(session, insn)) {
        return GM_OK;
    }
#endif
    const conv_s8_operands c = {
        .window = GM_WINDOW(insn),
        .x = {insn->x_batch, insn->x_h, insn->x_w, insn->x_group, insn->x_channel},
        .w = {insn->w_group, insn->w_out_channel, insn->w_in_channel, insn->w_h, insn->w_w},
        .in_channels = insn->in_channels,
        .x_zero = gm_nearest_int8(insn->x_zero),
        .w_zero = gm_nearest_int8(insn->w_zero),
    };
    const gm_requantization r = GM_REQUANTIZATION(session, insn);
    for (uint32_t b = 0; b < insn->batch; b++) {
        for (uint32_t row = 0; row < insn->out_h; row++) {
            for (uint32_t column = 0; column < insn->out_w; column++) {
                conv_s8_groups(insn, &c, r, gm_i8(session, insn->x) + b * insn->x_batch, gm_i8(session, insn->w),
                               gm_i8_out(session, insn->y) + b * insn->y_batch + row * insn->y_h + column * insn->y_w,
                               row, column);
            }
        }
    }
    return GM_OK;
}

#endif
