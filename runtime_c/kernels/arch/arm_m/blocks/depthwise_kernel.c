/* Weights of depthwise_kernel.h. */
#include "depthwise_kernel.h"

#include "depthwise_pixels.h"
#include "dsp.h"

#if GM_ARCH_PAIRS

/* One channel of a 3x3 kernel: the first pair of the set for even columns, and the second pair of
 * the set for odd columns. */
static void pack_3x3(const gm_depthwise_kernel *kernel, const int8_t *w, uint32_t *to)
{
    int32_t zero = kernel->zero, step = kernel->column_step, row_step = kernel->row_step;
    uint32_t again = kernel->is_one_row ? 0 : 3 * GM_DEPTHWISE_CHANNELS;
    uint32_t second_pair = kernel->set_words + 5 * GM_DEPTHWISE_CHANNELS;
    for (const uint32_t *end = to + 3 * GM_DEPTHWISE_CHANNELS; to != end; w += row_step, to += GM_DEPTHWISE_CHANNELS) {
        uint32_t left = (uint32_t)(w[0] - zero), middle = (uint32_t)(w[step] - zero);
        uint32_t right = (uint32_t)(w[2 * step] - zero);
        to[0] = to[again] = gm_lower_halves(left, middle);
        to[second_pair] = to[second_pair + again] = gm_lower_halves(middle, right);
        again = to + 2 * GM_DEPTHWISE_CHANNELS == end ? 0 : again;
    }
}

/* A row of one channel. to: its word of the first pair. Each word is repeated `again` words further
 * on, so that the row order may begin with any row. columns: a constant if known. */
static inline __attribute__((always_inline)) void pack_kernel_row(const gm_depthwise_kernel *kernel, const int8_t *w,
                                                                  uint32_t *to, uint32_t again, const uint32_t columns)
{
    int32_t step = kernel->column_step, zero = kernel->zero;
    uint32_t pair_step = (2 * kernel->rows - 1) * GM_DEPTHWISE_CHANNELS, set_words = kernel->set_words, before = 0;
    for (uint32_t left = columns; left >= 2; left -= 2, w += 2 * step, to += pair_step) {
        uint32_t first = (uint32_t)(w[0] - zero), second = (uint32_t)(w[step] - zero);
        to[0] = to[again] = gm_lower_halves(first, second);
        to[set_words] = to[set_words + again] = gm_lower_halves(before, first);
        before = second;
    }
    uint32_t last = columns % 2 > 0 ? (uint32_t)(*w - zero) : 0;
    to[0] = to[again] = gm_lower_halves(last, 0);
    to[set_words] = to[set_words + again] = gm_lower_halves(before, last);
}

static inline __attribute__((always_inline)) void pack_kernel_rows(const gm_depthwise_kernel *kernel, const int8_t *w,
                                                                   uint32_t *to, const uint32_t columns)
{
    uint32_t again = kernel->is_one_row ? 0 : kernel->rows * GM_DEPTHWISE_CHANNELS;
    for (uint32_t left = kernel->rows; left > 0; left--, w += kernel->row_step, to += GM_DEPTHWISE_CHANNELS) {
        pack_kernel_row(kernel, w, to, left > 1 ? again : 0, columns);
    }
}

void gm_pack_depthwise_kernel(const gm_depthwise_kernel *kernel, const int8_t *w, uint32_t *to)
{
    for (uint32_t *end = to + kernel->channels; to != end; to++, w += kernel->channel_step) {
        if (kernel->is_by_pairs) {
            pack_3x3(kernel, w, to);
        } else if (kernel->columns == 5) {
            pack_kernel_rows(kernel, w, to, 5);
        } else if (kernel->columns == 7) {
            pack_kernel_rows(kernel, w, to, 7);
        } else {
            pack_kernel_rows(kernel, w, to, kernel->columns);
        }
    }
}

#endif
