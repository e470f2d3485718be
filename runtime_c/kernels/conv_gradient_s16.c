/*
 * CONV_GRAD_W_S16: y[g,m,c,k,l] = factor[g,m] 2^dy_exponent sum over batch, output rows and
 *   columns of dy (x - x_zero); with accumulate, added to y. The strides y_batch to
 *   y_channel are those of dy.
 *
 * Sums are exact: they have 64 bits, so batch and image may be of any size.
 */
#include "../generated/instructions/conv_grad_w_s16.h"
#include "../generated/instructions/conv_update_s16.h"
#include "arch/arm_m/conv_grad_s16.h"
#include "arch/simd/s8.h"
#include "conv_gradient_s16.h"

#if GM_WITH_CONV_GRAD_W_S16 || GM_WITH_CONV_UPDATE_S16

/* Returns the sum over one row of outputs. x, dy: the first of them. */
static uint64_t s16_row_sum(const gm_conv_gradient_s8 *g, const int8_t *x, const int16_t *dy, uint32_t outputs)
{
    /* With a single output, the window's stride may be any number. */
    uint32_t x_step = outputs > 1 ? g->window.stride_w * g->x.w : 0;
    uint64_t sum = 0;
    for (; outputs > 0; outputs--) {
        sum += (uint64_t)(int64_t)(*dy * (*x - g->x_zero));
        x += x_step;
        dy += g->dy.w;
    }
    return sum;
}

/* Returns the sum for one tap (k, l) of one input channel over the whole batch. */
static uint64_t s16_tap_sum(const gm_conv_gradient_s8 *g, const int8_t *x, const int16_t *dy, uint32_t k, uint32_t l)
{
    const gm_window *w = &g->window;
    gm_span rows = gm_valid_outputs(k, w->stride_h, w->dilation_h, w->pad_h, w->in_h, w->out_h);
    gm_span columns = gm_valid_outputs(l, w->stride_w, w->dilation_w, w->pad_w, w->in_w, w->out_w);
    uint32_t j = gm_input_index(columns.first, l, w->stride_w, w->dilation_w, w->pad_w);
    uint64_t sum = 0;
    for (uint32_t b = 0; b < g->batch; b++) {
        for (uint32_t o = rows.first; o < rows.end && columns.first < columns.end; o++) {
            uint32_t i = gm_input_index(o, k, w->stride_h, w->dilation_h, w->pad_h);
            sum +=
                s16_row_sum(g, x + b * g->x.batch + i * g->x.h + j * g->x.w,
                            dy + b * g->dy.batch + o * g->dy.h + columns.first * g->dy.w, columns.end - columns.first);
        }
    }
    return sum;
}

void gm_conv_gradient_row_s16(const gm_conv_gradient_s8 *g, const int8_t *x, const int16_t *dy, float unit,
                              float factor, uint32_t accumulate, float *row)
{
    for (uint32_t c = 0; c < g->in_channels; c++, x += g->x.channel) {
        for (uint32_t k = 0; k < g->window.kernel_h; k++) {
            for (uint32_t l = 0; l < g->window.kernel_w; l++, row++) {
                float value = (float)(int64_t)s16_tap_sum(g, x, dy, k, l) * unit * factor;
                *row = accumulate ? *row + value : value;
            }
        }
    }
}

#endif

#if GM_WITH_CONV_GRAD_W_S16

int gm_kernel_conv_grad_w_s16(const struct gm_session *session, const void *instruction)
{
    const gm_insn_conv_grad_w_s16 *insn = instruction;
#if GM_ARCH_CONV_GRAD_W_S16
    const gm_weight_gradients made = {gm_f32_out(session, insn->y), NULL, NULL};
    if (gm_arm_conv_grad_w_s16(session, insn, &made)) {
        return GM_OK;
    }
#elif GM_ARCH_SIMD_S8
    gm_simd_gradient all = GM_SIMD_GRADIENT(session, insn);
    all.y = gm_f32_out(session, insn->y), all.accumulate = insn->accumulate;
    if (gm_simd_conv_gradient_s16(&all)) {
        return GM_OK;
    }
#endif
    const gm_conv_gradient_s8 g = GM_CONV_GRADIENT_S8(insn);
    const int8_t *x = gm_i8(session, insn->x);
    const int16_t *dy = gm_i16(session, insn->dy);
    const float *factor = gm_f32(session, insn->factor);
    float unit = gm_power_of_two(gm_exponent_of(session, insn->dy_exponent).exponent);
    float *row = gm_f32_out(session, insn->y);
    uint32_t size = insn->in_channels * insn->kernel_h * insn->kernel_w;
    for (uint32_t group = 0; group < insn->groups; group++) {
        for (uint32_t m = 0; m < insn->out_channels; m++, row += size) {
            gm_conv_gradient_row_s16(&g, x + group * insn->x_group, dy + group * insn->y_group + m * insn->y_channel,
                                     unit, factor[group * insn->out_channels + m], insn->accumulate, row);
        }
    }
    return GM_OK;
}

#endif
