/*
 * CONV_GRAD_X_S8: x[b,i,j,g,c] = sum over kernel rows, columns and out_channels of y (w - w_zero):
 *   the gradient of CONV_S8 for x, from y in float32; with accumulate, the sum starts from x.
 *
 * This is CONV_TRANSPOSE with 8-bit weights. Products and sums round separately in both profiles.
 */
#include "../generated/instructions/conv_grad_x_s8.h"
#include "quantized.h"
#include "window.h"

#if GM_WITH_CONV_GRAD_X_S8

/* Returns sum + the sum of y[m] (w[m] - zero) over the output channels m, for one tap and one input
 * channel. */
static float add_gradient_tap_1_s8(const float *y, const int8_t *w, const gm_insn_conv_grad_x_s8 *insn, float sum)
{
    int32_t zero = gm_nearest_int8(insn->w_zero);
    for (uint32_t m = insn->out_channels; m > 0; m--) {
        sum = sum + *y * (float)(*w - zero);
        y += insn->y_channel;
        w += insn->w_out_channel;
    }
    return sum;
}

/* Adds the same to sum[0..3] for 4 adjacent input channels. */
static void add_gradient_tap_4_s8(const float *y, const int8_t *w, const gm_insn_conv_grad_x_s8 *insn, float *sum)
{
    int32_t zero = gm_nearest_int8(insn->w_zero);
    const int8_t *w1 = w + insn->w_in_channel, *w2 = w1 + insn->w_in_channel, *w3 = w2 + insn->w_in_channel;
    uint32_t y_stride = insn->y_channel, w_stride = insn->w_out_channel;
    float s0 = sum[0], s1 = sum[1], s2 = sum[2], s3 = sum[3];
    for (uint32_t m = insn->out_channels; m > 0; m--) {
        float y_m = *y;
        s0 = s0 + y_m * (float)(*w - zero);
        s1 = s1 + y_m * (float)(*w1 - zero);
        s2 = s2 + y_m * (float)(*w2 - zero);
        s3 = s3 + y_m * (float)(*w3 - zero);
        y += y_stride;
        w += w_stride, w1 += w_stride, w2 += w_stride, w3 += w_stride;
    }
    sum[0] = s0, sum[1] = s1, sum[2] = s2, sum[3] = s3;
}

/* Adds the products of all outputs whose window covers input (row, column), for 1 or 4 adjacent
 * input channels. Each tap has at most one such output. */
static void add_gradient_taps_s8(const float *y, const int8_t *w, const gm_insn_conv_grad_x_s8 *insn,
                                 const gm_window *window, uint32_t row, uint32_t column, uint32_t in_channels,
                                 float *sum)
{
    for (uint32_t k = 0; k < window->kernel_h; k++) {
        uint32_t o = gm_output_index(row, k, window->stride_h, window->dilation_h, window->pad_h, window->out_h);
        for (uint32_t l = 0; l < window->kernel_w && o != GM_NO_OUTPUT; l++) {
            uint32_t p = gm_output_index(column, l, window->stride_w, window->dilation_w, window->pad_w, window->out_w);
            if (p == GM_NO_OUTPUT) {
                continue;
            }
            const float *y_at = y + o * insn->y_h + p * insn->y_w;
            const int8_t *w_at = w + k * insn->w_h + l * insn->w_w;
            if (in_channels == 4) {
                add_gradient_tap_4_s8(y_at, w_at, insn, sum);
            } else {
                sum[0] = add_gradient_tap_1_s8(y_at, w_at, insn, sum[0]);
            }
        }
    }
}

/* Writes the input channels of one group at one input position: 4 at a time, then one at a time.
 * The second inner loop advances c. */
static void gradient_pixel_s8(const gm_insn_conv_grad_x_s8 *insn, const gm_window *window, const float *y,
                              const int8_t *w, float *x, uint32_t row, uint32_t column)
{
    for (uint32_t c = 0; c < insn->in_channels;) {
        uint32_t in_channels = insn->in_channels - c >= 4 ? 4 : 1;
        float sum[4];
        for (uint32_t j = 0; j < in_channels; j++) {
            sum[j] = insn->accumulate ? x[(c + j) * insn->x_channel] : 0.0f;
        }
        add_gradient_taps_s8(y, w + c * insn->w_in_channel, insn, window, row, column, in_channels, sum);
        for (uint32_t j = 0; j < in_channels; j++, c++) {
            x[c * insn->x_channel] = sum[j];
        }
    }
}

int gm_kernel_conv_grad_x_s8(const struct gm_session *session, const void *instruction)
{
    const gm_insn_conv_grad_x_s8 *insn = instruction;
    const gm_window window = GM_WINDOW(insn);
    const float *y = gm_f32(session, insn->y);
    const int8_t *w = gm_i8(session, insn->w);
    float *x = gm_f32_out(session, insn->x);
    for (uint32_t b = 0; b < insn->batch; b++) {
        for (uint32_t row = 0; row < insn->in_h; row++) {
            for (uint32_t column = 0; column < insn->in_w; column++) {
                float *x_at = x + b * insn->x_batch + row * insn->x_h + column * insn->x_w;
                for (uint32_t g = 0; g < insn->groups; g++) {
                    gradient_pixel_s8(insn, &window, y + b * insn->y_batch + g * insn->y_group, w + g * insn->w_group,
                                      x_at + g * insn->x_group, row, column);
                }
            }
        }
    }
    return GM_OK;
}

#endif
