/*
 * CONV_TRANSPOSE_S8: x[b,i,j,g,c] = round(multipliers[g,c] (bias[g,c] + sum over kernel rows, columns
 *   and out_channels of (y - y_zero) (w - w_zero)) + offsets[g,c]) + x_zero, clamped to low .. high.
 */
#include "../generated/instructions/conv_transpose_s8.h"
#include "quantized.h"
#include "window.h"

#if GM_WITH_CONV_TRANSPOSE_S8

/* Sum over the out_channels of one tap, modulo 2^32. */
static uint32_t sum_of_tap(const gm_insn_conv_transpose_s8 *insn, const int8_t *y, const int8_t *w)
{
    int32_t y_zero = gm_nearest_int8(insn->y_zero), w_zero = gm_nearest_int8(insn->w_zero);
    uint32_t sum = 0, y_step = insn->y_channel, w_step = insn->w_out_channel;
    for (uint32_t m = insn->out_channels; m > 0; m--, y += y_step, w += w_step) {
        sum += (uint32_t)((*y - y_zero) * (*w - w_zero));
    }
    return sum;
}

/* Sum over all taps that cover (row, column) of x. y: its sample and group; w: its
 * group and channel. */
static uint32_t sum_of_taps(const gm_insn_conv_transpose_s8 *insn, const int8_t *y, const int8_t *w, uint32_t row,
                            uint32_t column)
{
    const gm_window v = GM_WINDOW(insn);
    uint32_t sum = 0;
    for (uint32_t k = 0; k < v.kernel_h; k++) {
        uint32_t o = gm_output_index(row, k, v.stride_h, v.dilation_h, v.pad_h, v.out_h);
        for (uint32_t l = 0; l < v.kernel_w && o != GM_NO_OUTPUT; l++) {
            uint32_t p = gm_output_index(column, l, v.stride_w, v.dilation_w, v.pad_w, v.out_w);
            if (p != GM_NO_OUTPUT) {
                sum += sum_of_tap(insn, y + o * insn->y_h + p * insn->y_w, w + k * insn->w_h + l * insn->w_w);
            }
        }
    }
    return sum;
}

/* All channels of (row, column) of one sample. */
static void transpose_pixel(const gm_insn_conv_transpose_s8 *insn, gm_requantization r, const int8_t *y,
                            const int8_t *w, int8_t *x, uint32_t row, uint32_t column)
{
    for (uint32_t g = 0; g < insn->groups; g++) {
        for (uint32_t c = 0; c < insn->in_channels; c++) {
            uint32_t sum =
                sum_of_taps(insn, y + g * insn->y_group, w + (g * insn->w_group + c * insn->w_in_channel), row, column);
            x[g * insn->x_group + c * insn->x_channel] = gm_requantized(&r, c, gm_start_of_sum(&r, c) + sum);
        }
        gm_skip_channels(&r, insn->in_channels);
    }
}

int gm_kernel_conv_transpose_s8(const struct gm_session *session, const void *instruction)
{
    const gm_insn_conv_transpose_s8 *insn = instruction;
    const gm_requantization r = {
        .bias = insn->bias == GM_NONE ? NULL : gm_i32(session, insn->bias),
        .multipliers = gm_f32(session, insn->multipliers),
        .offsets = gm_f32_optional(session, insn->offsets),
        .range = gm_range_of(insn->x_zero, insn->low, insn->high),
    };
    for (uint32_t b = 0; b < insn->batch; b++) {
        for (uint32_t row = 0; row < insn->in_h; row++) {
            for (uint32_t column = 0; column < insn->in_w; column++) {
                transpose_pixel(insn, r, gm_i8(session, insn->y) + b * insn->y_batch, gm_i8(session, insn->w),
                                gm_i8_out(session, insn->x) + b * insn->x_batch + row * insn->x_h + column * insn->x_w,
                                row, column);
            }
        }
    }
    return GM_OK;
}

#endif
