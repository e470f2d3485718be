/* Tiles of requantize.h. */
#include "requantize.h"

#include "bytes.h"
#include "product.h"
#include "scaled.h"

#if GM_ARCH_PAIRS

int gm_are_finite(const float *x, uint32_t n)
{
    uint32_t finite = 1;
    for (uint32_t i = 0; i < n; i++) {
        finite &= (gm_bits_of(x[i]) & 0x7f800000u) != 0x7f800000u;
    }
    return (int)finite;
}

#if GM_ARCH_HELIUM

/* gm_pair_requantize() is in arch/helium/blocks/requantize.c. */

#elif GM_ARCH_DSP

/*
 * A tile: the product, whose sums are in r0 to r7, then y = min(max(round(sum m + offset) + zero,
 * low), high), 69 machine instructions for 8 outputs. Conversions and 16-bit sums saturate, far
 * outside of the bounds. On the stack: ends of b, the struct, r7.
 */
#define OUTPUTS_FIELD(to, member) LINE("ldr " #to ", [r8, %[" #member "]]")
#define OUTPUTS_OFFSET(member) [member] "i"(offsetof(gm_pair_outputs, member))

#define START_TILE                                                                         \
    START_PRODUCT                                                                          \
    LINE("ldrd r9, r10, [r8, %[bias]]")                                                    \
    LINE("ldm r9, {r0-r3}") LINE("ldm r9, {r4-r7}")                                        \
    LINE("add r9, r10") LINE("str r9, [r8, %[bias]]")

#define SCALE                                                                              \
    LINE("ldr r8, [sp, #8]") LINE("str lr, [r8, %[b]]")                                    \
    LINE("ldrd r9, r10, [r8, %[multipliers]]")                                             \
    SUMS_TO_FLOATS                                                                         \
    LINE("vldmia r9!, {s8-s11}")                                                           \
    EACH_SUM_OF_8(SUM_TO_FLOAT) EACH_SUM_OF_8(TIMES_MULTIPLIER)                                                   \
    LINE("cmp r10, #0") LINE("beq 2f")                                                     \
    LINE("vldmia r10!, {s8-s11}")                                                          \
    EACH_SUM_OF_8(PLUS)                                                                        \
    "2:\n\t"                                                                               \
    LINE("strd r9, r10, [r8, %[multipliers]]")                                             \
    EACH_SUM_OF_8(TO_NEAREST)                                                                  \
    FLOATS_TO_SUMS

#define STORE                                                                              \
    LINE("ldrd r9, r10, [r8, %[zero]]") OUTPUTS_FIELD(r11, high)                                   \
    TO_BYTES(r0, r1, r2, r3) TO_BYTES(r4, r5, r6, r7)                                      \
    UNLESS_ENDS(3)                                                                         \
    IN_BOUNDS(r0, r1) IN_BOUNDS(r4, r5)                                                    \
    "3:\n\t"                                                                               \
    LINE("ldrd r1, r2, [r8, %[y]]")                                                        \
    LINE("str r0, [r1], #4") LINE("str r4, [r2], #4")                                      \
    LINE("strd r1, r2, [r8, %[y]]")

__attribute__((noinline)) void gm_pair_requantize(gm_pair_outputs *outputs)
{
    register uintptr_t r0 __asm__("r0") = (uintptr_t)outputs;
    __asm__ volatile(LINE("push {r0, r7}")
                     LINE("sub sp, #8")
                     "1:\n\t"
                     START_TILE
                     PAIR_PRODUCT
                     SCALE
                     STORE
                     OUTPUTS_FIELD(r9, tiles)
                     LINE("subs r9, #1")
                     LINE("str r9, [r8, %[tiles]]")
                     LINE("bne 1b")
                     LINE("add sp, #8")
                     LINE("pop {r0, r7}")
                     : "+r"(r0)
                     : OUTPUTS_OFFSET(a), OUTPUTS_OFFSET(b), OUTPUTS_OFFSET(fours_bytes), OUTPUTS_OFFSET(bias), OUTPUTS_OFFSET(multipliers),
                       OUTPUTS_OFFSET(y), OUTPUTS_OFFSET(zero), OUTPUTS_OFFSET(high), OUTPUTS_OFFSET(tiles)
                     : PRODUCT_CHANGES, "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11");
}

#else

int8_t gm_scaled_by_floats(int32_t sum, const float *multiplier, const float *offset, const gm_output_range *range)
{
    float scaled = (float)sum * *multiplier;
    return gm_to_int8(offset ? scaled + *offset : scaled, range);
}

/* Both rows of a tile. */
static void store_tile(const gm_pair_outputs *o, const uint32_t *sums, const gm_int8_bounds *bounds, uint32_t at)
{
    const float *multiplier = o->multipliers, *offset = o->offsets;
    int8_t *first = o->y[0] + at, *second = o->y[1] + at;
    for (const uint32_t *end = sums + GM_PAIR_COLUMNS; sums != end; sums++, multiplier++) {
        const gm_multiplier m = gm_int8_multiplier(multiplier, offset);
        *first++ = gm_scaled_to_int8((int32_t)sums[0], &m, bounds, multiplier, offset, &o->range);
        *second++ = gm_scaled_to_int8((int32_t)sums[GM_PAIR_COLUMNS], &m, bounds, multiplier, offset, &o->range);
        offset += offset ? 1 : 0;
    }
}

void gm_pair_requantize(gm_pair_outputs *o)
{
    const gm_int8_bounds bounds = gm_int8_bounds_of(&o->range);
    uint32_t words = o->bytes / 4, fours = o->fours_bytes / 4, at = 0;
    for (; o->tiles > 0; o->tiles--, at += GM_PAIR_COLUMNS) {
        gm_pair_tile tile;
        tile.a = o->a, tile.b = o->b, tile.fours_end = o->b + fours, tile.end = o->b + words;
        for (uint32_t c = 0; c < GM_PAIR_COLUMNS; c++) {
            tile.sums[c] = tile.sums[GM_PAIR_COLUMNS + c] = (uint32_t)o->bias[c];
        }
        gm_pair_product(&tile);
        store_tile(o, tile.sums, &bounds, at);
        o->b = tile.end, o->bias += o->bias_step / 4, o->multipliers += GM_PAIR_COLUMNS;
        o->offsets = o->offsets ? o->offsets + GM_PAIR_COLUMNS : NULL;
    }
    o->y[0] += at, o->y[1] += at;
}

#endif

#endif
