/* Rows of depthwise_inputs.h. */
#include "depthwise_inputs.h"

#include "depthwise_pixels.h"
#include "dsp.h"

#if GM_ARCH_PAIRS

static uint32_t some_channels(const int8_t *from, uint32_t channels)
{
    uint32_t four = 0;
    for (uint32_t c = 0; c < channels; c++) {
        four |= (uint32_t)(uint8_t)from[c] << 8 * c;
    }
    return four;
}

/* The channels of a column, or zero points where it lies outside. */
static inline uint32_t column_of(const gm_depthwise_inputs *inputs, const int8_t *row, uint32_t column)
{
    if (column >= inputs->columns) {
        return ((uint32_t)inputs->zero & 0xffu) * 0x01010101u;
    }
    const int8_t *from = row + column * inputs->step;
    return inputs->channels == 4 ? gm_four_at(from) : some_channels(from, inputs->channels);
}

static inline void store_pair(uint32_t *to, uint32_t left, uint32_t right, uint32_t minus_zero)
{
    uint32_t even_left = gm_add_first_and_third(minus_zero, left), odd_left = gm_add_second_and_fourth(minus_zero, left);
    uint32_t even = gm_add_first_and_third(minus_zero, right), odd = gm_add_second_and_fourth(minus_zero, right);
    to[0] = gm_lower_halves(even_left, even);
    to[1] = gm_lower_halves(odd_left, odd);
    to[2] = gm_upper_halves(even_left, even);
    to[3] = gm_upper_halves(odd_left, odd);
}

/* Pairs first .. end, which may lie partly outside. */
static void pack_pairs(const gm_depthwise_inputs *inputs, const int8_t *row, uint32_t *to, uint32_t first, uint32_t end)
{
    uint32_t minus_zero = gm_pair(-inputs->zero, -inputs->zero);
    for (uint32_t i = first; i < end; i++) {
        uint32_t column = 2 * i - inputs->pad;
        store_pair(to + i * inputs->pair_words, column_of(inputs, row, column), column_of(inputs, row, column + 1),
                   minus_zero);
    }
}

static void pack_zeros(const gm_depthwise_inputs *inputs, uint32_t *to)
{
    for (uint32_t i = 0; i < inputs->pairs; i++, to += inputs->pair_words) {
        to[0] = 0, to[1] = 0, to[2] = 0, to[3] = 0;
    }
}

void gm_pack_depthwise_inputs(const gm_depthwise_inputs *inputs, const int8_t *row, uint32_t *to)
{
    if (row == NULL) {
        pack_zeros(inputs, to);
        return;
    }
    uint32_t pairs = inputs->pairs, first = (inputs->pad + 1) / 2, end = (inputs->columns + inputs->pad) / 2;
    first = first < pairs ? first : pairs;
    end = end < first || inputs->channels < 4 ? first : end < pairs ? end : pairs;
    pack_pairs(inputs, row, to, 0, first);
    pack_pairs(inputs, row, to, end, pairs);
    uint32_t minus_zero = gm_pair(-inputs->zero, -inputs->zero), step = inputs->step;
    const int8_t *from = row + (2 * first - inputs->pad) * step;
    to += first * inputs->pair_words;
    for (uint32_t i = first; i < end; i++, from += 2 * step, to += inputs->pair_words) {
        store_pair(to, gm_four_at(from), gm_four_at(from + step), minus_zero);
    }
}

#endif
