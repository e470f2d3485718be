/* Tiles and panels of pairs.h. */
#include "pairs.h"

#include "dsp.h"
#include "product.h"

#if GM_ARCH_PAIRS

/* ---- Tiles ----------------------------------------------------------------------------------- */

#if GM_ARCH_HELIUM

/* In arch/helium/blocks/pairs.c. */

#elif defined(__thumb2__)

#define TILE_OFFSET(member) [member] "i"(offsetof(gm_pair_tile, member))

__attribute__((noinline)) void gm_pair_product(gm_pair_tile *tile)
{
    register uintptr_t r0 __asm__("r0") = (uintptr_t)tile;
    __asm__ volatile(LINE("push {r0, r7}")
                     LINE("ldrd r10, r11, [r0, %[fours_end]]")
                     LINE("ldrd r12, lr, [r0, %[a]]")
                     LINE("push {r10, r11}")
                     LINE("ldm r0, {r0-r7}")
                     PAIR_PRODUCT
                     LINE("add sp, #8")
                     LINE("pop {r8}")
                     LINE("stm r8, {r0-r7}")
                     LINE("pop {r7}")
                     : "+r"(r0)
                     : TILE_OFFSET(a), TILE_OFFSET(fours_end)
                     : PRODUCT_CHANGES);
}

#else

/* Registers are few: two rows by two columns at a time. */
static void multiply_two_columns(gm_pair_tile *tile, uint32_t column)
{
    uint32_t *sums = tile->sums + column, s = sums[0], t = sums[1], u = sums[4], v = sums[5];
    const int16_t *a = (const int16_t *)tile->a, *b = (const int16_t *)(tile->b + column);
    for (const int16_t *end = (const int16_t *)(tile->end + column); b != end;) {
        for (uint32_t half = 0; half < 2; half++, a++, b++) {
            int32_t first = a[0], second = a[2], left = b[0], right = b[2];
            s += (uint32_t)(first * left), t += (uint32_t)(first * right);
            u += (uint32_t)(second * left), v += (uint32_t)(second * right);
        }
        a += 2, b += 6;
    }
    sums[0] = s, sums[1] = t, sums[4] = u, sums[5] = v;
}

void gm_pair_product(gm_pair_tile *tile)
{
    multiply_two_columns(tile, 0);
    multiply_two_columns(tile, 2);
}

#endif

/* ---- Panels ---------------------------------------------------------------------------------- */

uint32_t *gm_pair_zeros(uint32_t *to, uint32_t across, uint32_t words)
{
    for (; words > 0; words--, to += across) {
        *to = 0;
    }
    return to;
}

/* The i-th four of numbers. across: a constant, so that stores need no sums. */
static inline void pack_four(uint32_t *to, const uint32_t across, const int8_t *from, const uint32_t i,
                             uint32_t minus_zero)
{
    uint32_t four = gm_four_at(from + 4 * i);
    to[2 * i * across] = gm_add_first_and_third(minus_zero, four);
    to[(2 * i + 1) * across] = gm_add_second_and_fourth(minus_zero, four);
}

static inline uint32_t *whole_fours(uint32_t *to, const uint32_t across, const int8_t *from, uint32_t fours,
                                    uint32_t minus_zero)
{
    for (; fours >= 4; fours -= 4, from += 16, to += 8 * across) {
        pack_four(to, across, from, 0, minus_zero);
        pack_four(to, across, from, 1, minus_zero);
        pack_four(to, across, from, 2, minus_zero);
        pack_four(to, across, from, 3, minus_zero);
    }
    for (; fours > 0; fours--, from += 4, to += 2 * across) {
        pack_four(to, across, from, 0, minus_zero);
    }
    return to;
}

/* 1 to 3 numbers. */
static uint32_t *last_numbers(uint32_t *to, uint32_t across, const int8_t *from, uint32_t n, int32_t zero)
{
    to[0] = gm_pair(from[0] - zero, n > 2 ? from[2] - zero : 0);
    to[across] = gm_pair(n > 1 ? from[1] - zero : 0, 0);
    return to + 2 * across;
}

/* Neighbouring numbers. */
static uint32_t *gapless_run(uint32_t *to, uint32_t across, const int8_t *from, uint32_t n, int32_t zero)
{
    uint32_t fours = n / 4, rest = n % 4, minus_zero = gm_pair(-zero, -zero);
    to = across == GM_PAIR_ROWS ? whole_fours(to, GM_PAIR_ROWS, from, fours, minus_zero)
                                : whole_fours(to, GM_PAIR_COLUMNS, from, fours, minus_zero);
    return rest > 0 ? last_numbers(to, across, from + 4 * fours, rest, zero) : to;
}

/* Not part of gm_pair_run(), which then needs no room for the buffer. */
__attribute__((noinline)) static uint32_t *scattered_run(uint32_t *to, uint32_t across, const int8_t *from, uint32_t n,
                                                         uint32_t step, int32_t zero)
{
    int8_t buffer[GM_PAIR_BUFFER];
    while (n > 0) {
        uint32_t count = n < GM_PAIR_BUFFER ? n : GM_PAIR_BUFFER;
        for (uint32_t i = 0; i < count; i++, from += step) {
            buffer[i] = *from;
        }
        to = gapless_run(to, across, buffer, count, zero);
        n -= count;
    }
    return to;
}

uint32_t *gm_pair_run(uint32_t *to, uint32_t across, const int8_t *from, uint32_t n, uint32_t step, int32_t zero)
{
    int has_gaps = step != 1 && n > 1;
    return has_gaps ? scattered_run(to, across, from, n, step, zero) : gapless_run(to, across, from, n, zero);
}

#endif
