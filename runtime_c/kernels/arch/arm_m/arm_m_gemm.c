/*
 * Matrix products on Cortex-M with FPU. Machine instructions for each multiply-accumulate of a long sum:
 *
 *     4 rows, along     a[m,.] and b[.,n] are contiguous                           1.31
 *     4 rows, across    a[m,.] and b[k,.] are                                      1.31
 *     4 rows, outer     a[.,k] and b[k,.] are                                      1.38
 *     4 rows, strided   a[m,.] is; 3 and 2 rows: 1.88 and 2.25                     1.69
 *     4 rows, columns   a[.,k] is; 3 and 2 rows: 2 and 2.5                         1.75
 *     4 rows, general   nothing is                                                 2.13
 *     1 row, across     b[k,.] is: walk.c
 *     1 row, along      a and b[.,n] are: 4 columns, 1 column: 1.44, 2.5
 *     1 row, strided    4 columns                                                  4
 */
#include "../../gemm_tile.h"
#include "../arch.h"
#include "registers.h"
#include "walk.h"

#if GM_ARCH_ARM_M && !GM_ARCH_HELIUM

/* Bytes from one element to the next. */
static uint32_t bytes(uint32_t elements)
{
    return elements * (uint32_t)sizeof(float);
}

/* ---- One row ----------------------------------------------------------------------------------------------- */

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
TILE strided_4(const float *a, const float *b, float *y, const gm_gemm_strides *s)
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

static void along_row(const float *a, const float *b, float *y, uint32_t n, const gm_gemm_strides *s)
{
    for (; n >= 4; n -= 4, b += 4 * s->b_col, y += 4) {
        along_4(a, b, y, s);
    }
    for (; n > 0; n--, b += s->b_col, y++) {
        along_1(a, b, y, s);
    }
}

static void strided_row(const float *a, const float *b, float *y, uint32_t n, const gm_gemm_strides *s)
{
    const gm_walk walk = { 1, s->k, 0, s->a_col, 0, s->b_row };
    for (; n >= 4; n -= 4, b += 4 * s->b_col, y += 4) {
        strided_4(a, b, y, s);
    }
    for (; n > 0; n--, b += s->b_col, y++) {
        gm_walk_across(&walk, a, b, y, 1);
    }
}

void gm_gemm_row(const float *a, const float *b, float *y, uint32_t n, const gm_gemm_strides *s)
{
    int along = s->b_row == 1 && s->a_col == 1;
    if (s->b_col == 1 && !(along && n == 1)) {
        const gm_walk walk = { 1, s->k, 0, s->a_col, 0, s->b_row };
        gm_walk_across(&walk, a, b, y, n);
    } else if (along) {
        along_row(a, b, y, n, s);
    } else {
        strided_row(a, b, y, n, s);
    }
}

/* Tiles that convolutions need, and products of any operands, but not Linear layers. */
#define WITH_ANY_STRIDES (GM_WITH_CONV || GM_WITH_CONV_TRANSPOSE || GM_WITH_MATMUL)

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

TILE along_4x4(const float *a, const float *b, float *y, uint32_t y_row, const gm_gemm_strides *s)
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

TILE across_4x4(const float *a, const float *b, float *y, uint32_t y_row, const gm_gemm_strides *s)
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

TILE outer_4x4(const float *a, const float *b, float *y, uint32_t y_row, const gm_gemm_strides *s)
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

#if WITH_ANY_STRIDES

#define LOAD_B LOAD_1_STEP(b0, s24, b_step) LOAD_1_STEP(b1, s25, b_step) \
               LOAD_1_STEP(b2, s26, b_step) LOAD_1_STEP(b3, s27, b_step)

/* Defines strided_<rows>x4: a's rows are contiguous, b has any strides. */
#define DEFINE_STRIDED(rows)                                                                                         \
    TILE strided_##rows##x4(const float *a, const float *b, float *y, uint32_t y_row,                         \
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

/* Defines columns_<rows>x4: a's columns are contiguous, b has any strides. A: registers of a's column. */
#define DEFINE_COLUMNS(rows, A)                                                                                      \
    TILE columns_##rows##x4(const float *a, const float *b, float *y, uint32_t y_row,                         \
                                   const gm_gemm_strides *s)                                                         \
    {                                                                                                                \
        uint32_t k = s->k;                                                                                           \
        const float *b1 = b + s->b_col, *b2 = b1 + s->b_col, *b3 = b2 + s->b_col;                                    \
        __asm__ volatile(LOAD_##rows##x4                                                                             \
                         "1:\n\t"                                                                                    \
                         LOAD_STEP(a, A, a_step)                                                                     \
                         LOAD_B                                                                                      \
                         FMA_##rows##x4(s16, s17, s18, s19, s24, s25, s26, s27)                                      \
                         LINE("subs %[k], #1")                                                                       \
                         LINE("bne 1b")                                                                              \
                         STORE_##rows##x4                                                                            \
                         : [a] "+r"(a), [b0] "+r"(b), [b1] "+r"(b1), [b2] "+r"(b2), [b3] "+r"(b3), [k] "+r"(k),      \
                           [y] "+r"(y)                                                                               \
                         : [y_step] "r"(bytes(y_row)), [a_step] "r"(bytes(s->a_col)), [b_step] "r"(bytes(s->b_row))  \
                         : CHANGED);                                                                                 \
    }

DEFINE_COLUMNS(2, "s16, s17")
DEFINE_COLUMNS(3, "s16-s18")
DEFINE_COLUMNS(4, "s16-s19")

/* Any strides. */
TILE general_4x4(const float *a, const float *b, float *y, uint32_t y_row, const gm_gemm_strides *s)
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

#endif

/* Defines <name>_matrix: all whole tiles of so many rows by 4 columns. */
#define DEFINE_MATRIX(name, rows)                                                                               \
    static void name##_matrix(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row, \
                              const gm_gemm_strides *s)                                                         \
    {                                                                                                           \
        for (; m >= rows; m -= rows, a += rows * s->a_row, y += rows * y_row) {                                 \
            for (uint32_t column = 0; n - column >= 4; column += 4) {                                           \
                name(a, b + column * s->b_col, y + column, y_row, s);                                           \
            }                                                                                                   \
        }                                                                                                       \
    }

DEFINE_MATRIX(along_4x4, 4)
DEFINE_MATRIX(across_4x4, 4)
DEFINE_MATRIX(outer_4x4, 4)
#if WITH_ANY_STRIDES
DEFINE_MATRIX(general_4x4, 4)
DEFINE_MATRIX(strided_4x4, 4)
DEFINE_MATRIX(strided_3x4, 3)
DEFINE_MATRIX(strided_2x4, 2)
DEFINE_MATRIX(columns_4x4, 4)
DEFINE_MATRIX(columns_3x4, 3)
DEFINE_MATRIX(columns_2x4, 2)
#endif

typedef void (*matrix)(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                       const gm_gemm_strides *s);

/* What 4, 3 and 2 rows are made of; NULL where single rows are the better way. */
typedef struct way {
    matrix rows_4, rows_3, rows_2;
} way;

static way way_for(const gm_gemm_strides *s)
{
    if (s->a_col == 1 && s->b_row == 1) {
        return (way){ along_4x4_matrix, NULL, NULL };
    }
    if (s->a_col == 1 && s->b_col == 1) {
        return (way){ across_4x4_matrix, NULL, NULL };
    }
    if (s->a_row == 1 && s->b_col == 1) {
        return (way){ outer_4x4_matrix, NULL, NULL };
    }
#if WITH_ANY_STRIDES
    if (s->a_col == 1) {
        return (way){ strided_4x4_matrix, strided_3x4_matrix, strided_2x4_matrix };
    }
    if (s->a_row == 1) {
        return (way){ columns_4x4_matrix, columns_3x4_matrix, columns_2x4_matrix };
    }
    return (way){ general_4x4_matrix, NULL, NULL };
#else
    return (way){ NULL, NULL, NULL };
#endif
}

static void single_rows(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                        const gm_gemm_strides *s)
{
    for (; m > 0; m--, a += s->a_row, y += y_row) {
        gm_gemm_row(a, b, y, n, s);
    }
}

void gm_gemm_matrix(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                    const gm_gemm_strides *s)
{
    way w = way_for(s);
    uint32_t tail = m % 4, whole = m - tail, columns = n / 4 * 4;
    if (w.rows_4 == NULL || m < 2 || n < 4) {
        single_rows(a, b, y, m, n, y_row, s);
        return;
    }
    matrix last = tail == 3 ? w.rows_3 : tail == 2 ? w.rows_2 : NULL;
    w.rows_4(a, b, y, whole, n, y_row, s);
    if (last) {
        last(a + whole * s->a_row, b, y + whole * y_row, tail, columns, y_row, s);
    } else {
        single_rows(a + whole * s->a_row, b, y + whole * y_row, tail, columns, y_row, s);
    }
    if (columns < n) {
        single_rows(a, b + columns * s->b_col, y + columns, m, n - columns, y_row, s);
    }
}

#endif
