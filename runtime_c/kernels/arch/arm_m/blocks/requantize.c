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

#if GM_ARCH_DSP

/* A value below it plus a zero point fits in 16 bits. */
#define NARROW 32000.0f

int gm_are_narrow(const float *multipliers, const float *offsets, const int32_t *bias, uint32_t channels, float most)
{
    int narrow = 1;
    for (uint32_t c = 0; c < channels; c++) {
        float sum = bias ? most + __builtin_fabsf((float)bias[c]) : most;
        float number = sum * __builtin_fabsf(multipliers[c]) + (offsets ? __builtin_fabsf(offsets[c]) : 0.0f);
        narrow &= number < NARROW;
    }
    return narrow;
}

#endif

#if GM_ARCH_HELIUM

/* gm_pair_requantize() is in arch/helium/blocks/requantize.c. */

#elif GM_ARCH_DSP

/* ---- Tiles ----------------------------------------------------------------------------------- */

/*
 * A tile: the product, whose sums are in r0 to r7, then y = min(max(round(sum m + offset) + zero,
 * low), high). Machine instructions for 8 outputs: 84, and 68 if they are narrow.
 *
 * On the stack: what the product needs, a, the end of b, bias and bias_step, multipliers and
 * offsets, y, the struct, r7.
 */
#define OUTPUTS_OFFSET(member) [member] "i"(offsetof(gm_pair_outputs, member))

#define START_OUTPUTS                                                                      \
    LINE("push {r0, r7}") LINE("sub sp, #40")                                              \
    LINE("ldrd r12, lr, [r0, %[a]]") LINE("ldr r11, [r0, %[bytes]]")                       \
    FIND_END_AND_ENTRY(r12, r11, r10, r9, r8, r7) LINE("strd r10, r9, [sp]")               \
    LINE("ldr r8, [r0, %[tiles]]") LINE("mla r8, r8, r11, lr") LINE("strd r12, r8, [sp, #8]") \
    LINE("ldrd r1, r2, [r0, %[bias]]") LINE("strd r1, r2, [sp, #16]")                      \
    LINE("ldrd r1, r2, [r0, %[multipliers]]") LINE("strd r1, r2, [sp, #24]")               \
    LINE("ldrd r1, r2, [r0, %[y]]") LINE("strd r1, r2, [sp, #32]")
#define START_TILE                                                                         \
    LINE("ldrd r9, r10, [sp, #16]") LINE("ldm r9, {r0-r3}") LINE("ldm r9, {r4-r7}")        \
    LINE("add r9, r10") LINE("str r9, [sp, #16]") LINE("ldr r12, [sp, #8]")
#define SCALE                                                                              \
    LINE("ldrd r9, r10, [sp, #24]")                                                        \
    SUMS_TO_FLOATS                                                                         \
    LINE("vldmia r9!, {s8-s11}")                                                           \
    EACH_SUM_OF_8(SUM_TO_FLOAT) EACH_SUM_OF_8(TIMES_MULTIPLIER)                            \
    LINE("cmp r10, #0") LINE("beq 2f")                                                     \
    LINE("vldmia r10!, {s8-s11}")                                                          \
    EACH_SUM_OF_8(PLUS)                                                                    \
    "2:\n\t"                                                                               \
    LINE("strd r9, r10, [sp, #24]")
#define STORE                                                                              \
    LINE("ldrd r1, r2, [sp, #32]")                                                         \
    LINE("str r0, [r1], #4") LINE("str r4, [r2], #4")                                      \
    LINE("strd r1, r2, [sp, #32]")

#define DEFINE_REQUANTIZE(name, START, ROUND)                                              \
    __attribute__((noinline)) static void name(gm_pair_outputs *outputs)                   \
    {                                                                                      \
        register uintptr_t r0 __asm__("r0") = (uintptr_t)outputs;                          \
        __asm__ volatile(START_OUTPUTS                                                     \
                         START                                                             \
                         "1:\n\t"                                                          \
                         START_TILE PAIR_PRODUCT SCALE ROUND STORE                         \
                         LINE("ldr r9, [sp, #12]") LINE("cmp lr, r9") LINE("bne 1b")       \
                         LINE("add sp, #40") LINE("pop {r0, r7}")                          \
                         : "+r"(r0)                                                        \
                         : OUTPUTS_OFFSET(a), OUTPUTS_OFFSET(bytes), OUTPUTS_OFFSET(bias), OUTPUTS_OFFSET(multipliers), \
                           OUTPUTS_OFFSET(y), OUTPUTS_OFFSET(zero), OUTPUTS_OFFSET(high), OUTPUTS_OFFSET(tiles) \
                         : PRODUCT_CHANGES, "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", \
                           "s16", "s17");                                                  \
    }

/* Conversions and 16-bit sums saturate, far outside the bounds. */
#define ROUND_ANY                                                                          \
    EACH_SUM_OF_8(TO_NEAREST) FLOATS_TO_SUMS                                               \
    LINE("ldr r8, [sp, #40]") LINE("ldrd r9, r10, [r8, %[zero]]") LINE("ldr r11, [r8, %[high]]") \
    TO_BYTES(r0, r1, r2, r3) TO_BYTES(r4, r5, r6, r7)                                      \
    UNLESS_ENDS(3)                                                                         \
    IN_BOUNDS(r0, r1) IN_BOUNDS(r4, r5)                                                    \
    "3:\n\t"
DEFINE_REQUANTIZE(requantize_any, , ROUND_ANY)

#define START_NARROW LINE("ldr r1, [r0, %[zero]]") START_NARROW_BYTES(r1, r2)
#define ROUND_NARROW                                                                       \
    EACH_SUM_OF_8(TO_NARROW) FLOATS_TO_SUMS                                                \
    LINE("vmov r9, s17")                                                                   \
    NARROW_TO_BYTES(r0, r1, r2, r3) NARROW_TO_BYTES(r4, r5, r6, r7)
DEFINE_REQUANTIZE(requantize_narrow, START_NARROW, ROUND_NARROW)

void gm_pair_requantize(gm_pair_outputs *outputs)
{
    (outputs->is_narrow ? requantize_narrow : requantize_any)(outputs);
}

#else

__attribute__((noinline)) int8_t gm_scaled_by_floats(int32_t sum, const float *multiplier, const float *offset,
                                                     const gm_output_range *range)
{
    float scaled = (float)sum * *multiplier;
    return gm_to_int8(offset ? scaled + *offset : scaled, range);
}

int8_t gm_int8_of_sum(int32_t sum, const float *multiplier, const float *offset, const gm_output_range *range)
{
    return gm_scaled_closely(sum, multiplier, offset, range);
}

int gm_have_factors(const float *multipliers, const float *offsets, uint32_t n)
{
    int have = 1;
    for (uint32_t i = 0; i < n; i++) {
        have &= gm_int8_factor(multipliers + i, offsets) > 0;
    }
    return have;
}

/* A tile of any outputs. */
__attribute__((noinline)) static void store_any_tile(const gm_pair_outputs *o, const uint32_t *sums, int8_t *first,
                                                     int8_t *second)
{
    const gm_int8_bounds bounds = gm_int8_bounds_of(&o->range);
    for (uint32_t c = 0; c < GM_PAIR_COLUMNS; c++, sums++) {
        const float *multiplier = o->multipliers + c, *offset = o->offsets ? o->offsets + c : NULL;
        int32_t factor = gm_int8_factor(multiplier, offset), a = (int32_t)sums[0], b = (int32_t)sums[GM_PAIR_COLUMNS];
        if (factor > 0) {
            first[c] = gm_scaled_to_int8(a, factor, &bounds, multiplier, &o->range);
            second[c] = gm_scaled_to_int8(b, factor, &bounds, multiplier, &o->range);
        } else {
            first[c] = gm_int8_of_sum(a, multiplier, offset, &o->range);
            second[c] = gm_int8_of_sum(b, multiplier, offset, &o->range);
        }
    }
}

/* One column of a tile whose multipliers have factors, and whose outputs have no bounds. */
#define STORE_WHOLE(c)                                                                                             \
    factor = gm_factor_of_bits(gm_bits_of(multipliers[c]));                                                         \
    first[c] = gm_scaled_to_whole_int8((int32_t)sums[c], factor, zero, multipliers + (c), &o->range);               \
    second[c] = gm_scaled_to_whole_int8((int32_t)sums[GM_PAIR_COLUMNS + (c)], factor, zero, multipliers + (c), &o->range);

/* Both rows of a tile. */
static inline void store_tile(const gm_pair_outputs *o, const uint32_t *sums, uint32_t at)
{
    int8_t *first = o->y[0] + at, *second = o->y[1] + at;
    const float *multipliers = o->multipliers;
    int32_t zero = o->range.zero, factor;
    if (!o->by_factors) {
        store_any_tile(o, sums, first, second);
        return;
    }
    STORE_WHOLE(0)
    STORE_WHOLE(1)
    STORE_WHOLE(2)
    STORE_WHOLE(3)
}

void gm_pair_requantize(gm_pair_outputs *o)
{
    uint32_t words = o->bytes / 4, fours = o->fours_bytes / 4, at = 0;
    gm_pair_tile tile;
    tile.a = o->a;
    for (; o->tiles > 0; o->tiles--, at += GM_PAIR_COLUMNS) {
        tile.b = o->b, tile.fours_end = o->b + fours, tile.end = o->b + words;
        for (uint32_t c = 0; c < GM_PAIR_COLUMNS; c++) {
            tile.sums[c] = tile.sums[GM_PAIR_COLUMNS + c] = (uint32_t)o->bias[c];
        }
        gm_pair_product(&tile);
        store_tile(o, tile.sums, at);
        o->b = tile.end, o->bias += o->bias_step / 4, o->multipliers += GM_PAIR_COLUMNS;
        o->offsets = o->offsets ? o->offsets + GM_PAIR_COLUMNS : NULL;
    }
    o->y[0] += at, o->y[1] += at;
}

#endif

#endif
