/*
 * CONV_GRAD_W_S8: y[g,m,c,k,l] = factor[g,m] times the sum over batch, output rows and columns of
 *   dy (x - x_zero): the gradient of CONV_S8's w; with accumulate, it is added to y. The strides
 *   y_batch to y_channel are those of dy.
 *
 * Products and sums round separately in both profiles.
 */
#include "../generated/instructions/conv_grad_w_s8.h"
#include "../generated/instructions/conv_update_s8.h"
#include "conv_gradient_s8.h"

#if GM_WITH_CONV_GRAD_W_S8 || GM_WITH_CONV_UPDATE_S8

/* sum[j] += dy (x[j] - x_zero) over `outputs` outputs of one row, for 4 input channels j. x and dy:
 * the first output. With a single output, the window's stride may be any number. */
static void add_gradient_row_4_s8(const gm_conv_gradient_s8 *g, const int8_t *x, const float *dy, uint32_t outputs,
                                  float *sum)
{
    uint32_t x_step = outputs > 1 ? g->window.stride_w * g->x.w : 0, y_step = g->dy.w, c = g->x.channel;
    int32_t zero = g->x_zero;
    const int8_t *x1 = x + c, *x2 = x1 + c, *x3 = x2 + c;
    float s0 = sum[0], s1 = sum[1], s2 = sum[2], s3 = sum[3];
    for (; outputs > 0; outputs--) {
        float value = *dy;
        s0 = s0 + value * (float)(*x - zero);
        s1 = s1 + value * (float)(*x1 - zero);
        s2 = s2 + value * (float)(*x2 - zero);
        s3 = s3 + value * (float)(*x3 - zero);
        x += x_step, x1 += x_step, x2 += x_step, x3 += x_step;
        dy += y_step;
    }
    sum[0] = s0, sum[1] = s1, sum[2] = s2, sum[3] = s3;
}

static void add_gradient_row_1_s8(const gm_conv_gradient_s8 *g, const int8_t *x, const float *dy, uint32_t outputs,
                                  float *sum)
{
    uint32_t x_step = outputs > 1 ? g->window.stride_w * g->x.w : 0;
    float s = *sum;
    for (; outputs > 0; outputs--) {
        s = s + *dy * (float)(*x - g->x_zero);
        x += x_step;
        dy += g->dy.w;
    }
    *sum = s;
}

/* One tap of 1 or 4 adjacent input channels, over the whole batch. */
static void add_weight_gradient_tap_s8(const gm_conv_gradient_s8 *g, const int8_t *x, const float *dy, gm_span rows,
                                       gm_span columns, uint32_t k, uint32_t l, uint32_t in_channels, float *sum)
{
    const gm_window *w = &g->window;
    uint32_t j = gm_input_index(columns.first, l, w->stride_w, w->dilation_w, w->pad_w);
    for (uint32_t b = 0; b < g->batch; b++) {
        for (uint32_t o = rows.first; o < rows.end && columns.first < columns.end; o++) {
            uint32_t i = gm_input_index(o, k, w->stride_h, w->dilation_h, w->pad_h);
            const int8_t *x_at = x + b * g->x.batch + i * g->x.h + j * g->x.w;
            const float *dy_at = dy + b * g->dy.batch + o * g->dy.h + columns.first * g->dy.w;
            (in_channels == 4 ? add_gradient_row_4_s8 : add_gradient_row_1_s8)(g, x_at, dy_at,
                                                                               columns.end - columns.first, sum);
        }
    }
}

void gm_conv_gradient_row_s8(const gm_conv_gradient_s8 *g, const int8_t *x, const float *dy, float factor,
                             uint32_t accumulate, float *row)
{
    const gm_window *w = &g->window;
    uint32_t taps = w->kernel_h * w->kernel_w;
    for (uint32_t k = 0; k < w->kernel_h; k++) {
        gm_span rows = gm_valid_outputs(k, w->stride_h, w->dilation_h, w->pad_h, w->in_h, w->out_h);
        for (uint32_t l = 0; l < w->kernel_w; l++) {
            gm_span columns = gm_valid_outputs(l, w->stride_w, w->dilation_w, w->pad_w, w->in_w, w->out_w);
            float *at = row + k * w->kernel_w + l;
            for (uint32_t c = 0; c < g->in_channels;) {
                uint32_t in_channels = g->in_channels - c >= 4 ? 4 : 1;
                float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
                add_weight_gradient_tap_s8(g, x + c * g->x.channel, dy, rows, columns, k, l, in_channels, sum);
                for (uint32_t j = 0; j < in_channels; j++, c++) {
                    float product = factor * sum[j];
                    at[c * taps] = accumulate ? at[c * taps] + product : product;
                }
            }
        }
    }
}

#endif

#if GM_WITH_CONV_GRAD_W_S8

int gm_kernel_conv_grad_w_s8(const struct gm_session *session, const void *instruction)
{
    const gm_insn_conv_grad_w_s8 *insn = instruction;
    const gm_conv_gradient_s8 g = GM_CONV_GRADIENT_S8(insn);
    const int8_t *x = gm_i8(session, insn->x);
    const float *dy = gm_f32(session, insn->dy), *factor = gm_f32(session, insn->factor);
    float *row = gm_f32_out(session, insn->y);
    uint32_t size = insn->in_channels * insn->kernel_h * insn->kernel_w;
    for (uint32_t group = 0; group < insn->groups; group++) {
        const int8_t *x_at = x + group * insn->x_group;
        for (uint32_t m = 0; m < insn->out_channels; m++, row += size, factor++) {
            gm_conv_gradient_row_s8(&g, x_at, dy + group * insn->y_group + m * insn->y_channel, *factor,
                                    insn->accumulate, row);
        }
    }
    return GM_OK;
}

#endif
