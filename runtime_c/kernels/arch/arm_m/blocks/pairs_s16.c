/* Panels of pairs.h for gradients: two adjacent k are a pair. */
#include "../../helium/blocks/pairs_s16.h"
#include "dsp.h"
#include "pairs.h"
#include "registers.h"

#if GM_ARCH_PAIRS

#if defined(__thumb2__)

/* `times` groups of 16 contiguous values at a word-aligned address: 12 machine
 * instructions each. */
__attribute__((noinline)) static uint32_t *copy_sixteens(uint32_t *to, const int16_t *from, uint32_t times)
{
    __asm__ volatile("1:\n\t"
                     LINE("ldmia %[from]!, {r3, r4, r5, r6, r8, r9, r10, r12}")
                     LINE("str r3, [%[to]]") LINE("str r4, [%[to], #8]")
                     LINE("str r5, [%[to], #16]") LINE("str r6, [%[to], #24]")
                     LINE("str r8, [%[to], #32]") LINE("str r9, [%[to], #40]")
                     LINE("str r10, [%[to], #48]") LINE("str r12, [%[to], #56]")
                     LINE("add %[to], #64")
                     LINE("subs %[times], #1")
                     LINE("bne 1b")
                     : [to] "+r"(to), [from] "+r"(from), [times] "+r"(times)
                     :
                     : "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r12", "cc", "memory");
    return to;
}

#else
#define copy_sixteens(to, from, times) (to)
#endif

/* How many groups of sixteen contiguous values can be copied this way. */
static inline uint32_t sixteens_of(const int16_t *from, uint32_t n)
{
#if defined(__thumb2__)
    return (uintptr_t)from % sizeof(uint32_t) == 0 ? n / 16 : 0;
#else
    (void)from, (void)n;
    return 0;
#endif
}

uint32_t *gm_pair_gradients(uint32_t *to, const int16_t *from, uint32_t n, uint32_t step)
{
    if (step == 1) {
        uint32_t sixteens = sixteens_of(from, n);
        to = sixteens > 0 ? copy_sixteens(to, from, sixteens) : to;
        from += 16 * sixteens, n -= 16 * sixteens;
        for (; n >= 2; n -= 2, from += 2, to += GM_PAIR_ROWS) {
            *to = gm_two_at(from);
        }
    }
    for (; n >= 2; n -= 2, from += 2 * step, to += GM_PAIR_ROWS) {
        *to = gm_pair(from[0], from[step]);
    }
    if (n > 0) {
        *to = gm_pair(from[0], 0);
        to += GM_PAIR_ROWS;
    }
    return to;
}

static inline void store_two(uint32_t *to, uint32_t left, uint32_t right)
{
    to[0] = gm_lower_halves(left, right);
    to[1] = gm_upper_halves(left, right);
}

uint32_t *gm_pair_two_gradients(uint32_t *to, const int16_t *from, uint32_t n, uint32_t step)
{
    uint32_t twice = 2 * step, done = gm_helium_two_gradients(to, from, n, step);
    to += done, from += done * step, n -= done;
    for (; n >= 8; n -= 8, to += 4 * GM_PAIR_ROWS) {
        store_two(to, gm_two_at(from), gm_two_at(from + step)), from += twice;
        store_two(to + GM_PAIR_ROWS, gm_two_at(from), gm_two_at(from + step)), from += twice;
        store_two(to + 2 * GM_PAIR_ROWS, gm_two_at(from), gm_two_at(from + step)), from += twice;
        store_two(to + 3 * GM_PAIR_ROWS, gm_two_at(from), gm_two_at(from + step)), from += twice;
    }
    for (; n >= 2; n -= 2, from += twice, to += GM_PAIR_ROWS) {
        store_two(to, gm_two_at(from), gm_two_at(from + step));
    }
    if (n > 0) {
        store_two(to, gm_two_at(from), 0);
        to += GM_PAIR_ROWS;
    }
    return to;
}

/* Values of two rows, as pairs of four columns. */
static inline void store_columns(uint32_t *to, uint32_t first, uint32_t second, uint32_t minus_zero)
{
    uint32_t even_first = gm_add_first_and_third(minus_zero, first), even = gm_add_first_and_third(minus_zero, second);
    uint32_t odd_first = gm_add_second_and_fourth(minus_zero, first), odd = gm_add_second_and_fourth(minus_zero, second);
    to[0] = gm_lower_halves(even_first, even);
    to[1] = gm_lower_halves(odd_first, odd);
    to[2] = gm_upper_halves(even_first, even);
    to[3] = gm_upper_halves(odd_first, odd);
}

/* Up to four columns of one row, `step` apart, followed by zero points. */
static uint32_t some_columns(const int8_t *from, uint32_t columns, uint32_t step, uint32_t zeros)
{
    uint32_t four = zeros;
    for (uint32_t c = 0; c < columns; c++) {
        four = (four & ~(0xffu << 8 * c)) | (uint32_t)(uint8_t)from[c * step] << 8 * c;
    }
    return four;
}

uint32_t *gm_pair_columns(uint32_t *to, const int8_t *from, uint32_t rows, uint32_t row_step, uint32_t columns,
                          uint32_t column_step, int32_t zero)
{
    uint32_t minus_zero = gm_pair(-zero, -zero), zeros = ((uint32_t)zero & 0xffu) * 0x01010101u;
    if (columns >= GM_PAIR_COLUMNS) {
        uint32_t done = gm_helium_four_columns(to, from, rows, row_step, column_step, zero);
        to += done / 2 * GM_PAIR_COLUMNS, from += done * row_step, rows -= done;
    }
    if (columns >= GM_PAIR_COLUMNS && column_step == 1) {
        for (; rows >= 2; rows -= 2, from += 2 * row_step, to += GM_PAIR_COLUMNS) {
            store_columns(to, gm_four_at(from), gm_four_at(from + row_step), minus_zero);
        }
    }
    for (; rows > 0; to += GM_PAIR_COLUMNS) {
        uint32_t first = some_columns(from, columns, column_step, zeros), second = zeros;
        from += row_step;
        if (--rows > 0) {
            second = some_columns(from, columns, column_step, zeros);
            from += row_step, rows--;
        }
        store_columns(to, first, second, minus_zero);
    }
    return to;
}

#endif
