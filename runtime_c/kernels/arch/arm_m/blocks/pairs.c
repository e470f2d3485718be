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

#if GM_ARCH_DSP
#define START_PAIR_TILE                                                                       \
    LINE("ldrd r12, lr, [r0, %[a]]") LINE("ldr r11, [r0, %[end]]") LINE("sub r11, lr")   \
    FIND_END_AND_ENTRY(r12, r11, r10, r9, r8, r7)                                        \
    LINE("push {r9}") LINE("push {r10}")
#else
#define START_PAIR_TILE                                                                       \
    LINE("ldrd r10, r11, [r0, %[fours_end]]") LINE("ldrd r12, lr, [r0, %[a]]") LINE("push {r10, r11}")
#endif

__attribute__((noinline)) void gm_pair_product(gm_pair_tile *tile)
{
    register uintptr_t r0 __asm__("r0") = (uintptr_t)tile;
    __asm__ volatile(LINE("push {r0, r7}")
                     START_PAIR_TILE
                     LINE("ldm r0, {r0-r7}")
                     PAIR_PRODUCT
                     LINE("add sp, #8")
                     LINE("pop {r8}")
                     LINE("stm r8, {r0-r7}")
                     LINE("pop {r7}")
                     : "+r"(r0)
                     : TILE_OFFSET(a), TILE_OFFSET(fours_end), TILE_OFFSET(end)
                     : PRODUCT_CHANGES);
}

#else

/*
 * Low registers are few: two rows by two columns at a time, 30 machine instructions for 8 products.
 *
 *     r3, r4  words of both rows          r1  a     r8 to r11  sums
 *     r5, r6  words of two columns        r2  b     r12, lr    ends of whole fours of words, and of all
 */
#define THUMB_ADD(sum, factor, by) LINE("muls " #factor ", " #by) LINE("add " #sum ", " #factor)
#define LOWER_HALVES                                                                                \
    LINE("sxth r7, r3") LINE("sxth r0, r5") THUMB_ADD(r8, r0, r7) LINE("sxth r0, r6") THUMB_ADD(r9, r7, r0) \
    LINE("sxth r7, r4") THUMB_ADD(r11, r0, r7) LINE("sxth r0, r5") THUMB_ADD(r10, r7, r0)
#define UPPER_HALVES                                                                                \
    LINE("asrs r3, r3, #16") LINE("asrs r0, r5, #16") THUMB_ADD(r8, r0, r3)                         \
    LINE("asrs r6, r6, #16") THUMB_ADD(r9, r3, r6) LINE("asrs r4, r4, #16") THUMB_ADD(r11, r6, r4)  \
    LINE("asrs r5, r5, #16") THUMB_ADD(r10, r4, r5)
#define THUMB_WORD                                                                                  \
    LINE("ldmia r1!, {r3, r4}") LINE("ldmia r2!, {r5, r6}") LINE("adds r2, #8") LOWER_HALVES UPPER_HALVES
#define THUMB_UNTIL(end, loop, behind, BODY)                                                        \
    LINE("cmp r2, " #end) LINE("beq " #behind "f")                                                  \
    #loop ":\n\t" BODY LINE("cmp r2, " #end) LINE("bne " #loop "b")                                 \
    #behind ":\n\t"

/* sums: four of each row. Ends: for the first of both columns. */
__attribute__((noinline)) static void multiply_two_columns(uint32_t *sums, const uint32_t *a, const uint32_t *b,
                                                           const uint32_t *const ends[2])
{
    register uintptr_t r0 __asm__("r0") = (uintptr_t)sums;
    register uintptr_t r1 __asm__("r1") = (uintptr_t)a;
    register uintptr_t r2 __asm__("r2") = (uintptr_t)b;
    register uintptr_t r3 __asm__("r3") = (uintptr_t)ends;
    __asm__ volatile(".syntax unified\n\t"
                     LINE("push {r0, r7}")
                     LINE("ldr r4, [r3]") LINE("mov r12, r4") LINE("ldr r4, [r3, #4]") LINE("mov lr, r4")
                     LINE("ldr r4, [r0]") LINE("mov r8, r4") LINE("ldr r4, [r0, #4]") LINE("mov r9, r4")
                     LINE("ldr r4, [r0, #16]") LINE("mov r10, r4") LINE("ldr r4, [r0, #20]") LINE("mov r11, r4")
                     THUMB_UNTIL(r12, 1, 2, THUMB_WORD THUMB_WORD)
                     THUMB_UNTIL(lr, 3, 4, THUMB_WORD)
                     LINE("pop {r0, r7}")
                     LINE("mov r4, r8") LINE("str r4, [r0]") LINE("mov r4, r9") LINE("str r4, [r0, #4]")
                     LINE("mov r4, r10") LINE("str r4, [r0, #16]") LINE("mov r4, r11") LINE("str r4, [r0, #20]")
                     : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)
                     :
                     : "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "cc", "memory");
}

void gm_pair_product(gm_pair_tile *tile)
{
    for (uint32_t column = 0; column < GM_PAIR_COLUMNS; column += 2) {
        const uint32_t *const ends[2] = {tile->fours_end + column, tile->end + column};
        multiply_two_columns(tile->sums + column, tile->a, tile->b + column, ends);
    }
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

/* The i-th group of four values. across: a constant, so that stores need no address arithmetic. */
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

/* 1 to 3 values. */
static uint32_t *last_numbers(uint32_t *to, uint32_t across, const int8_t *from, uint32_t n, int32_t zero)
{
    to[0] = gm_pair(from[0] - zero, n > 2 ? from[2] - zero : 0);
    to[across] = gm_pair(n > 1 ? from[1] - zero : 0, 0);
    return to + 2 * across;
}

/* Contiguous values. */
static uint32_t *gapless_run(uint32_t *to, uint32_t across, const int8_t *from, uint32_t n, int32_t zero)
{
    uint32_t fours = n / 4, rest = n % 4, minus_zero = gm_pair(-zero, -zero);
    to = across == GM_PAIR_ROWS ? whole_fours(to, GM_PAIR_ROWS, from, fours, minus_zero)
                                : whole_fours(to, GM_PAIR_COLUMNS, from, fours, minus_zero);
    return rest > 0 ? last_numbers(to, across, from + 4 * fours, rest, zero) : to;
}

#if GM_ARCH_DSP

/* Four values of both rows: 7 machine instructions. */
#define FOUR_OF_BOTH                                                                                 \
    LINE("ldr %[a], [%[first]], #4") LINE("ldr %[b], [%[second]], #4")                               \
    LINE("sxtab16 r3, %[zero], %[a]") LINE("sxtab16 r4, %[zero], %[b]")                              \
    LINE("sxtab16 r5, %[zero], %[a], ror #8") LINE("sxtab16 r6, %[zero], %[b], ror #8")              \
    LINE("stmia %[to]!, {r3, r4, r5, r6}")

/* `fours` groups of four, two at a time. */
static inline uint32_t *fours_of_two_runs(uint32_t *to, const int8_t *first, const int8_t *second, uint32_t fours,
                                          uint32_t minus_zero)
{
    uint32_t a, b;
    __asm__ volatile(LINE("lsrs %[fours], #1") LINE("bcc 1f") FOUR_OF_BOTH
                     "1:\n\t"
                     LINE("cbz %[fours], 3f")
                     "2:\n\t"
                     FOUR_OF_BOTH FOUR_OF_BOTH
                     LINE("subs %[fours], #1") LINE("bne 2b")
                     "3:\n\t"
                     : [to] "+l"(to), [first] "+r"(first), [second] "+r"(second), [fours] "+l"(fours), [a] "=&r"(a),
                       [b] "=&r"(b)
                     : [zero] "r"(minus_zero)
                     : "r3", "r4", "r5", "r6", "cc", "memory");
    return to;
}

#endif

uint32_t *gm_pair_two_runs(uint32_t *to, const int8_t *first, const int8_t *second, uint32_t n, int32_t zero)
{
#if GM_ARCH_DSP
    uint32_t fours = n / 4, rest = n % 4, at = n - rest;
    to = fours_of_two_runs(to, first, second, fours, gm_pair(-zero, -zero));
    if (rest > 0) {
        last_numbers(to, GM_PAIR_ROWS, first + at, rest, zero);
        to = last_numbers(to + 1, GM_PAIR_ROWS, second + at, rest, zero) - 1;
    }
    return to;
#else
    gapless_run(to, GM_PAIR_ROWS, first, n, zero);
    return gapless_run(to + 1, GM_PAIR_ROWS, second, n, zero) - 1;
#endif
}

#if !GM_ARCH_HELIUM
void gm_pair_four_runs(uint32_t *to, const int8_t *from, uint32_t run_step, uint32_t n, int32_t zero)
{
    uint32_t fours = n / 4, rest = n % 4, minus_zero = gm_pair(-zero, -zero);
    const int8_t *second = from + run_step, *third = second + run_step, *fourth = third + run_step;
    for (; fours > 0; fours--, from += 4, second += 4, third += 4, fourth += 4, to += 2 * GM_PAIR_COLUMNS) {
        pack_four(to, GM_PAIR_COLUMNS, from, 0, minus_zero);
        pack_four(to + 1, GM_PAIR_COLUMNS, second, 0, minus_zero);
        pack_four(to + 2, GM_PAIR_COLUMNS, third, 0, minus_zero);
        pack_four(to + 3, GM_PAIR_COLUMNS, fourth, 0, minus_zero);
    }
    if (rest > 0) {
        last_numbers(to, GM_PAIR_COLUMNS, from, rest, zero);
        last_numbers(to + 1, GM_PAIR_COLUMNS, second, rest, zero);
        last_numbers(to + 2, GM_PAIR_COLUMNS, third, rest, zero);
        last_numbers(to + 3, GM_PAIR_COLUMNS, fourth, rest, zero);
    }
}
#endif

/* Separate from gm_pair_run(), so that its frame has no buffer. */
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
