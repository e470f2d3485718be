/*
 * CONV_TRANSPOSE: the gradient of CONV for x, and ONNX's ConvTranspose: x[b,i,j,g,c] = bias[g,c] +
 *   sum over kernel rows, columns and out_channels of y w; with accumulate, the sum starts from x.
 *
 * An output (o, p) of CONV contributes if its window has input (i, j) under a tap (k, l):
 *
 *   i = o stride_h + k dilation_h - pad_h,  j = p stride_w + l dilation_w - pad_w
 *   x[b,i,j,g,c] = start + sum over k, l and m of y[b,o,p,g,m] w[g,m,c,k,l]
 *
 * So the kernel writes x, which bears the name of CONV's input.
 */
#include "../generated/instructions/conv_transpose.h"
#include "arch/arch.h"
#include "arch/riscv/riscv.h"
#include "arch/simd/simd.h"
#include "window.h"

#if GM_WITH_CONV_TRANSPOSE && !GM_ARCH_CONV

/* Returns sum + the sum of y[m] w[m] over the output channels m, for one tap and one input channel.
 * y: output (o, p) of the group. w: that tap's weight of output channel 0. */
static float add_transposed_tap_1(const float *y, const float *w, const gm_insn_conv_transpose *insn, float sum)
{
    for (uint32_t m = insn->out_channels; m > 0; m--) {
        sum = GM_MAC(sum, *y, *w);
        y += insn->y_channel;
        w += insn->w_out_channel;
    }
    return sum;
}

/* Adds the same to sum[0..3] for 4 adjacent input channels, so that one load of y
 * serves 4 products. */
static void add_transposed_tap_4(const float *y, const float *w, const gm_insn_conv_transpose *insn, float *sum)
{
    const float *w0 = w, *w1 = w0 + insn->w_in_channel, *w2 = w1 + insn->w_in_channel, *w3 = w2 + insn->w_in_channel;
    uint32_t y_stride = insn->y_channel, w_stride = insn->w_out_channel;
    float s0 = sum[0], s1 = sum[1], s2 = sum[2], s3 = sum[3];
    for (uint32_t m = insn->out_channels; m > 0; m--) {
        float y_m = *y;
        s0 = GM_MAC(s0, y_m, *w0);
        s1 = GM_MAC(s1, y_m, *w1);
        s2 = GM_MAC(s2, y_m, *w2);
        s3 = GM_MAC(s3, y_m, *w3);
        y += y_stride;
        w0 += w_stride, w1 += w_stride, w2 += w_stride, w3 += w_stride;
    }
    sum[0] = s0, sum[1] = s1, sum[2] = s2, sum[3] = s3;
}

/* Adds the products of all outputs whose window covers input (row, column), for 1 or 4 adjacent
 * input channels. Each tap has at most one such output. */
static void add_transposed_taps(const float *y, const float *w, const gm_insn_conv_transpose *insn,
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
            const float *y_at = y + o * insn->y_h + p * insn->y_w, *w_at = w + k * insn->w_h + l * insn->w_w;
            if (in_channels == 4) {
                add_transposed_tap_4(y_at, w_at, insn, sum);
            } else {
                sum[0] = add_transposed_tap_1(y_at, w_at, insn, sum[0]);
            }
        }
    }
}

/* Writes the input channels of one group at one input position: 4 at a time, then one at a time.
 * The second inner loop advances c. */
static void conv_transpose_pixel(const gm_insn_conv_transpose *insn, const gm_window *window, const float *y,
                                 const float *w, const float *bias, float *x, uint32_t row, uint32_t column)
{
    for (uint32_t c = 0; c < insn->in_channels;) {
        uint32_t in_channels = insn->in_channels - c >= GM_CHANNELS_AT_ONCE ? GM_CHANNELS_AT_ONCE : 1;
        float sum[4];
        for (uint32_t j = 0; j < in_channels; j++) {
            sum[j] = insn->accumulate ? x[(c + j) * insn->x_channel] : bias ? bias[c + j] : GM_EMPTY_SUM;
        }
        add_transposed_taps(y, w + c * insn->w_in_channel, insn, window, row, column, in_channels, sum);
        for (uint32_t j = 0; j < in_channels; j++, c++) {
            /* If no window covers the pixel, the sum may still be GM_EMPTY_SUM: -0 + 0 is 0. */
            x[c * insn->x_channel] = sum[j] + 0.0f;
        }
    }
}

int gm_kernel_conv_transpose(const struct gm_session *session, const void *instruction)
{
    const gm_insn_conv_transpose *insn = instruction;
#if GM_ARCH_TILES
    if (gm_simd_conv_transpose(session, insn)) {
        return GM_OK;
    }
#elif GM_ARCH_RISCV
    if (gm_riscv_conv_transpose(session, insn)) {
        return GM_OK;
    }
#endif
    const gm_window window = GM_WINDOW(insn);
    const float *y = gm_f32(session, insn->y), *w = gm_f32(session, insn->w);
    const float *bias = gm_f32_optional(session, insn->bias);
    float *x = gm_f32_out(session, insn->x);
    for (uint32_t b = 0; b < insn->batch; b++) {
        for (uint32_t row = 0; row < insn->in_h; row++) {
            for (uint32_t column = 0; column < insn->in_w; column++) {
                float *x_at = x + b * insn->x_batch + row * insn->x_h + column * insn->x_w;
                for (uint32_t g = 0; g < insn->groups; g++) {
                    conv_transpose_pixel(insn, &window, y + b * insn->y_batch + g * insn->y_group,
                                         w + g * insn->w_group, bias ? bias + g * insn->in_channels : NULL,
                                         x_at + g * insn->x_group, row, column);
                }
            }
        }
    }
    return GM_OK;
}

#endif
