/* Weights of depthwise_kernel.h. */
#include "depthwise_kernel.h"

#include "depthwise_pixels.h"
#include "dsp.h"

#if GM_ARCH_PAIRS

/* A word of both sets, which is there once more `again` words behind, so that the order in which
 * rows lie may begin with any. before: the weight left of the pair. */
static inline void store_weights(const gm_depthwise_kernel *kernel, uint32_t *to, int32_t before, int32_t left,
                                 int32_t right, uint32_t again)
{
    uint32_t even = gm_pair(left, right), odd = gm_pair(before, left);
    to[0] = even, to[kernel->set_words] = odd;
    to[again] = even, to[again + kernel->set_words] = odd;
}

/* A row of one channel. to: its word of the first pair. */
static void pack_kernel_row(const gm_depthwise_kernel *kernel, const int8_t *w, uint32_t *to, uint32_t again)
{
    uint32_t pair_step = (2 * kernel->rows - 1) * GM_DEPTHWISE_CHANNELS, left = kernel->columns;
    int32_t step = kernel->column_step, before = 0;
    for (; left >= 2; left -= 2, w += 2 * step, to += pair_step) {
        int32_t second = w[step] - kernel->zero;
        store_weights(kernel, to, before, *w - kernel->zero, second, again);
        before = second;
    }
    store_weights(kernel, to, before, left > 0 ? *w - kernel->zero : 0, 0, again);
}

void gm_pack_depthwise_kernel(const gm_depthwise_kernel *kernel, const int8_t *w, uint32_t *to)
{
    for (uint32_t c = 0; c < kernel->channels; c++, w += kernel->channel_step) {
        const int8_t *row = w;
        for (uint32_t k = 0; k < kernel->rows; k++, row += kernel->row_step) {
            uint32_t again = k + 1 < kernel->rows ? kernel->rows * GM_DEPTHWISE_CHANNELS : 0;
            pack_kernel_row(kernel, row, to + k * GM_DEPTHWISE_CHANNELS + c, again);
        }
    }
}

#endif
