/*
 * MAX_POOL_GRAD_S16: dx 2^exponent = 2^dy_exponent sum over kernel rows and columns of dy of the
 *   window that has this element there, if the window's index selects it; the exponent is the least
 *   that keeps the largest value within the limit.
 */
#include "../generated/instructions/max_pool_grad_s16.h"
#include "gradient_s16.h"
#include "window.h"

#if GM_WITH_MAX_POOL_GRAD_S16

/* Returns the sum for input (row, column). dy, index: one sample and channel. */
static uint32_t won_sum(const gm_insn_max_pool_grad_s16 *insn, const gm_window *w, const uint8_t *index,
                        const int16_t *dy, uint32_t row, uint32_t column)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < w->kernel_h; k++) {
        uint32_t o = gm_output_index(row, k, w->stride_h, w->dilation_h, w->pad_h, w->out_h);
        for (uint32_t l = 0; l < w->kernel_w && o != GM_NO_OUTPUT; l++) {
            uint32_t p = gm_output_index(column, l, w->stride_w, w->dilation_w, w->pad_w, w->out_w);
            uint8_t tap = (uint8_t)(k * w->kernel_w + l);
            if (p != GM_NO_OUTPUT && index[(o * w->out_w + p) * insn->channels] == tap) {
                int32_t value = dy[o * insn->y_h + p * insn->y_w];
                sum += (uint32_t)value;
            }
        }
    }
    return sum;
}

/* Scans all values, and writes them to dx unless it is NULL. */
static void make_won_sums(const gm_session *session, const gm_insn_max_pool_grad_s16 *insn, float unit,
                          gm_gradient_s16 *made, int16_t *dx)
{
    const gm_window w = GM_WINDOW(insn);
    for (uint32_t b = 0; b < insn->batch; b++) {
        const uint8_t *index = gm_u8(session, insn->index) + b * w.out_h * w.out_w * insn->channels;
        const int16_t *dy = gm_i16(session, insn->dy) + b * insn->y_batch;
        for (uint32_t row = 0; row < w.in_h; row++) {
            for (uint32_t column = 0; column < w.in_w; column++) {
                uint32_t at = b * insn->x_batch + row * insn->x_h + column * insn->x_w;
                for (uint32_t c = 0; c < insn->channels; c++) {
                    uint32_t sum = won_sum(insn, &w, index + c, dy + c * insn->y_channel, row, column);
                    gm_make(made, dx, at + c * insn->x_channel, (float)(int32_t)sum * unit);
                }
            }
        }
    }
}

/* Returns whether no two windows share an input, so that each sum has at most one term. */
static int are_windows_apart(const gm_window *w)
{
    return w->stride_h > (w->kernel_h - 1) * w->dilation_h && w->stride_w > (w->kernel_w - 1) * w->dilation_w;
}

/* Zeroes all of dx. */
static void clear_inputs(const gm_insn_max_pool_grad_s16 *insn, int16_t *dx)
{
    for (uint32_t b = 0; b < insn->batch; b++) {
        for (uint32_t row = 0; row < insn->in_h; row++) {
            for (uint32_t column = 0; column < insn->in_w; column++) {
                int16_t *at = dx + b * insn->x_batch + row * insn->x_h + column * insn->x_w;
                for (uint32_t c = 0; c < insn->channels; c++) {
                    at[c * insn->x_channel] = 0;
                }
            }
        }
    }
}

/* Makes the values of the inputs that the window at output (row, column) selected. index, dy: this
 * window; dx: the sample. */
static void make_winners(const gm_insn_max_pool_grad_s16 *insn, const uint8_t *index, const int16_t *dy, float unit,
                         uint32_t row, uint32_t column, gm_gradient_s16 *made, int16_t *dx)
{
    for (uint32_t c = 0; c < insn->channels; c++) {
        uint32_t tap = index[c], k = tap / insn->kernel_w, l = tap % insn->kernel_w;
        uint32_t i = gm_input_index(row, k, insn->stride_h, insn->dilation_h, insn->pad_h);
        uint32_t j = gm_input_index(column, l, insn->stride_w, insn->dilation_w, insn->pad_w);
        if (k < insn->kernel_h && i < insn->in_h && j < insn->in_w) {
            uint32_t at = i * insn->x_h + j * insn->x_w + c * insn->x_channel;
            gm_make(made, dx, at, (float)dy[c * insn->y_channel] * unit);
        }
    }
}

/* Scans the nonzero values, and writes them to dx unless it is NULL. */
static void make_all_winners(const gm_session *session, const gm_insn_max_pool_grad_s16 *insn, float unit,
                             gm_gradient_s16 *made, int16_t *dx)
{
    const uint8_t *index = gm_u8(session, insn->index);
    const int16_t *dy = gm_i16(session, insn->dy);
    for (uint32_t b = 0; b < insn->batch; b++) {
        for (uint32_t row = 0; row < insn->out_h; row++) {
            for (uint32_t column = 0; column < insn->out_w; column++, index += insn->channels) {
                make_winners(insn, index, dy + b * insn->y_batch + row * insn->y_h + column * insn->y_w, unit, row,
                             column, made, dx == NULL ? NULL : dx + b * insn->x_batch);
            }
        }
    }
}

static void make_inputs(const gm_session *session, const gm_insn_max_pool_grad_s16 *insn, float unit,
                        gm_gradient_s16 *made, int16_t *dx)
{
    const gm_window window = GM_WINDOW(insn);
    if (!are_windows_apart(&window)) {
        make_won_sums(session, insn, unit, made, dx);
        return;
    }
    if (dx != NULL) {
        clear_inputs(insn, dx);
    }
    make_all_winners(session, insn, unit, made, dx);
}

int gm_kernel_max_pool_grad_s16(const struct gm_session *session, const void *instruction)
{
    const gm_insn_max_pool_grad_s16 *insn = instruction;
    float unit = gm_power_of_two(gm_exponent_of(session, insn->dy_exponent).exponent);
    gm_gradient_s16 made = {0};
    make_inputs(session, insn, unit, &made, NULL);
    int32_t exponent = gm_choose_exponent(&made, gm_magnitude_of(made.largest), 0, insn->limit);
    make_inputs(session, insn, unit, &made, gm_i16_out(session, insn->dx));
    gm_write_exponent(session, insn->exponent, exponent, &made);
    return GM_OK;
}

#endif
