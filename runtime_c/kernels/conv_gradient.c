/*
 * CONV_GRAD_W: y[g,m,c,k,l] = sum over batch, output rows and columns of dy x: the
 *   gradient of CONV's w; with accumulate, the sum starts from y. The strides y_batch to
 *   y_channel are those of dy.
 */
#include "../generated/instructions/conv_grad_w.h"
#include "../generated/instructions/conv_update.h"
#include "conv_gradient.h"

#if (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE) && !GM_ARCH_CONV

/* Elements from one output's x to the next one's. With a single output, the window's stride may be
 * any number, and an address computed from it would wrap. */
static uint32_t step_of(const gm_conv_gradient *g, uint32_t outputs)
{
    return outputs > 1 ? g->window.stride_w * g->x.w : 0;
}

/* sum[j] += dy x[j] over `outputs` outputs of one row, for 4 input channels j. x and
 * dy: the first output. */
static void add_row_4(const gm_conv_gradient *g, const float *x, const float *dy, uint32_t outputs, float *sum)
{
    uint32_t x_step = step_of(g, outputs), y_step = g->dy.w, c = g->x.channel;
    const float *x1 = x + c, *x2 = x1 + c, *x3 = x2 + c;
    float s0 = sum[0], s1 = sum[1], s2 = sum[2], s3 = sum[3];
    for (; outputs > 0; outputs--) {
        float value = *dy;
        s0 = GM_MAC(s0, value, *x);
        s1 = GM_MAC(s1, value, *x1);
        s2 = GM_MAC(s2, value, *x2);
        s3 = GM_MAC(s3, value, *x3);
        x += x_step, x1 += x_step, x2 += x_step, x3 += x_step;
        dy += y_step;
    }
    sum[0] = s0, sum[1] = s1, sum[2] = s2, sum[3] = s3;
}

static void add_row_1(const gm_conv_gradient *g, const float *x, const float *dy, uint32_t outputs, float *sum)
{
    uint32_t x_step = step_of(g, outputs);
    float s = *sum;
    for (; outputs > 0; outputs--) {
        s = GM_MAC(s, *dy, *x);
        x += x_step;
        dy += g->dy.w;
    }
    *sum = s;
}

/* One tap of 1 or 4 adjacent input channels, over the whole batch. */
static void add_weight_gradient_tap(const gm_conv_gradient *g, const float *x, const float *dy, gm_span rows,
                                    gm_span columns, uint32_t k, uint32_t l, uint32_t in_channels, float *sum)
{
    const gm_window *w = &g->window;
    uint32_t j = gm_input_index(columns.first, l, w->stride_w, w->dilation_w, w->pad_w);
    for (uint32_t b = 0; b < g->batch; b++) {
        for (uint32_t o = rows.first; o < rows.end && columns.first < columns.end; o++) {
            uint32_t i = gm_input_index(o, k, w->stride_h, w->dilation_h, w->pad_h);
            const float *x_at = x + b * g->x.batch + i * g->x.h + j * g->x.w;
            const float *dy_at = dy + b * g->dy.batch + o * g->dy.h + columns.first * g->dy.w;
            (in_channels == 4 ? add_row_4 : add_row_1)(g, x_at, dy_at, columns.end - columns.first, sum);
        }
    }
}

void gm_conv_gradient_row(const gm_conv_gradient *g, const float *x, const float *dy, float *row)
{
    const gm_window *w = &g->window;
    uint32_t taps = w->kernel_h * w->kernel_w;
    for (uint32_t k = 0; k < w->kernel_h; k++) {
        gm_span rows = gm_valid_outputs(k, w->stride_h, w->dilation_h, w->pad_h, w->in_h, w->out_h);
        for (uint32_t l = 0; l < w->kernel_w; l++) {
            gm_span columns = gm_valid_outputs(l, w->stride_w, w->dilation_w, w->pad_w, w->in_w, w->out_w);
            float *at = row + k * w->kernel_w + l;
            for (uint32_t c = 0; c < g->in_channels;) {
                uint32_t in_channels = g->in_channels - c >= GM_CHANNELS_AT_ONCE ? GM_CHANNELS_AT_ONCE : 1;
                float sum[4];
                for (uint32_t j = 0; j < in_channels; j++) {
                    sum[j] = at[(c + j) * taps];
                }
                add_weight_gradient_tap(g, x + c * g->x.channel, dy, rows, columns, k, l, in_channels, sum);
                for (uint32_t j = 0; j < in_channels; j++, c++) {
                    at[c * taps] = sum[j];
                }
            }
        }
    }
}

#endif

#if GM_WITH_CONV_GRAD_W

int gm_kernel_conv_grad_w(const struct gm_session *session, const void *instruction)
{
    const gm_insn_conv_grad_w *insn = instruction;
    const gm_conv_gradient g = GM_CONV_GRADIENT(insn);
    const float *x = gm_f32(session, insn->x), *dy = gm_f32(session, insn->dy);
    float *row = gm_f32_out(session, insn->y);
    uint32_t size = insn->in_channels * insn->kernel_h * insn->kernel_w;
#if GM_ARCH_CONV_NEIGHBOURS
    const gm_gradient_target target = {insn->groups, insn->out_channels, NULL, row, insn->accumulate};
    if (gm_conv_gradient_of_neighbours(&g, x, dy, &target)) {
        return GM_OK;
    }
#endif
    for (uint32_t group = 0; group < insn->groups; group++) {
        for (uint32_t m = 0; m < insn->out_channels; m++, row += size) {
            for (uint32_t i = 0; i < size && !insn->accumulate; i++) {
                row[i] = GM_EMPTY_SUM;
            }
            gm_conv_gradient_row(&g, x + group * insn->x_group, dy + group * insn->y_group + m * insn->y_channel, row);
        }
    }
    return GM_OK;
}

#endif
