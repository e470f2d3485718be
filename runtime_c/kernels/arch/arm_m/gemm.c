/*
 * Matrix products on Cortex-M with FPU. Machine instructions for each multiply-accumulate of a long sum:
 *
 *     4 rows, along     a[m,.] and b[.,n] are contiguous                           1.31
 *     4 rows, across    a[m,.] and b[k,.] are                                      1.31
 *     4 rows, outer     a[.,k] and b[k,.] are                                      1.38
 *     4 rows, strided   a[m,.] is; 3 and 2 rows: 1.88 and 2.25                     1.69
 *     4 rows, general   nothing is                                                 2.13
 *     1 row, across     b[k,.] is: 16, 8, 4, 2, 1 columns: 1.44, 1.75, 2.5, 4, 7
 *     1 row, along      a and b[.,n] are: 4 columns, 1 column: 1.44, 2.5
 *     1 row, strided    4 columns                                                  4
 */
#include "../../gemm_tile.h"
#include "../arch.h"
#include "registers.h"

#if GM_ARCH_ARM_M

/* Bytes from one element to the next. */
static uint32_t bytes(uint32_t elements)
{
    return elements * (uint32_t)sizeof(float);
}

/* ---- One row ----------------------------------------------------------------------------------------------- */

/* Defines across_<n>: n neighbouring outputs where b_col is 1. Y: their registers; PRODUCTS: the loads of b[k,.], which
 * go on from `b` by `b_step` bytes over all, and the multiply-accumulates with s16. */
#define DEFINE_ACROSS(n, Y, B_AHEAD, PRODUCTS)                                                                      \
    static void across_##n(const float *a, const float *b, float *y, const gm_gemm_strides *s)                      \
    {                                                                                                               \
        uint32_t k = s->k;                                                                                          \
        __asm__ volatile(LINE("vldmia %[y], {" Y "}")                                                               \
                         "1:\n\t"                                                                                   \
                         LOAD_1_STEP(a, s16, a_step)                                                                \
                         PRODUCTS                                                                                   \
                         LINE("subs %[k], #1")                                                                      \
                         LINE("bne 1b")                                                                             \
                         LINE("vstmia %[y], {" Y "}")                                                               \
                         : [a] "+r"(a), [b] "+r"(b), [k] "+r"(k)                                                    \
                         : [y] "r"(y), [a_step] "r"(bytes(s->a_col)), [b_step] "r"(bytes(s->b_row - (B_AHEAD)))     \
                         : CHANGED);                                                                                \
    }

DEFINE_ACROSS(16, "s0-s15", 8,
              LOAD(b, "s17-s24")
              FMA_8(s16, s17, s18, s19, s20, s21, s22, s23, s24)
              LOAD_STEP(b, "s17-s24", b_step)
              FMA(s8, s16, s17) FMA(s9, s16, s18) FMA(s10, s16, s19) FMA(s11, s16, s20)
              FMA(s12, s16, s21) FMA(s13, s16, s22) FMA(s14, s16, s23) FMA(s15, s16, s24))
DEFINE_ACROSS(8, "s0-s7", 0,
              LOAD_STEP(b, "s17-s24", b_step) FMA_8(s16, s17, s18, s19, s20, s21, s22, s23, s24))
DEFINE_ACROSS(4, "s0-s3", 0, LOAD_STEP(b, "s17-s20", b_step) FMA_4(s16, s17, s18, s19, s20))
DEFINE_ACROSS(2, "s0, s1", 0, LOAD_STEP(b, "s17, s18", b_step) FMA_2(s16, s17, s18))
DEFINE_ACROSS(1, "s0", 0, LOAD_1_STEP(b, s17, b_step) FMA(s0, s16, s17))

static void across_row(const float *a, const float *b, float *y, uint32_t n, const gm_gemm_strides *s)
{
    for (; n >= 16; n -= 16, b += 16, y += 16) {
        across_16(a, b, y, s);
    }
    if (n >= 8) {
        across_8(a, b, y, s);
        n -= 8, b += 8, y += 8;
    }
    if (n >= 4) {
        across_4(a, b, y, s);
        n -= 4, b += 4, y += 4;
    }
    if (n >= 2) {
        across_2(a, b, y, s);
        n -= 2, b += 2, y += 2;
    }
    if (n >= 1) {
        across_1(a, b, y, s);
    }
}

/* Runs BODY for 4 k at a time, then REST for each k that is left. */
#define FOUR_AT_A_TIME(BODY, REST)    \
    LINE("subs %[k], #4")             \
    LINE("blo 2f")                    \
    "1:\n\t"                          \
    BODY                              \
    LINE("subs %[k], #4")             \
    LINE("bhs 1b")                    \
    "2:\n\t"                          \
    LINE("adds %[k], #4")             \
    LINE("beq 4f")                    \
    "3:\n\t"                          \
    REST                              \
    LINE("subs %[k], #1")             \
    LINE("bne 3b")                    \
    "4:\n\t"

/* 4 outputs, each a product of two contiguous rows. */
static void along_4(const float *a, const float *b, float *y, const gm_gemm_strides *s)
{
    uint32_t k = s->k;
    const float *b1 = b + s->b_col, *b2 = b1 + s->b_col, *b3 = b2 + s->b_col;
    __asm__ volatile(LINE("vldmia %[y], {s0-s3}")
                     FOUR_AT_A_TIME(
                         LOAD(a, "s4-s7")
                         LOAD(b0, "s8-s11") LOAD(b1, "s12-s15") LOAD(b2, "s16-s19") LOAD(b3, "s20-s23")
                         FMA_4(s4, s8, s12, s16, s20)
                         FMA_4(s5, s9, s13, s17, s21)
                         FMA_4(s6, s10, s14, s18, s22)
                         FMA_4(s7, s11, s15, s19, s23),
                         LOAD(a, "s4")
                         LOAD(b0, "s8") LOAD(b1, "s12") LOAD(b2, "s16") LOAD(b3, "s20")
                         FMA_4(s4, s8, s12, s16, s20))
                     LINE("vstmia %[y], {s0-s3}")
                     : [a] "+r"(a), [b0] "+r"(b), [b1] "+r"(b1), [b2] "+r"(b2), [b3] "+r"(b3), [k] "+r"(k)
                     : [y] "r"(y)
                     : CHANGED);
}

static void along_1(const float *a, const float *b, float *y, const gm_gemm_strides *s)
{
    uint32_t k = s->k;
    __asm__ volatile(LINE("vldr s0, [%[y]]")
                     FOUR_AT_A_TIME(
                         LOAD(a, "s4-s7")
                         LOAD(b, "s8-s11")
                         FMA(s0, s4, s8) FMA(s0, s5, s9) FMA(s0, s6, s10) FMA(s0, s7, s11),
                         LOAD(a, "s4")
                         LOAD(b, "s8")
                         FMA(s0, s4, s8))
                     LINE("vstr s0, [%[y]]")
                     : [a] "+r"(a), [b] "+r"(b), [k] "+r"(k)
                     : [y] "r"(y)
                     : CHANGED);
}

/* 4 neighbouring outputs of any strides */
static void strided_4(const float *a, const float *b, float *y, const gm_gemm_strides *s)
{
    uint32_t k = s->k;
    const float *b1 = b + s->b_col, *b2 = b1 + s->b_col, *b3 = b2 + s->b_col;
    __asm__ volatile(LINE("vldmia %[y], {s0-s3}")
                     "1:\n\t"
                     LOAD_1_STEP(a, s16, a_step)
                     LOAD_1_STEP(b0, s24, b_step) LOAD_1_STEP(b1, s25, b_step)
                     LOAD_1_STEP(b2, s26, b_step) LOAD_1_STEP(b3, s27, b_step)
                     FMA_4(s16, s24, s25, s26, s27)
                     LINE("subs %[k], #1")
                     LINE("bne 1b")
                     LINE("vstmia %[y], {s0-s3}")
                     : [a] "+r"(a), [b0] "+r"(b), [b1] "+r"(b1), [b2] "+r"(b2), [b3] "+r"(b3), [k] "+r"(k)
                     : [y] "r"(y), [a_step] "r"(bytes(s->a_col)), [b_step] "r"(bytes(s->b_row))
                     : CHANGED);
}

void gm_gemm_row(const float *a, const float *b, float *y, uint32_t n, const gm_gemm_strides *s)
{
    int along = s->b_row == 1 && s->a_col == 1;
    if (s->b_col == 1 && !(along && n == 1)) {
        across_row(a, b, y, n, s);
        return;
    }
    for (; n >= 4; n -= 4, b += 4 * s->b_col, y += 4) {
        (along ? along_4 : strided_4)(a, b, y, s);
    }
    for (; n > 0; n--, b += s->b_col, y++) {
        (along ? along_1 : across_1)(a, b, y, s);
    }
}

/* ---- Several rows by 4 columns ----------------------------------------------------------------------------- */

#define LOAD_ROW(registers) LINE("vldmia %[y], {" registers "}")
#define STORE_ROW(registers) LINE("vstmia %[y], {" registers "}")
#define NEXT_ROW LINE("add %[y], %[y_step]")
#define LAST_ROW LINE("sub %[y], %[y_step]")

#define LOAD_2x4 LOAD_ROW("s0-s3") NEXT_ROW LOAD_ROW("s4-s7")
#define LOAD_3x4 LOAD_2x4 NEXT_ROW LOAD_ROW("s8-s11")
#define LOAD_4x4 LOAD_3x4 NEXT_ROW LOAD_ROW("s12-s15")
#define STORE_2x4 STORE_ROW("s4-s7") LAST_ROW STORE_ROW("s0-s3")
#define STORE_3x4 STORE_ROW("s8-s11") LAST_ROW STORE_2x4
#define STORE_4x4 STORE_ROW("s12-s15") LAST_ROW STORE_3x4

/* Runs BODY for 2 k at a time, then REST where one is left. */
#define TWO_AT_A_TIME(BODY, REST)     \
    LINE("subs %[k], #2")             \
    LINE("blo 2f")                    \
    "1:\n\t"                          \
    BODY                              \
    LINE("subs %[k], #2")             \
    LINE("bhs 1b")                    \
    "2:\n\t"                          \
    LINE("adds %[k], #2")             \
    LINE("beq 3f")                    \
    REST                              \
    "3:\n\t"

/* Two k of each row of a to s16, s17; s18, s19; ...; one k to s16; s18; ... */
#define LOAD_A_2x2 LOAD(a0, "s16, s17") LOAD(a1, "s18, s19")
#define LOAD_A_3x2 LOAD_A_2x2 LOAD(a2, "s20, s21")
#define LOAD_A_4x2 LOAD_A_3x2 LOAD(a3, "s22, s23")
#define LOAD_A_2x1 LOAD(a0, "s16") LOAD(a1, "s18")
#define LOAD_A_3x1 LOAD_A_2x1 LOAD(a2, "s20")
#define LOAD_A_4x1 LOAD_A_3x1 LOAD(a3, "s22")

typedef void (*tile)(const float *a, const float *b, float *y, uint32_t y_row, const gm_gemm_strides *s);

static void along_4x4(const float *a, const float *b, float *y, uint32_t y_row, const gm_gemm_strides *s)
{
    uint32_t k = s->k;
    const float *a1 = a + s->a_row, *a2 = a1 + s->a_row, *a3 = a2 + s->a_row;
    const float *b1 = b + s->b_col, *b2 = b1 + s->b_col, *b3 = b2 + s->b_col;
    __asm__ volatile(LOAD_4x4
                     TWO_AT_A_TIME(
                         LOAD_A_4x2
                         LOAD(b0, "s24, s25") LOAD(b1, "s26, s27") LOAD(b2, "s28, s29") LOAD(b3, "s30, s31")
                         FMA_4x4(s16, s18, s20, s22, s24, s26, s28, s30)
                         FMA_4x4(s17, s19, s21, s23, s25, s27, s29, s31),
                         LOAD_A_4x1
                         LOAD(b0, "s24") LOAD(b1, "s26") LOAD(b2, "s28") LOAD(b3, "s30")
                         FMA_4x4(s16, s18, s20, s22, s24, s26, s28, s30))
                     STORE_4x4
                     : [a0] "+r"(a), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [b0] "+r"(b), [b1] "+r"(b1),
                       [b2] "+r"(b2), [b3] "+r"(b3), [k] "+r"(k), [y] "+r"(y)
                     : [y_step] "r"(bytes(y_row))
                     : CHANGED);
}

static void across_4x4(const float *a, const float *b, float *y, uint32_t y_row, const gm_gemm_strides *s)
{
    uint32_t k = s->k;
    const float *a1 = a + s->a_row, *a2 = a1 + s->a_row, *a3 = a2 + s->a_row;
    __asm__ volatile(LOAD_4x4
                     TWO_AT_A_TIME(
                         LOAD_A_4x2
                         LOAD_STEP(b, "s24-s27", b_step)
                         LOAD_STEP(b, "s28-s31", b_step)
                         FMA_4x4(s16, s18, s20, s22, s24, s25, s26, s27)
                         FMA_4x4(s17, s19, s21, s23, s28, s29, s30, s31),
                         LOAD_A_4x1
                         LOAD_STEP(b, "s24-s27", b_step)
                         FMA_4x4(s16, s18, s20, s22, s24, s25, s26, s27))
                     STORE_4x4
                     : [a0] "+r"(a), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [b] "+r"(b), [k] "+r"(k), [y] "+r"(y)
                     : [y_step] "r"(bytes(y_row)), [b_step] "r"(bytes(s->b_row))
                     : CHANGED);
}

static void outer_4x4(const float *a, const float *b, float *y, uint32_t y_row, const gm_gemm_strides *s)
{
    uint32_t k = s->k;
    __asm__ volatile(LOAD_4x4
                     "1:\n\t"
                     LOAD_STEP(a, "s16-s19", a_step)
                     LOAD_STEP(b, "s24-s27", b_step)
                     FMA_4x4(s16, s17, s18, s19, s24, s25, s26, s27)
                     LINE("subs %[k], #1")
                     LINE("bne 1b")
                     STORE_4x4
                     : [a] "+r"(a), [b] "+r"(b), [k] "+r"(k), [y] "+r"(y)
                     : [y_step] "r"(bytes(y_row)), [a_step] "r"(bytes(s->a_col)), [b_step] "r"(bytes(s->b_row))
                     : CHANGED);
}

#define LOAD_B LOAD_1_STEP(b0, s24, b_step) LOAD_1_STEP(b1, s25, b_step) \
               LOAD_1_STEP(b2, s26, b_step) LOAD_1_STEP(b3, s27, b_step)

/* Defines strided_<rows>x4: a's rows are contiguous, b has any strides. */
#define DEFINE_STRIDED(rows)                                                                                         \
    static void strided_##rows##x4(const float *a, const float *b, float *y, uint32_t y_row,                         \
                                   const gm_gemm_strides *s)                                                         \
    {                                                                                                                \
        uint32_t k = s->k, y_step = bytes(y_row);                                                                    \
        const float *a1 = a + s->a_row, *a2 = a1 + (rows > 2 ? s->a_row : 0), *a3 = a2 + (rows > 3 ? s->a_row : 0);  \
        const float *b1 = b + s->b_col, *b2 = b1 + s->b_col, *b3 = b2 + s->b_col;                                    \
        __asm__ volatile(LOAD_##rows##x4                                                                             \
                         TWO_AT_A_TIME(                                                                              \
                             LOAD_A_##rows##x2                                                                       \
                             LOAD_B                                                                                  \
                             FMA_##rows##x4(s16, s18, s20, s22, s24, s25, s26, s27)                                  \
                             LOAD_B                                                                                  \
                             FMA_##rows##x4(s17, s19, s21, s23, s24, s25, s26, s27),                                 \
                             LOAD_A_##rows##x1                                                                       \
                             LOAD_B                                                                                  \
                             FMA_##rows##x4(s16, s18, s20, s22, s24, s25, s26, s27))                                 \
                         STORE_##rows##x4                                                                            \
                         : [a0] "+r"(a), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [b0] "+r"(b), [b1] "+r"(b1),   \
                           [b2] "+r"(b2), [b3] "+r"(b3), [k] "+r"(k), [y] "+r"(y)                                    \
                         : [y_step] "r"(y_step), [b_step] "r"(bytes(s->b_row))                                       \
                         : CHANGED);                                                                                 \
    }

DEFINE_STRIDED(2)
DEFINE_STRIDED(3)
DEFINE_STRIDED(4)

/* Any strides. */
static void general_4x4(const float *a, const float *b, float *y, uint32_t y_row, const gm_gemm_strides *s)
{
    const struct {
        float *rows[4];
        uint32_t k;
    } saved = {{y, y + y_row, y + 2 * y_row, y + 3 * y_row}, s->k}; /* registers are short */
    uint32_t at = 0;
    const float *a1 = a + s->a_row, *a2 = a1 + s->a_row, *a3 = a2 + s->a_row;
    const float *b1 = b + s->b_col, *b2 = b1 + s->b_col, *b3 = b2 + s->b_col;
#define EACH_ROW(what)                                                                      \
    LINE("ldr %[at], [%[saved]]") LINE(what " %[at], {s0-s3}")                               \
    LINE("ldr %[at], [%[saved], #4]") LINE(what " %[at], {s4-s7}")                           \
    LINE("ldr %[at], [%[saved], #8]") LINE(what " %[at], {s8-s11}")                          \
    LINE("ldr %[at], [%[saved], #12]") LINE(what " %[at], {s12-s15}")
    __asm__ volatile(EACH_ROW("vldmia")
                     LINE("ldr %[at], [%[saved], #16]")
                     "1:\n\t"
                     LOAD_1_STEP(a0, s16, a_step) LOAD_1_STEP(a1, s17, a_step)
                     LOAD_1_STEP(a2, s18, a_step) LOAD_1_STEP(a3, s19, a_step)
                     LOAD_B
                     FMA_4x4(s16, s17, s18, s19, s24, s25, s26, s27)
                     LINE("subs %[at], #1")
                     LINE("bne 1b")
                     EACH_ROW("vstmia")
                     : [a0] "+r"(a), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [b0] "+r"(b), [b1] "+r"(b1),
                       [b2] "+r"(b2), [b3] "+r"(b3), [at] "+r"(at)
                     : [saved] "r"(&saved), [a_step] "r"(bytes(s->a_col)), [b_step] "r"(bytes(s->b_row))
                     : CHANGED);
}

static tile tile_for(const gm_gemm_strides *s)
{
    if (s->a_col != 1) {
        return s->a_row == 1 && s->b_col == 1 ? outer_4x4 : general_4x4;
    }
    return s->b_row == 1 ? along_4x4 : s->b_col == 1 ? across_4x4 : strided_4x4;
}

/* 4 rows of y, or 3 or 2 where the tile is for them */
static void rows_of_tiles(tile t, uint32_t rows, const float *a, const float *b, float *y, uint32_t n, uint32_t y_row,
                          const gm_gemm_strides *s)
{
    for (; n >= 4; n -= 4, b += 4 * s->b_col, y += 4) {
        t(a, b, y, y_row, s);
    }
    for (; rows > 0 && n > 0; rows--, a += s->a_row, y += y_row) {
        gm_gemm_row(a, b, y, n, s);
    }
}

void gm_gemm_matrix(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                    const gm_gemm_strides *s)
{
    tile t = tile_for(s);
    for (; m >= 4; m -= 4, a += 4 * s->a_row, y += 4 * y_row) {
        rows_of_tiles(t, 4, a, b, y, n, y_row, s);
    }
    if (m >= 2 && t == strided_4x4) {
        rows_of_tiles(m == 3 ? strided_3x4 : strided_2x4, m, a, b, y, n, y_row, s);
        return;
    }
    for (; m > 0; m--, a += s->a_row, y += y_row) {
        gm_gemm_row(a, b, y, n, s);
    }
}

#endif
