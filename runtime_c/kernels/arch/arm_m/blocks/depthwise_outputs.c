/* Rows of depthwise_outputs.h. */
#include "depthwise_outputs.h"

#include "depthwise_pixels.h"
#include "dsp.h"

#if GM_ARCH_PAIRS

typedef struct gradients_of_4 {
    uint32_t low, high;
} gradients_of_4;

static inline gradients_of_4 gradients_at(const int16_t *from, uint32_t channels)
{
    gradients_of_4 result;
    if (channels == 4) {
        GM_COPY_WORD(&result.low, from);
        GM_COPY_WORD(&result.high, from + 2);
        return result;
    }
    result.low = gm_pair(from[0], channels > 1 ? from[1] : 0);
    result.high = gm_pair(channels > 2 ? from[2] : 0, 0);
    return result;
}

/* Packs two columns as one pair per channel. */
static inline void store_gradient_columns(uint32_t *to, gradients_of_4 left, gradients_of_4 right)
{
    to[0] = gm_lower_halves(left.low, right.low);
    to[1] = gm_upper_halves(left.low, right.low);
    to[2] = gm_lower_halves(left.high, right.high);
    to[3] = gm_upper_halves(left.high, right.high);
}

/* Packs gradients without zeros between them; the first one may be the second of its pair. Returns
 * the place of the next pair. channels: a constant if there are four. */
static inline __attribute__((always_inline)) uint32_t *pack_neighbouring(const gm_depthwise_outputs *outputs,
                                                                         const int16_t *row, uint32_t columns,
                                                                         uint32_t channels, uint32_t *to)
{
    const gradients_of_4 none = {0, 0};
    uint32_t step = outputs->step, pair_words = outputs->pair_words;
    if (outputs->pad % 2 > 0) {
        store_gradient_columns(to, none, gradients_at(row, channels));
        row += step, columns--, to += pair_words;
    }
    for (; columns >= 2; columns -= 2, row += 2 * step, to += pair_words) {
        store_gradient_columns(to, gradients_at(row, channels), gradients_at(row + step, channels));
    }
    if (columns > 0) {
        store_gradient_columns(to, gradients_at(row, channels), none);
        to += pair_words;
    }
    return to;
}

/* One gradient at a time, each in a pair of its own. column: that of the first one. */
static void pack_scattered(const gm_depthwise_outputs *outputs, const int16_t *row, uint32_t *to, const uint32_t *end)
{
    const gradients_of_4 none = {0, 0};
    uint32_t pair_words = outputs->pair_words, stride = outputs->stride, column = outputs->pad;
    uint32_t *next = to + column / 2 * pair_words;
    for (uint32_t left = outputs->columns; left > 0 && next < end; left--, row += outputs->step) {
        gm_zero_pairs(outputs->pair_words, to, next);
        gradients_of_4 four = gradients_at(row, outputs->channels);
        store_gradient_columns(next, column % 2 > 0 ? none : four, column % 2 > 0 ? four : none);
        to = next + pair_words;
        next += ((column + stride) / 2 - column / 2) * pair_words;
        column += stride;
    }
    gm_zero_pairs(outputs->pair_words, to, end);
}

void gm_pack_depthwise_outputs(const gm_depthwise_outputs *outputs, const int16_t *row, uint32_t *to)
{
    const uint32_t *end = to + outputs->pairs * outputs->pair_words;
    uint32_t room = 2 * outputs->pairs - outputs->pad;
    if (row == NULL || outputs->pad >= 2 * outputs->pairs) {
        gm_zero_pairs(outputs->pair_words, to, end);
        return;
    }
    if (outputs->stride > 1) {
        pack_scattered(outputs, row, to, end);
        return;
    }
    uint32_t *first = to + outputs->pad / 2 * outputs->pair_words;
    gm_zero_pairs(outputs->pair_words, to, first);
    room = outputs->columns < room ? outputs->columns : room;
    to = outputs->channels == 4 ? pack_neighbouring(outputs, row, room, 4, first)
                                : pack_neighbouring(outputs, row, room, outputs->channels, first);
    gm_zero_pairs(outputs->pair_words, to, end);
}

#endif
