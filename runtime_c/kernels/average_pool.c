/*
 * AVERAGE_POOL: y[b,o,p,c] = sum of x in the window / count; count: taps inside the input, or with
 *   count_pad those inside the input and its padding.
 * AVERAGE_POOL_GRAD: dx = sum over kernel rows and columns of dy / count of the window that has
 *   this element there.
 */
#include "../generated/instructions/average_pool.h"
#include "../generated/instructions/average_pool_grad.h"
#include "arch/arch.h"
#if GM_ARCH_AVERAGES
#include "arch/simd/simd.h"
#endif
#include "window.h"

/* The first channel that the processor's own form leaves to this one. */
#if GM_ARCH_AVERAGES
#define AVERAGES_DONE(count) (count)
#else
#define AVERAGES_DONE(count) 0
#endif

#if GM_WITH_AVERAGE_POOL || GM_WITH_AVERAGE_POOL_GRAD

/* Counts the taps of one axis of the window at output o: those inside the input, or inside `padded`
 * if padding counts. */
static uint32_t taps(uint32_t o, uint32_t kernel, uint32_t stride, uint32_t dilation, uint32_t pad, uint32_t size)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < kernel; k++) {
        count += gm_input_index(o, k, stride, dilation, pad) < size;
    }
    return count;
}

/* The divisor for the sum of the window at output (row, column). */
static float divisor(const gm_window *w, uint32_t count_pad, uint32_t padded_h, uint32_t padded_w, uint32_t row,
                     uint32_t column)
{
    uint32_t h = count_pad ? padded_h : w->in_h, pad_h = count_pad ? 0 : w->pad_h;
    uint32_t v = count_pad ? padded_w : w->in_w, pad_w = count_pad ? 0 : w->pad_w;
    return (float)(taps(row, w->kernel_h, w->stride_h, w->dilation_h, pad_h, h) *
                   taps(column, w->kernel_w, w->stride_w, w->dilation_w, pad_w, v));
}

#endif

#if GM_WITH_AVERAGE_POOL

/* Sum of the window at output (row, column). x: one sample and channel. */
static float window_sum(const gm_insn_average_pool *insn, const gm_window *w, const float *x, uint32_t row,
                        uint32_t column)
{
    float sum = 0.0f;
    for (uint32_t k = 0; k < w->kernel_h; k++) {
        uint32_t i = gm_input_index(row, k, w->stride_h, w->dilation_h, w->pad_h);
        for (uint32_t l = 0; l < w->kernel_w && i < w->in_h; l++) {
            uint32_t j = gm_input_index(column, l, w->stride_w, w->dilation_w, w->pad_w);
            sum += j < w->in_w ? x[i * insn->x_h + j * insn->x_w] : 0.0f;
        }
    }
    return sum;
}

int gm_kernel_average_pool(const struct gm_session *session, const void *instruction)
{
    const gm_insn_average_pool *insn = instruction;
    const gm_window window = GM_WINDOW(insn);
    for (uint32_t b = 0; b < insn->batch; b++) {
        const float *x = gm_f32(session, insn->x) + b * insn->x_batch;
        for (uint32_t row = 0; row < insn->out_h; row++) {
            for (uint32_t column = 0; column < insn->out_w; column++) {
                float count = divisor(&window, insn->count_pad, insn->padded_h, insn->padded_w, row, column);
                float *y = gm_f32_out(session, insn->y) + b * insn->y_batch + row * insn->y_h + column * insn->y_w;
                uint32_t first = AVERAGES_DONE(gm_simd_average(insn, x, row, column, count, y));
                for (uint32_t c = first; c < insn->channels; c++) {
                    y[c * insn->y_channel] = window_sum(insn, &window, x + c * insn->x_channel, row, column) / count;
                }
            }
        }
    }
    return GM_OK;
}

#endif

#if GM_WITH_AVERAGE_POOL_GRAD

/* dx of all channels at (row, column): sums of dy / count over the windows that cover
 * it. dy: one sample. */
static void gather_average_gradient(const gm_insn_average_pool_grad *insn, const gm_window *w, const float *dy,
                                    uint32_t row, uint32_t column, float *dx)
{
    for (uint32_t c = 0; c < insn->channels; c++) {
        dx[c * insn->x_channel] = 0.0f;
    }
    for (uint32_t k = 0; k < w->kernel_h; k++) {
        uint32_t o = gm_output_index(row, k, w->stride_h, w->dilation_h, w->pad_h, w->out_h);
        for (uint32_t l = 0; l < w->kernel_w && o != GM_NO_OUTPUT; l++) {
            uint32_t p = gm_output_index(column, l, w->stride_w, w->dilation_w, w->pad_w, w->out_w);
            if (p == GM_NO_OUTPUT) {
                continue;
            }
            float count = divisor(w, insn->count_pad, insn->padded_h, insn->padded_w, o, p);
            const float *from = dy + o * insn->y_h + p * insn->y_w;
            for (uint32_t c = AVERAGES_DONE(gm_simd_average_grad(insn, from, count, dx)); c < insn->channels; c++) {
                dx[c * insn->x_channel] += from[c * insn->y_channel] / count;
            }
        }
    }
}

int gm_kernel_average_pool_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_average_pool_grad *insn = instruction;
    const gm_window window = GM_WINDOW(insn);
    for (uint32_t b = 0; b < insn->batch; b++) {
        const float *dy = gm_f32(session, insn->dy) + b * insn->y_batch;
        for (uint32_t row = 0; row < insn->in_h; row++) {
            for (uint32_t column = 0; column < insn->in_w; column++) {
                float *dx = gm_f32_out(session, insn->dx) + b * insn->x_batch + row * insn->x_h + column * insn->x_w;
                gather_average_gradient(insn, &window, dy, row, column, dx);
            }
        }
    }
    return GM_OK;
}

#endif
