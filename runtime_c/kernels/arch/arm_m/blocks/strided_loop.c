/*
 * Machine instructions for each multiply-accumulate in a long row: across: 1.44, 1.75, 2.5, 4 and 7
 * for 16, 8, 4, 2 and 1 outputs at a time; products: 1.75 and 7 for 8 and 1; scaled: 1.88 and 8 for
 * 8 and 1; 4 channels by 3 taps: 1.92, by 2 taps: 2.38.
 * Some calls try Helium first.
 */
#include "strided_loop.h"

#include "../../helium/helium.h"
#include "strided_loop_assembly.h"

#if GM_ARCH_ARM_M

/* ---- Across ---------------------------------------------------------------------------------- */

/* Defines across_<n>. Y: the registers of the sums; PRODUCTS: loads of b, and
 * multiply-accumulates with s16. */
#define DEFINE_ACROSS(n, Y, B_AHEAD, PRODUCTS) \
    DEFINE_KEEPING_SUMS(across_##n, Y, 0, B_AHEAD, LOAD_1_STEP(a, s16, a_step) PRODUCTS)

DEFINE_ACROSS(16, "s0-s15", 8, MAC_16_ACROSS)
DEFINE_ACROSS(8, "s0-s7", 0,
                   LOAD_STEP(b, "s17-s24", b_step) MAC_8(s16, s17, s18, s19, s20, s21, s22, s23, s24))
DEFINE_ACROSS(4, "s0-s3", 0, LOAD_STEP(b, "s17-s20", b_step) MAC_4(s16, s17, s18, s19, s20))
#if WITH_ANY_STRIDES
DEFINE_ACROSS(2, "s0, s1", 0, LOAD_STEP(b, "s17, s18", b_step) MAC_2_OF(s16, s17, s18))
#endif
DEFINE_ACROSS(1, "s0", 0, LOAD_1_STEP(b, s17, b_step) MAC_1(s0, s16, s17))

void gm_loop_across(const gm_loop *loop, const float *a, const float *b, float *y, uint32_t n)
{
    for (; n >= 16; n -= 16, b += 16, y += 16) {
        if (!gm_helium_across_16(loop, a, b, y)) {
            across_16(loop, a, b, y);
        }
    }
    if (n >= 8) {
        if (!gm_helium_across_8(loop, a, b, y)) {
            across_8(loop, a, b, y);
        }
        n -= 8, b += 8, y += 8;
    }
    if (n >= 4) {
        if (!gm_helium_across_4(loop, a, b, y)) {
            across_4(loop, a, b, y);
        }
        n -= 4, b += 4, y += 4;
    }
#if WITH_ANY_STRIDES
    if (n >= 2) {
        across_2(loop, a, b, y);
        n -= 2, b += 2, y += 2;
    }
#endif
    for (; n > 0; n--, b++, y++) {
        across_1(loop, a, b, y);
    }
}

/* ---- Element by element ---------------------------------------------------------------------- */

/* Multiply-adds of 8 registers and of one: PRODUCTS add a times b to the sums, and SCALED
 * add a times w to b. */
#define PRODUCTS_8                                                                                   \
    LOAD_STEP(a, "s0-s7", a_step) LOAD_STEP(b, "s8-s15", b_step)                                     \
    MAC_2(s16, s0, s8, s17, s1, s9) MAC_2(s18, s2, s10, s19, s3, s11)                                \
    MAC_2(s20, s4, s12, s21, s5, s13) MAC_2(s22, s6, s14, s23, s7, s15)
#define PRODUCTS_1 LOAD_1_STEP(a, s0, a_step) LOAD_1_STEP(b, s8, b_step) MAC_1(s16, s0, s8)
#define SCALED_8                                                                                     \
    LOAD_STEP(a, "s0-s7", a_step) LINE("vldmia %[b], {s8-s15}")                                      \
    MAC_2(s8, s0, s16, s9, s1, s17) MAC_2(s10, s2, s18, s11, s3, s19)                                \
    MAC_2(s12, s4, s20, s13, s5, s21) MAC_2(s14, s6, s22, s15, s7, s23)                              \
    LINE("vstmia %[b], {s8-s15}") LINE("add %[b], %[b_step]")
#define SCALED_1                                                                                     \
    LOAD_1_STEP(a, s0, a_step) LINE("vldr s8, [%[b]]")                                               \
    MAC_1(s8, s0, s16)                                                                                 \
    LINE("vstr s8, [%[b]]") LINE("add %[b], %[b_step]")

DEFINE_KEEPING_SUMS(products_8, "s16-s23", 0, 0, PRODUCTS_8)
DEFINE_KEEPING_SUMS(products_1, "s16", 0, 0, PRODUCTS_1)
DEFINE_KEEPING_WEIGHTS(scaled_8, "s16-s23", 0, 0, SCALED_8)
DEFINE_KEEPING_WEIGHTS(scaled_1, "s16", 0, 0, SCALED_1)

void gm_loop_products(const gm_loop *loop, const float *a, const float *b, float *y, uint32_t n)
{
    for (; n >= 8; n -= 8, a += 8, b += 8, y += 8) {
        if (!gm_helium_products_8(loop, a, b, y)) {
            products_8(loop, a, b, y);
        }
    }
    for (; n > 0; n--, a++, b++, y++) {
        products_1(loop, a, b, y);
    }
}

/* Copies up to 8 weights, and returns how many. */
static uint32_t gather_weights(const float *w, uint32_t w_step, uint32_t n, float weights[8])
{
    uint32_t count = n >= 8 ? 8 : 1;
    for (uint32_t i = 0; i < count; i++) {
        weights[i] = w[i * w_step];
    }
    return count;
}

/* b[i] += a[i] w[i w_step] in each row and column, i in 0..n. */
static void add_scaled(const gm_loop *loop, const float *a, float *b, uint32_t n, const float *w, uint32_t w_step)
{
    for (uint32_t count; n > 0; n -= count, w += count * w_step, a += count, b += count) {
        float weights[8];
        count = gather_weights(w, w_step, n, weights);
        if (count == 8) {
            scaled_8(loop, a, b, weights);
        } else {
            scaled_1(loop, a, b, weights);
        }
    }
}

/* ---- Several taps, element by element -------------------------------------------------------- */

#if GM_ARCH_SCALED_TAPS

/* 4 channels by 2 or 3 taps: weights are in s0 to s11, by taps, the sums of 4 channels in s12 to
 * s15, and their inputs under each tap from s16 on, four registers per input column. */
#define TAPS_COLUMN_0 s16, s17, s18, s19
#define TAPS_COLUMN_1 s20, s21, s22, s23
#define TAPS_COLUMN_2 s24, s25, s26, s27
#define ADD_TAP(a0, a1, a2, a3, w0, w1, w2, w3) MAC_2(s12, a0, w0, s13, a1, w1) MAC_2(s14, a2, w2, s15, a3, w3)
#define ADD_FIRST(...) ADD_TAP(__VA_ARGS__, s0, s1, s2, s3)
#define ADD_SECOND(...) ADD_TAP(__VA_ARGS__, s4, s5, s6, s7)
#define ADD_THIRD(...) ADD_TAP(__VA_ARGS__, s8, s9, s10, s11)
#define OUTPUT(ADD) LINE("vldmia %[b], {s12-s15}") ADD LINE("vstmia %[b], {s12-s15}") LINE("add %[b], %[b_step]")

#define DEFINE_TAPS(name, WEIGHTS, A_AHEAD, BODY)                                                    \
    TILE name(const gm_loop *loop, uint32_t tap, const float *a, float *b, const float *w)           \
    {                                                                                                \
        uint32_t rows = loop->rows, left;                                                            \
        __asm__ volatile(LINE("vldmia %[w], {" WEIGHTS "}")                                          \
                         STRIDED_LOOP(BODY)                                                          \
                         : LOOP_CHANGES                                                              \
                         : LOOP_STRIDES(A_AHEAD, 0), [w] "r"(w), [a_tap] "r"(4 * tap)                \
                         : CHANGED);                                                                 \
    }

DEFINE_TAPS(taps_2, "s0-s7", tap,
            LOAD_STEP(a, "s16-s19", a_tap) LOAD_STEP(a, "s20-s23", a_step)
            OUTPUT(ADD_FIRST(TAPS_COLUMN_0) ADD_SECOND(TAPS_COLUMN_1)))
DEFINE_TAPS(taps_3, "s0-s11", 2 * tap,
            LOAD_STEP(a, "s16-s19", a_tap) LOAD_STEP(a, "s20-s23", a_tap) LOAD_STEP(a, "s24-s27", a_step)
            OUTPUT(ADD_FIRST(TAPS_COLUMN_0) ADD_SECOND(TAPS_COLUMN_1) ADD_THIRD(TAPS_COLUMN_2)))
/* Three output columns, if input columns are as far apart as taps: they need five input
 * columns, not nine. */
DEFINE_TAPS(taps_3_by_3, "s0-s11", 4 * tap,
            LOAD_STEP(a, "s16-s19", a_tap) LOAD_STEP(a, "s20-s23", a_tap) LOAD_STEP(a, "s24-s27", a_tap)
            OUTPUT(ADD_FIRST(TAPS_COLUMN_0) ADD_SECOND(TAPS_COLUMN_1) ADD_THIRD(TAPS_COLUMN_2))
            LOAD_STEP(a, "s16-s19", a_tap) OUTPUT(ADD_FIRST(TAPS_COLUMN_1) ADD_SECOND(TAPS_COLUMN_2) ADD_THIRD(TAPS_COLUMN_0))
            LOAD_STEP(a, "s20-s23", a_step) OUTPUT(ADD_FIRST(TAPS_COLUMN_2) ADD_SECOND(TAPS_COLUMN_0) ADD_THIRD(TAPS_COLUMN_1)))

static void gather_scaled_taps(const gm_scaled_taps *taps, const float *w, float weights[12])
{
    for (uint32_t t = 0; t < taps->count; t++, w += taps->w_tap, weights += 4) {
        weights[0] = w[0], weights[1] = w[taps->w_channel];
        weights[2] = w[2 * taps->w_channel], weights[3] = w[3 * taps->w_channel];
    }
}

/* 4 channels of 3 taps. */
static void add_3_taps(const gm_loop *loop, uint32_t tap, const float *a, float *b, const float *weights)
{
    uint32_t together = loop->a_column == tap ? loop->columns / 3 : 0, rest = loop->columns - 3 * together;
    if (together > 0) {
        const gm_loop threes = { loop->rows, together, loop->a_row, 3 * tap, loop->b_row - 2 * together * loop->b_column,
                                 loop->b_column };
        taps_3_by_3(&threes, tap, a, b, weights);
    }
    if (rest > 0) {
        const gm_loop others = { loop->rows, rest, loop->a_row, tap, loop->b_row, loop->b_column };
        taps_3(together ? &others : loop, tap, a + 3 * together * tap, b + 3 * together * loop->b_column, weights);
    }
}

/* 4 channels of 2 or 3 taps. */
static void add_scaled_taps(const gm_loop *loop, const gm_scaled_taps *taps, const float *a, float *b, const float *w)
{
    float weights[12];
    gather_scaled_taps(taps, w, weights);
    if (taps->count == 3) {
        add_3_taps(loop, taps->a_tap, a, b, weights);
    } else {
        taps_2(loop, taps->a_tap, a, b, weights);
    }
}

/* The number of taps to do next. */
static uint32_t taps_at_once(uint32_t left)
{
    return left < 3 ? left : left == 4 ? 2 : 3;
}

#else
#define taps_at_once(left) 1
#define add_scaled_taps(loop, taps, a, b, w) ((void)0)
#endif

void gm_loop_scaled_taps(const gm_loop *loop, const gm_scaled_taps *taps, const float *a, float *b, uint32_t n,
                         const float *w)
{
    gm_scaled_taps some = *taps;
    for (uint32_t left = taps->count; left > 0; left -= some.count) {
        some.count = taps_at_once(left);
        uint32_t channels = some.count > 1 ? n / 4 * 4 : 0;
        for (uint32_t c = 0; c < channels; c += 4) {
            add_scaled_taps(loop, &some, a + c, b + c, w + c * some.w_channel);
        }
        for (uint32_t t = 0; t < some.count; t++, a += some.a_tap, w += some.w_tap) {
            add_scaled(loop, a + channels, b + channels, n - channels, w + channels * some.w_channel, some.w_channel);
        }
    }
}

#endif
