/* Rows of depthwise_inputs.h. */
#include "depthwise_inputs.h"

#include "depthwise_pixels.h"
#include "dsp.h"
#include "registers.h"

#if GM_ARCH_PAIRS

static inline uint32_t channels_at(const int8_t *from, uint32_t channels)
{
    uint32_t four = 0;
    if (channels == 4) {
        return gm_four_at(from);
    }
    for (uint32_t c = 0; c < channels; c++) {
        four |= (uint32_t)(uint8_t)from[c] << 8 * c;
    }
    return four;
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

#if GM_ARCH_DSP

/* Packs at least one pair of columns of four channels: 15 machine instructions each. Returns the
 * place of the next pair. */
__attribute__((noinline)) static uint32_t *pack_pairs(const gm_depthwise_inputs *inputs, const int8_t *row, uint32_t pairs,
                                                      uint32_t *to)
{
    uint32_t minus_zero = gm_pair(-inputs->zero, -inputs->zero);
    __asm__ volatile("1:\n\t"
                     LINE("ldr r3, [%[row]]") LINE("ldr r4, [%[row], %[step]]") LINE("add %[row], %[row], %[step], lsl #1")
                     LINE("sxtab16 r5, %[zero], r3") LINE("sxtab16 r6, %[zero], r4")
                     LINE("sxtab16 r8, %[zero], r3, ror #8") LINE("sxtab16 r9, %[zero], r4, ror #8")
                     LINE("pkhbt r3, r5, r6, lsl #16") LINE("pkhbt r4, r8, r9, lsl #16")
                     LINE("pkhtb r5, r6, r5, asr #16") LINE("pkhtb r6, r9, r8, asr #16")
                     LINE("stm %[to], {r3, r4, r5, r6}") LINE("add %[to], %[pair_bytes]")
                     LINE("subs %[pairs], #1") LINE("bne 1b")
                     : [to] "+r"(to), [row] "+r"(row), [pairs] "+r"(pairs)
                     : [step] "r"(inputs->step), [pair_bytes] "r"(inputs->pair_words * 4), [zero] "r"(minus_zero)
                     : "r3", "r4", "r5", "r6", "r8", "r9", "cc", "memory");
    return to;
}

#endif

/* Packs the columns of x; the first one may be the second of its pair. Returns the place of the
 * next pair. channels: a constant if there are four. */
static inline __attribute__((always_inline)) uint32_t *pack_columns(const gm_depthwise_inputs *inputs, const int8_t *row,
                                                                    uint32_t columns, uint32_t channels, uint32_t *to)
{
    uint32_t minus_zero = gm_pair(-inputs->zero, -inputs->zero), outside = ((uint32_t)inputs->zero & 0xffu) * 0x01010101u;
    uint32_t step = inputs->step, pair_words = inputs->pair_words;
    if (inputs->pad % 2 > 0) {
        store_pair(to, outside, channels_at(row, channels), minus_zero);
        row += step, columns--, to += pair_words;
    }
#if GM_ARCH_DSP
    if (channels == 4 && columns >= 2) {
        uint32_t pairs = columns / 2;
        to = pack_pairs(inputs, row, pairs, to);
        row += 2 * pairs * step, columns %= 2;
    }
#endif
    for (; columns >= 2; columns -= 2, row += 2 * step, to += pair_words) {
        store_pair(to, channels_at(row, channels), channels_at(row + step, channels), minus_zero);
    }
    if (columns > 0) {
        store_pair(to, channels_at(row, channels), outside, minus_zero);
        to += pair_words;
    }
    return to;
}

void gm_pack_depthwise_inputs(const gm_depthwise_inputs *inputs, const int8_t *row, uint32_t *to)
{
    const uint32_t *end = to + inputs->pairs * inputs->pair_words;
    uint32_t room = 2 * inputs->pairs - inputs->pad;
    if (row != NULL && inputs->pad < 2 * inputs->pairs) {
        uint32_t *first = to + inputs->pad / 2 * inputs->pair_words;
        gm_zero_pairs(inputs->pair_words, to, first);
        room = inputs->columns < room ? inputs->columns : room;
        to = inputs->channels == 4 ? pack_columns(inputs, row, room, 4, first)
                                   : pack_columns(inputs, row, room, inputs->channels, first);
    }
    gm_zero_pairs(inputs->pair_words, to, end);
}

#endif
