/*
 * MAX_POOL_S8: y[b,o,p,c] = the largest x in the window, -128 if it has no tap inside the input;
 *   index[b,o,p,c] = its tap, row-major, 255 if there is none.
 */
#include "../generated/instructions/max_pool_s8.h"
#include "quantized.h"
#include "window.h"

#if GM_WITH_MAX_POOL_S8

/* The index of a window without a tap inside the input. */
#define NO_INT8_TAP 255

static void start_int8_window(const gm_insn_max_pool_s8 *insn, int8_t *y, uint8_t *index)
{
    for (uint32_t c = 0; c < insn->channels; c++) {
        y[c * insn->y_channel] = INT8_MIN;
    }
    if (index != NULL) {
        memset(index, NO_INT8_TAP, insn->channels);
    }
}

/* Takes a tap in the channels in which it is the first, or larger than all before. */
static void take_int8_tap(const gm_insn_max_pool_s8 *insn, const int8_t *x, int8_t *y, uint8_t *index, uint32_t tap,
                          int is_first)
{
    uint32_t x_step = insn->x_channel, y_step = insn->y_channel;
    for (uint32_t c = 0, n = insn->channels; c < n; c++, x += x_step, y += y_step) {
        if (is_first || *x > *y) {
            *y = *x;
            if (index != NULL) {
                index[c] = (uint8_t)tap;
            }
        }
    }
}

/* All channels of the window at output (row, column). x: one sample; y, index: this window. */
static void pool_int8_window(const gm_insn_max_pool_s8 *insn, const int8_t *x, int8_t *y, uint8_t *index, uint32_t row,
                             uint32_t column)
{
    const gm_window w = GM_WINDOW(insn);
    int is_first = 1;
    start_int8_window(insn, y, index);
    for (uint32_t k = 0; k < w.kernel_h; k++) {
        uint32_t i = gm_input_index(row, k, w.stride_h, w.dilation_h, w.pad_h);
        for (uint32_t l = 0; l < w.kernel_w && i < w.in_h; l++) {
            uint32_t j = gm_input_index(column, l, w.stride_w, w.dilation_w, w.pad_w);
            if (j < w.in_w) {
                take_int8_tap(insn, x + i * insn->x_h + j * insn->x_w, y, index, k * w.kernel_w + l, is_first);
                is_first = 0;
            }
        }
    }
}

int gm_kernel_max_pool_s8(const struct gm_session *session, const void *instruction)
{
    const gm_insn_max_pool_s8 *insn = instruction;
    uint8_t *index = insn->index == GM_NONE ? NULL : gm_u8_out(session, insn->index);
    for (uint32_t b = 0; b < insn->batch; b++) {
        for (uint32_t row = 0; row < insn->out_h; row++) {
            for (uint32_t column = 0; column < insn->out_w; column++) {
                pool_int8_window(insn, gm_i8(session, insn->x) + b * insn->x_batch,
                                 gm_i8_out(session, insn->y) + b * insn->y_batch + row * insn->y_h + column * insn->y_w,
                                 index, row, column);
                index = index != NULL ? index + insn->channels : NULL;
            }
        }
    }
    return GM_OK;
}

#endif
