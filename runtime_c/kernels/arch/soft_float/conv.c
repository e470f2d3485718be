/*
 * Convolutions and their gradients on a processor without floats. Each output is one sum over
 * three loops: CONV runs over kernel rows, kernel columns and input channels; CONV_TRANSPOSE over
 * kernel rows, kernel columns and output channels; a weight gradient over samples, output rows
 * and output columns.
 */
#include "../../../generated/instructions/conv.h"
#include "../../../generated/instructions/conv_grad_w.h"
#include "../../../generated/instructions/conv_transpose.h"
#include "../../../generated/instructions/conv_update.h"
#include "../../conv_gradient.h"
#include "soft_products.h"

#if GM_ARCH_SOFT_FLOAT

#if GM_WITH_CONV

/* The kernel taps [first, end) of output o that are inside the input, along one axis. */
static gm_span taps_of_output(uint32_t o, uint32_t stride, uint32_t dilation, uint32_t pad, uint32_t in,
                              uint32_t kernel)
{
    return gm_valid_outputs(o, dilation, stride, pad, in, kernel);
}

/* The output channels of one group at one output position. x, w and y: at the position's first tap
 * inside the input, and at its first output channel. */
static void soft_conv_pixel(const gm_insn_conv *insn, const float *x, const float *w, const float *bias, float *y,
                            const soft_loop *loops)
{
    for (uint32_t m = 0; m < insn->out_channels; m++, w += insn->w_out_channel, y += insn->y_channel) {
        float sum = gm_soft_sum_products(bias ? bias[m] : GM_EMPTY_SUM, x, w, loops);
        *y = insn->activation == GM_ACTIVATION_RELU && gm_is_negative(sum) ? 0.0f : sum;
    }
}

/* One row of outputs. x and y: the sample; taps: the kernel rows inside the input. */
static void soft_conv_row(const struct gm_session *session, const gm_insn_conv *insn, const float *x, float *y,
                          uint32_t row, gm_span taps)
{
    const float *w = gm_f32(session, insn->w), *bias = gm_f32_optional(session, insn->bias);
    uint32_t i = gm_input_index(row, taps.first, insn->stride_h, insn->dilation_h, insn->pad_h);
    for (uint32_t column = 0; column < insn->out_w; column++) {
        gm_span across =
            taps_of_output(column, insn->stride_w, insn->dilation_w, insn->pad_w, insn->in_w, insn->kernel_w);
        uint32_t j = gm_input_index(column, across.first, insn->stride_w, insn->dilation_w, insn->pad_w);
        const soft_loop loops[3] = {
            {taps.end - taps.first, insn->dilation_h * insn->x_h, insn->w_h},
            {across.end - across.first, insn->dilation_w * insn->x_w, insn->w_w},
            {insn->in_channels, insn->x_channel, insn->w_in_channel},
        };
        const float *x_at = x + (i * insn->x_h + j * insn->x_w);
        const float *w_at = w + (taps.first * insn->w_h + across.first * insn->w_w);
        for (uint32_t g = 0; g < insn->groups; g++) {
            soft_conv_pixel(insn, x_at + g * insn->x_group, w_at + g * insn->w_group,
                            bias ? bias + g * insn->out_channels : NULL,
                            y + (row * insn->y_h + column * insn->y_w + g * insn->y_group), loops);
        }
    }
}

int gm_kernel_conv(const struct gm_session *session, const void *instruction)
{
    const gm_insn_conv *insn = instruction;
    for (uint32_t b = 0; b < insn->batch; b++) {
        const float *x = gm_f32(session, insn->x) + b * insn->x_batch;
        float *y = gm_f32_out(session, insn->y) + b * insn->y_batch;
        for (uint32_t row = 0; row < insn->out_h; row++) {
            soft_conv_row(
                session, insn, x, y, row,
                taps_of_output(row, insn->stride_h, insn->dilation_h, insn->pad_h, insn->in_h, insn->kernel_h));
        }
    }
    return GM_OK;
}

#endif

#if GM_WITH_CONV_TRANSPOSE

/* The kernel taps that cover one input, along one axis, and the outputs they belong to. Both
 * are evenly spaced. */
typedef struct soft_taps {
    uint32_t count, first, step, output, output_step;
} soft_taps;

static soft_taps taps_on(uint32_t i, uint32_t stride, uint32_t dilation, uint32_t pad, uint32_t outputs,
                         uint32_t kernel)
{
    soft_taps taps = {0, 0, 0, 0, 0};
    for (uint32_t k = 0; k < kernel; k++) {
        uint32_t o = gm_output_index(i, k, stride, dilation, pad, outputs);
        if (o == GM_NO_OUTPUT) {
            continue;
        }
        if (taps.count == 0) {
            taps.first = k, taps.output = o;
        } else if (taps.count == 1) {
            taps.step = k - taps.first, taps.output_step = o - taps.output;
        }
        taps.count++;
    }
    return taps;
}

/* The input channels of one group at one input position. y, w and x: at the position's first tap,
 * and at the first input channel. */
static void soft_transposed_pixel(const gm_insn_conv_transpose *insn, const float *y, const float *w, const float *bias,
                                  float *x, const soft_loop *loops)
{
    for (uint32_t c = 0; c < insn->in_channels; c++, w += insn->w_in_channel, x += insn->x_channel) {
        float start = insn->accumulate ? *x : bias ? bias[c] : GM_EMPTY_SUM;
        /* If no window covers the pixel, the sum may still be GM_EMPTY_SUM: -0 + 0 is 0. */
        *x = gm_soft_sum_products(start, y, w, loops) + 0.0f;
    }
}

/* One row of inputs. y and x: the sample; down: the kernel rows that cover it. */
static void soft_transposed_row(const struct gm_session *session, const gm_insn_conv_transpose *insn, const float *y,
                                float *x, const soft_taps *down)
{
    const float *w = gm_f32(session, insn->w), *bias = gm_f32_optional(session, insn->bias);
    for (uint32_t column = 0; column < insn->in_w; column++, x += insn->x_w) {
        soft_taps across = taps_on(column, insn->stride_w, insn->dilation_w, insn->pad_w, insn->out_w, insn->kernel_w);
        const soft_loop loops[3] = {
            {down->count, down->output_step * insn->y_h, down->step * insn->w_h},
            {across.count, across.output_step * insn->y_w, across.step * insn->w_w},
            {insn->out_channels, insn->y_channel, insn->w_out_channel},
        };
        const float *y_at = y + (down->output * insn->y_h + across.output * insn->y_w);
        const float *w_at = w + (down->first * insn->w_h + across.first * insn->w_w);
        for (uint32_t g = 0; g < insn->groups; g++) {
            soft_transposed_pixel(insn, y_at + g * insn->y_group, w_at + g * insn->w_group,
                                  bias ? bias + g * insn->in_channels : NULL, x + g * insn->x_group, loops);
        }
    }
}

int gm_kernel_conv_transpose(const struct gm_session *session, const void *instruction)
{
    const gm_insn_conv_transpose *insn = instruction;
    for (uint32_t b = 0; b < insn->batch; b++) {
        const float *y = gm_f32(session, insn->y) + b * insn->y_batch;
        float *x = gm_f32_out(session, insn->x) + b * insn->x_batch;
        for (uint32_t row = 0; row < insn->in_h; row++, x += insn->x_h) {
            soft_taps down = taps_on(row, insn->stride_h, insn->dilation_h, insn->pad_h, insn->out_h, insn->kernel_h);
            soft_transposed_row(session, insn, y, x, &down);
        }
    }
    return GM_OK;
}

#endif

#if GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE

/* Tap (k, l) of all input channels. x and dy: the first sample. */
static void soft_gradient_tap(const gm_conv_gradient *g, const float *x, const float *dy, float *row, uint32_t k,
                              uint32_t l)
{
    const gm_window *w = &g->window;
    gm_span rows = gm_valid_outputs(k, w->stride_h, w->dilation_h, w->pad_h, w->in_h, w->out_h);
    gm_span columns = gm_valid_outputs(l, w->stride_w, w->dilation_w, w->pad_w, w->in_w, w->out_w);
    uint32_t i = gm_input_index(rows.first, k, w->stride_h, w->dilation_h, w->pad_h);
    uint32_t j = gm_input_index(columns.first, l, w->stride_w, w->dilation_w, w->pad_w);
    const soft_loop loops[3] = {
        {g->batch, g->dy.batch, g->x.batch},
        {rows.end - rows.first, g->dy.h, w->stride_h * g->x.h},
        {columns.end - columns.first, g->dy.w, w->stride_w * g->x.w},
    };
    x += i * g->x.h + j * g->x.w;
    dy += rows.first * g->dy.h + columns.first * g->dy.w;
    for (uint32_t c = 0; c < g->in_channels; c++, x += g->x.channel) {
        float *sum = row + ((c * w->kernel_h + k) * w->kernel_w + l);
        *sum = gm_soft_sum_products(*sum, dy, x, loops);
    }
}

void gm_conv_gradient_row(const gm_conv_gradient *g, const float *x, const float *dy, float *row)
{
    for (uint32_t k = 0; k < g->window.kernel_h; k++) {
        for (uint32_t l = 0; l < g->window.kernel_w; l++) {
            soft_gradient_tap(g, x, dy, row, k, l);
        }
    }
}

#endif

#endif
