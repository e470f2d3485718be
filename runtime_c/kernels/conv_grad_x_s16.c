/*
 * CONV_GRAD_X_S16: dx 2^exponent = scale[g,c] (2^dy_exponent sum over kernel rows, columns
 *   and out_channels of dy (w - w_zero) + addend) if low < q < high and the bit of mask is
 *   1, else 0, rounded.
 *
 * The exponent follows from the largest dy or addend and the gain: the ratio of dx to these in
 * earlier steps, plus two bits of headroom. So a batch with a large loss does not saturate. If the
 * gain is unknown, the kernel computes the sums twice, the first time to find the gain.
 */
#include "../generated/instructions/conv_grad_x_s16.h"
#include "conv_grad_x_s16.h"
#include "arch/arm_m/conv_grad_s16.h"
#include "arch/simd/s8.h"

#if GM_WITH_CONV_GRAD_X_S16

/* Headroom in bits above the expected magnitude. */
#define ROOM 2

/* The word `gain` is GAIN_ONE + GAIN_STEPS log2 of the gain, or 0 if the gain is unknown. It decays
 * by 1 each step, unless the measured gain is larger. */
#define GAIN_STEPS 8
#define GAIN_ONE 8192
#define GAIN_MOST (2 * GAIN_ONE)

/* sum[j] += dy w[j] over the output channels of one tap, for 4 adjacent input channels j. */
static void add_s16_tap_4(const gm_grad_x_s16 *x, const int16_t *dy, const int8_t *w, uint32_t *sum)
{
    uint32_t dy_step = x->insn->y_channel, w_step = x->insn->w_out_channel;
    const int8_t *w0 = w, *w1 = w0 + x->insn->w_in_channel, *w2 = w1 + x->insn->w_in_channel;
    const int8_t *w3 = w2 + x->insn->w_in_channel;
    uint32_t s0 = sum[0], s1 = sum[1], s2 = sum[2], s3 = sum[3];
    int32_t zero = x->w_zero;
    for (uint32_t m = x->insn->out_channels; m > 0; m--) {
        int32_t value = *dy;
        s0 += (uint32_t)(value * (*w0 - zero));
        s1 += (uint32_t)(value * (*w1 - zero));
        s2 += (uint32_t)(value * (*w2 - zero));
        s3 += (uint32_t)(value * (*w3 - zero));
        dy += dy_step;
        w0 += w_step, w1 += w_step, w2 += w_step, w3 += w_step;
    }
    sum[0] = s0, sum[1] = s1, sum[2] = s2, sum[3] = s3;
}

static void add_s16_tap_1(const gm_grad_x_s16 *x, const int16_t *dy, const int8_t *w, uint32_t *sum)
{
    uint32_t s = *sum;
    for (uint32_t m = x->insn->out_channels; m > 0; m--) {
        s += (uint32_t)(*dy * (*w - x->w_zero));
        dy += x->insn->y_channel;
        w += x->insn->w_out_channel;
    }
    *sum = s;
}

/* Adds the products of all outputs whose window covers input (row, column), for 1 or 4
 * adjacent input channels. */
static void add_s16_taps(const gm_grad_x_s16 *x, const int16_t *dy, const int8_t *w, uint32_t row, uint32_t column,
                         uint32_t at_once, uint32_t *sum)
{
    const gm_window *v = &x->window;
    for (uint32_t k = 0; k < v->kernel_h; k++) {
        uint32_t o = gm_output_index(row, k, v->stride_h, v->dilation_h, v->pad_h, v->out_h);
        for (uint32_t l = 0; l < v->kernel_w && o != GM_NO_OUTPUT; l++) {
            uint32_t p = gm_output_index(column, l, v->stride_w, v->dilation_w, v->pad_w, v->out_w);
            if (p != GM_NO_OUTPUT) {
                (at_once == 4 ? add_s16_tap_4 : add_s16_tap_1)(x, dy + o * x->insn->y_h + p * x->insn->y_w,
                                                               w + k * x->insn->w_h + l * x->insn->w_w, sum);
            }
        }
    }
}

/* The input channels of one group at one input position. `at` is the offset of the first one in dx,
 * and `channel` its index among the channels of all groups. */
static void make_s16_pixel(const gm_grad_x_s16 *x, gm_gradient_s16 *made, int16_t *dx, const int16_t *dy,
                           const int8_t *w, uint32_t row, uint32_t column, uint32_t at, uint32_t channel)
{
    for (uint32_t c = 0; c < x->insn->in_channels;) {
        uint32_t at_once = x->insn->in_channels - c >= 4 ? 4 : 1;
        uint32_t sum[4] = {0};
        add_s16_taps(x, dy, w + c * x->insn->w_in_channel, row, column, at_once, sum);
        for (uint32_t j = 0; j < at_once; j++, c++) {
            uint32_t here = at + c * x->insn->x_channel;
            gm_make(made, dx, here, gm_finish_s16_sum(x, sum[j], here, channel + c));
        }
    }
}

/* Scans all values, and writes them to dx unless it is NULL. dx may be the addend. */
static void make_conv_grad_x(const gm_session *session, const gm_grad_x_s16 *x, gm_gradient_s16 *made, int16_t *dx)
{
    const gm_insn_conv_grad_x_s16 *insn = x->insn;
#if GM_ARCH_CONV_GRAD_X_S16
    if (gm_arm_conv_grad_x_s16(session, insn, made, dx)) {
        return;
    }
#elif GM_ARCH_SIMD_S8
    if (gm_simd_conv_grad_x_s16(session, x, made, dx)) {
        return;
    }
#else
    (void)session;
#endif
    for (uint32_t b = 0; b < insn->batch; b++) {
        for (uint32_t row = 0; row < insn->in_h; row++) {
            for (uint32_t column = 0; column < insn->in_w; column++) {
                uint32_t at = b * insn->x_batch + row * insn->x_h + column * insn->x_w;
                for (uint32_t g = 0; g < insn->groups; g++) {
                    make_s16_pixel(x, made, dx, x->dy + b * insn->y_batch + g * insn->y_group, x->w + g * insn->w_group,
                                   row, column, at + g * insn->x_group, g * insn->in_channels);
                }
            }
        }
    }
}

/* Returns the magnitude that the gain predicts, rounded up. */
static int32_t expected_magnitude(int32_t source, int32_t gain)
{
    return source + (gain + GAIN_STEPS - 1) / GAIN_STEPS - GAIN_ONE / GAIN_STEPS;
}

/* Returns the gain for the next step. Tensors of zeros leave it unchanged. */
static int32_t next_gain(int32_t source, int32_t magnitude, int32_t gain)
{
    if (source == GM_ZERO_MAGNITUDE || magnitude == GM_ZERO_MAGNITUDE) {
        return gain;
    }
    int32_t found = gm_bounded((magnitude - source) * GAIN_STEPS + GAIN_ONE, 1, GAIN_MOST);
    return gain > found + 1 ? gain - 1 : found;
}

static gm_grad_x_s16 open_conv_grad_x(const gm_session *session, const gm_insn_conv_grad_x_s16 *insn, int32_t *source)
{
    int has_addend = insn->addend != GM_NONE && insn->addend_exponent != GM_NONE;
    const gm_exponent none = {0, GM_ZERO_MAGNITUDE}, dy = gm_exponent_of(session, insn->dy_exponent);
    const gm_exponent addend = has_addend ? gm_exponent_of(session, insn->addend_exponent) : none;
    *source = dy.magnitude > addend.magnitude ? dy.magnitude : addend.magnitude;
    return (gm_grad_x_s16){
        .insn = insn,
        .window = GM_WINDOW(insn),
        .dy = gm_i16(session, insn->dy),
        .addend = has_addend ? gm_i16(session, insn->addend) : NULL,
        .w = gm_i8(session, insn->w),
        .scale = gm_f32_optional(session, insn->scale),
        .unit = gm_power_of_two(dy.exponent),
        .addend_unit = gm_power_of_two(addend.exponent),
        .w_zero = gm_nearest_int8(insn->w_zero),
        .mask = GM_CLAMP_MASK(session, insn),
    };
}

int gm_kernel_conv_grad_x_s16(const struct gm_session *session, const void *instruction)
{
    const gm_insn_conv_grad_x_s16 *insn = instruction;
    int32_t source, *gain = gm_i32_out(session, insn->gain), known = gm_bounded(*gain, 0, GAIN_MOST);
    const gm_grad_x_s16 x = open_conv_grad_x(session, insn, &source);
    gm_gradient_s16 made = {0};
    if (known == 0) {
        make_conv_grad_x(session, &x, &made, NULL);
        known = next_gain(source, gm_magnitude_of(made.largest), 0);
    }
    int32_t exponent = gm_choose_exponent(&made, expected_magnitude(source, known), ROOM, insn->limit);
    make_conv_grad_x(session, &x, &made, gm_i16_out(session, insn->dx));
    *gain = next_gain(source, gm_magnitude_of(made.largest), known);
    gm_write_exponent(session, insn->exponent, exponent, &made);
    return GM_OK;
}

#endif
