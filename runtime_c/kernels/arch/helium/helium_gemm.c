/*
 * Matrix products with Helium: tiles of 4 and 5 rows (helium_tile.c). Machine instructions for each multiply-accumulate of
 * a long sum in a row that is left alone:
 *
 *     across    b[k,.] is contiguous: helium_walk.c
 *     along     a and b[.,n] are: 12, 8 and 4 columns     0.54, 0.56, 0.63
 *     strided   12, 8 and 4 columns                       0.83, 0.88, 1
 */
#include "../../gemm_tile.h"
#include "../arm_m/registers.h"
#include "helium.h"
#include "tile.h"

#if GM_ARCH_HELIUM

/* Bytes from one element to the next. */
static uint32_t bytes(uint32_t elements)
{
    return elements * (uint32_t)sizeof(float);
}

/* ---- One row ----------------------------------------------------------------------------------------------- */

/* What a row of up to 12 sums reads in assembly, in this order. */
typedef struct gathered_row {
    const float *a;
    uint32_t k, a_k, b_k; /* bytes from k to k */
    float *y;
    uint32_t last_column, b_column, b; /* b_column in bytes; b: its address, one k back */
} gathered_row;

/* q0 to q2 are sums, q3 to q5 addresses of 4 columns each. Where k are neighbours, addresses move as they are used. */
#define ALONG(b, addresses) LINE("vldrw.u32 " #b ", [" #addresses ", #4]!")
#define STRIDED(b, addresses) LINE("vadd.i32 " #addresses ", " #addresses ", r8") LINE("vldrw.u32 " #b ", [" #addresses "]")\

#define PRODUCTS_1(a, B) B(q6, q3) VFMA(q0, q6, a)
#define PRODUCTS_2(a, B) B(q6, q3) B(q7, q4) VFMA(q0, q6, a) VFMA(q1, q7, a)
#define PRODUCTS_3(a, B) B(q6, q3) B(q7, q4) VFMA(q0, q6, a) B(q6, q5) VFMA(q1, q7, a) VFMA(q2, q6, a)

#define Y_1(what) LINE("vpst") LINE(what "t.32 q0, [r9]")
#define Y_2(what) LINE(what ".32 q0, [r9]") LINE("vpst") LINE(what "t.32 q1, [r9, #16]")
#define Y_3(what) LINE(what ".32 q0, [r9]") LINE(what ".32 q1, [r9, #16]") LINE("vpst") LINE(what "t.32 q2, [r9, #32]")

/* Addresses of the next 4 columns, from r4 on; lanes behind the last column gather that again. */
#define ADDRESSES(q)                                                                                          \
    LINE("vidup.u32 " #q ", r4, #1") LINE("vmin.u32 " #q ", " #q ", q6")                                      \
    LINE("vmul.i32 " #q ", " #q ", r5") LINE("vadd.i32 " #q ", " #q ", r6")
#define ADDRESSES_1 ADDRESSES(q3)
#define ADDRESSES_2 ADDRESSES_1 ADDRESSES(q4)
#define ADDRESSES_3 ADDRESSES_2 ADDRESSES(q5)

/* Defines <name>_<n>, of n vectors of sums. Returns 0 where nothing is stored. */
#define DEFINE_ROW(name, n, B, LOAD_4, LOAD_1)                                                                \
    __attribute__((noinline)) static int name##_##n(const gathered_row *row)                                  \
    {                                                                                                         \
        uint32_t flushed;                                                                                     \
        __asm__ volatile(HELIUM                                                                               \
                         CLEAR_FLUSHED                                                                        \
                         LINE("ldm %[row], {r1, r2, r3, r8, r9, r10}")                                        \
                         LINE("ldrd r5, r6, [%[row], #24]")                                                   \
                         LINE("mov r4, #0")                                                                   \
                         LINE("vdup.32 q6, r10")                                                              \
                         ADDRESSES_##n                                                                        \
                         LINE("sub r10, #4 * " #n " - 5")                                                     \
                         LINE("vctp.32 r10")                                                                  \
                         Y_##n("vldrw")                                                                       \
                         LINE("lsr r10, r2, #2")                                                              \
                         LINE("wls lr, r10, 2f")                                                              \
                         "1:\n\t"                                                                             \
                         LOAD_4                                                                               \
                         PRODUCTS_##n(r4, B) PRODUCTS_##n(r5, B) PRODUCTS_##n(r6, B) PRODUCTS_##n(r10, B)     \
                         LINE("le lr, 1b")                                                                    \
                         "2:\n\t"                                                                             \
                         LINE("and r2, #3")                                                                   \
                         LINE("wls lr, r2, 4f")                                                               \
                         "3:\n\t"                                                                             \
                         LOAD_1                                                                               \
                         PRODUCTS_##n(r4, B)                                                                  \
                         LINE("le lr, 3b")                                                                    \
                         "4:\n\t"                                                                             \
                         GET_FLUSHED(flushed)                                                                 \
                         LINE("bne 5f")                                                                       \
                         Y_##n("vstrw")                                                                       \
                         "5:\n\t"                                                                             \
                         : [flushed] "=&r"(flushed)                                                           \
                         : [row] "r"(row)                                                                     \
                         : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "lr", CHANGED);             \
        return flushed == 0;                                                                                  \
    }

#define LOAD_STEP_1(a) LINE("ldr " #a ", [r1]") LINE("add r1, r3")
#define DEFINE_ALONG(n) DEFINE_ROW(along, n, ALONG, LINE("ldm r1!, {r4, r5, r6, r10}"), LINE("ldr r4, [r1], #4"))
#define DEFINE_STRIDED(n)                                                                                     \
    DEFINE_ROW(strided, n, STRIDED, LOAD_STEP_1(r4) LOAD_STEP_1(r5) LOAD_STEP_1(r6) LOAD_STEP_1(r10), LOAD_STEP_1(r4))

DEFINE_ALONG(1)
DEFINE_ALONG(2)
DEFINE_ALONG(3)
DEFINE_STRIDED(1)
DEFINE_STRIDED(2)
DEFINE_STRIDED(3)

static int (*const ways[2][3])(const gathered_row *row) = {
    { strided_1, strided_2, strided_3 },
    { along_1, along_2, along_3 },
};

/* In plain C, where subnormal numbers are there. */
static void plain_row(const float *a, const float *b, float *y, uint32_t n, const gm_gemm_strides *s)
{
    for (uint32_t column = 0; column < n; column++) {
        float sum = y[column];
        for (uint32_t k = 0; k < s->k; k++) {
            sum = GM_MAC(sum, a[k * s->a_col], b[k * s->b_row + column * s->b_col]);
        }
        y[column] = sum;
    }
}

static void gathered(const float *a, const float *b, float *y, uint32_t n, const gm_gemm_strides *s)
{
    int along = s->a_col == 1 && s->b_row == 1;
    for (uint32_t count; n > 0; n -= count, b += count * s->b_col, y += count) {
        count = n < 12 ? n : 12;
        const gathered_row row = { a, s->k, bytes(s->a_col), bytes(s->b_row), y, count - 1, bytes(s->b_col),
                                   (uint32_t)(uintptr_t)(b - s->b_row) };
        if (!ways[along][(count - 1) / 4](&row)) {
            plain_row(a, b, y, count, s);
        }
    }
}

void gm_gemm_row(const float *a, const float *b, float *y, uint32_t n, const gm_gemm_strides *s)
{
    const gm_walk walk = { 1, s->k, 0, s->a_col, 0, s->b_row };
    if (s->b_col == 1 || n == 1) {
        gm_walk_across(&walk, a, b, y, n);
    } else {
        gathered(a, b, y, n, s);
    }
}

/* ---- Several rows ------------------------------------------------------------------------------------------ */

void gm_gemm_matrix(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                    const gm_gemm_strides *s)
{
    gm_tile_form form = n == 1 ? GM_TILE_FORMS : gm_tile_form_of(s->a_row, s->a_col, s->b_row, s->b_col);
    gm_tile tile = { .a_k = bytes(s->a_col), .b_k = bytes(s->b_row), .y_column = bytes(1), .b_column = bytes(s->b_col),
                     .k = s->k, .cells = 1, .rows = 1 };
    for (uint32_t rows; m >= 4 && form != GM_TILE_FORMS; m -= rows) {
        rows = gm_tile_rows(m);
        for (uint32_t i = 0; i < rows; i++, a += s->a_row, y += y_row) {
            tile.a[i] = a, tile.y[i] = y;
        }
        tile.b = b;
        gm_tile_columns(&tile, form, rows, n);
    }
    for (; m > 0; m--, a += s->a_row, y += y_row) {
        gm_gemm_row(a, b, y, n, s);
    }
}

#endif
