/*
 * A row of a matrix product with Helium. Machine instructions for each
 * multiply-accumulate of a long sum:
 *
 *     b[k,.] is contiguous               24, 12, 8 and 4 columns: 0.56, 0.71, 0.81 and 1.13
 *     a and b[.,n] are                   12, 8 and 4 columns: 0.54, 0.56 and 0.63
 *     b has any strides                  12, 8 and 4 columns: 0.83, 0.88 and 1
 *
 * 0.07, 0.13, 0.19 and 0.38 more if a is not contiguous.
 */
#include "../../../gemm_tile.h"
#include "../../arm_m/blocks/registers.h"
#include "../helium.h"

#if GM_ARCH_HELIUM

/* The values that a row of up to 24 sums reads in assembly, in this order. */
typedef struct row_sums {
    const float *a;
    uint32_t k, a_k, b_k; /* bytes from k to k */
    float *y;
    uint32_t last_column, b_column; /* b_column in bytes */
    const float *b;
} row_sums;

/* Loads or stores of n vectors of sums; the last one may have fewer columns. */
#define Y_LAST(what, q, offset) LINE("vpst") LINE(what "t.32 " #q ", [r9, #" #offset "]")
#define Y_1(what) Y_LAST(what, q0, 0)
#define Y_2(what) LINE(what ".32 q0, [r9]") Y_LAST(what, q1, 16)
#define Y_3(what) LINE(what ".32 q0, [r9]") LINE(what ".32 q1, [r9, #16]") Y_LAST(what, q2, 32)
#define Y_6(what)                                                                                             \
    LINE(what ".32 q0, [r9]") LINE(what ".32 q1, [r9, #16]") LINE(what ".32 q2, [r9, #32]")                   \
    LINE(what ".32 q3, [r9, #48]") LINE(what ".32 q4, [r9, #64]") Y_LAST(what, q5, 80)

/* Defines <name>_<n>, for n vectors of sums from q0 on, which returns 0 if it stores nothing.
 * BEGIN_<n>, with b and the bytes between its columns in r6 and r5; PRODUCTS_<n>(a): with one k; r4
 * to r6 and r10 have four k of a. */
#define DEFINE_ROW_SUMS_OF(name, n, BEGIN, PRODUCTS, LOAD_4, LOAD_1)                                          \
    __attribute__((noinline)) static int name##_##n(const row_sums *row)                                      \
    {                                                                                                         \
        uint32_t flushed;                                                                                     \
        __asm__ volatile(HELIUM                                                                               \
                         CLEAR_FLUSHED(%[flushed])                                                            \
                         LINE("ldm %[row], {r1, r2, r3, r8, r9, r10}")                                        \
                         LINE("ldrd r5, r6, [%[row], %[b_column]]")                                           \
                         BEGIN##_##n                                                                          \
                         LINE("sub r10, #4 * " #n " - 5")                                                     \
                         LINE("vctp.32 r10")                                                                  \
                         Y_##n("vldrw")                                                                       \
                         LINE("lsr r10, r2, #2")                                                              \
                         LINE("wls lr, r10, 2f")                                                              \
                         "1:\n\t"                                                                             \
                         LOAD_4                                                                               \
                         PRODUCTS##_##n(r4) PRODUCTS##_##n(r5) PRODUCTS##_##n(r6) PRODUCTS##_##n(r10)         \
                         LINE("le lr, 1b")                                                                    \
                         "2:\n\t"                                                                             \
                         LINE("and r2, #3")                                                                   \
                         LINE("wls lr, r2, 4f")                                                               \
                         "3:\n\t"                                                                             \
                         LOAD_1                                                                               \
                         PRODUCTS##_##n(r4)                                                                   \
                         LINE("le lr, 3b")                                                                    \
                         "4:\n\t"                                                                             \
                         IF_FLUSHED(%[flushed], 5f)                                                           \
                         Y_##n("vstrw")                                                                       \
                         "5:\n\t"                                                                             \
                         : [flushed] "=&r"(flushed)                                                           \
                         : [row] "r"(row), OFFSET(row_sums, b_column)                                         \
                         : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r12", "lr", CHANGED);      \
        return flushed == 0;                                                                                  \
    }

/* Four k of a, and one: contiguous; with any stride */
#define CONTIGUOUS LINE("ldm r1!, {r4, r5, r6, r10}"), LINE("ldr r4, [r1], #4")
#define STEP(a) LINE("ldr " #a ", [r1]") LINE("add r1, r3")
#define STRIDED STEP(r4) STEP(r5) STEP(r6) STEP(r10), STEP(r4)
#define DEFINE_ROW_SUMS(name, n, BEGIN, PRODUCTS, A) DEFINE_ROW_SUMS_OF(name, n, BEGIN, PRODUCTS, A)

typedef int (*row_way)(const row_sums *row);

/* ---- b's columns are contiguous -------------------------------------------------------------- */

/* b is in r12. Loads past the last column are masked out; if there are 24
 * columns, all are valid. */
#define B_VECTOR(q, offset) LINE("vldrw.u32 " #q ", [r12, #" #offset "]")
#define B_LAST(q, offset) LINE("vpst") LINE("vldrwt.u32 " #q ", [r12, #" #offset "]")
#define NEXT_B LINE("add r12, r8")

#define NEIGHBOURS_BEGIN_1 LINE("mov r12, r6")
#define NEIGHBOURS_BEGIN_2 LINE("mov r12, r6")
#define NEIGHBOURS_BEGIN_3 LINE("mov r12, r6")
#define NEIGHBOURS_BEGIN_6 LINE("mov r12, r6")
#define NEIGHBOURS_1(a) B_LAST(q6, 0) NEXT_B VFMA(q0, q6, a)
#define NEIGHBOURS_2(a) B_VECTOR(q6, 0) B_LAST(q7, 16) VFMA(q0, q6, a) NEXT_B VFMA(q1, q7, a)
#define NEIGHBOURS_3(a)                                                                                       \
    B_VECTOR(q6, 0) B_VECTOR(q7, 16) VFMA(q0, q6, a) B_LAST(q6, 32) VFMA(q1, q7, a) NEXT_B VFMA(q2, q6, a)
#define NEIGHBOURS_6(a)                                                                                       \
    B_VECTOR(q6, 0) B_VECTOR(q7, 16) VFMA(q0, q6, a) B_VECTOR(q6, 32) VFMA(q1, q7, a) B_VECTOR(q7, 48) VFMA(q2, q6, a) \
    B_VECTOR(q6, 64) VFMA(q3, q7, a) B_VECTOR(q7, 80) VFMA(q4, q6, a) NEXT_B VFMA(q5, q7, a)

DEFINE_ROW_SUMS(neighbours, 1, NEIGHBOURS_BEGIN, NEIGHBOURS, CONTIGUOUS)
DEFINE_ROW_SUMS(neighbours, 2, NEIGHBOURS_BEGIN, NEIGHBOURS, CONTIGUOUS)
DEFINE_ROW_SUMS(neighbours, 3, NEIGHBOURS_BEGIN, NEIGHBOURS, CONTIGUOUS)
DEFINE_ROW_SUMS(neighbours, 6, NEIGHBOURS_BEGIN, NEIGHBOURS, CONTIGUOUS)
DEFINE_ROW_SUMS(strided_neighbours, 1, NEIGHBOURS_BEGIN, NEIGHBOURS, STRIDED)
DEFINE_ROW_SUMS(strided_neighbours, 2, NEIGHBOURS_BEGIN, NEIGHBOURS, STRIDED)
DEFINE_ROW_SUMS(strided_neighbours, 3, NEIGHBOURS_BEGIN, NEIGHBOURS, STRIDED)
DEFINE_ROW_SUMS(strided_neighbours, 6, NEIGHBOURS_BEGIN, NEIGHBOURS, STRIDED)

/* ---- They are gathered ----------------------------------------------------------------------- */

/* q3 to q5 are addresses of 4 columns each, one k back; lanes past the last column
 * repeat its address. */
#define ADDRESSES(q)                                                                                          \
    LINE("vidup.u32 " #q ", r4, #1") LINE("vmin.u32 " #q ", " #q ", q6")                                      \
    LINE("vmul.i32 " #q ", " #q ", r5") LINE("vadd.i32 " #q ", " #q ", r6")
#define GATHERED_BEGIN_1 LINE("sub r6, r8") LINE("mov r4, #0") LINE("vdup.32 q6, r10") ADDRESSES(q3)
#define GATHERED_BEGIN_2 GATHERED_BEGIN_1 ADDRESSES(q4)
#define GATHERED_BEGIN_3 GATHERED_BEGIN_2 ADDRESSES(q5)

/* If k is contiguous, loads advance the addresses. */
#define ALONG(b, addresses) LINE("vldrw.u32 " #b ", [" #addresses ", #4]!")
#define ALONG_1(a) ALONG(q6, q3) VFMA(q0, q6, a)
#define ALONG_2(a) ALONG(q6, q3) ALONG(q7, q4) VFMA(q0, q6, a) VFMA(q1, q7, a)
#define ALONG_3(a) ALONG(q6, q3) ALONG(q7, q4) VFMA(q0, q6, a) ALONG(q6, q5) VFMA(q1, q7, a) VFMA(q2, q6, a)

#define ANY(b, addresses) LINE("vadd.i32 " #addresses ", " #addresses ", r8") LINE("vldrw.u32 " #b ", [" #addresses "]")
#define ANY_1(a) ANY(q6, q3) VFMA(q0, q6, a)
#define ANY_2(a) ANY(q6, q3) ANY(q7, q4) VFMA(q0, q6, a) VFMA(q1, q7, a)
#define ANY_3(a) ANY(q6, q3) ANY(q7, q4) VFMA(q0, q6, a) ANY(q6, q5) VFMA(q1, q7, a) VFMA(q2, q6, a)

DEFINE_ROW_SUMS(along, 1, GATHERED_BEGIN, ALONG, CONTIGUOUS)
DEFINE_ROW_SUMS(along, 2, GATHERED_BEGIN, ALONG, CONTIGUOUS)
DEFINE_ROW_SUMS(along, 3, GATHERED_BEGIN, ALONG, CONTIGUOUS)
DEFINE_ROW_SUMS(any, 1, GATHERED_BEGIN, ANY, STRIDED)
DEFINE_ROW_SUMS(any, 2, GATHERED_BEGIN, ANY, STRIDED)
DEFINE_ROW_SUMS(any, 3, GATHERED_BEGIN, ANY, STRIDED)

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The functions for rows of 1, 2, 3 and 6 vectors; NULL if there is none. */
static const row_way row_ways[4][4] = {
    { neighbours_1, neighbours_2, neighbours_3, neighbours_6 },
    { strided_neighbours_1, strided_neighbours_2, strided_neighbours_3, strided_neighbours_6 },
    { along_1, along_2, along_3, NULL },
    { any_1, any_2, any_3, NULL },
};

static const row_way *ways_for(const gm_gemm_strides *s, uint32_t n)
{
    if (s->b_col == 1 || n == 1) {
        return s->a_col == 1 ? row_ways[0] : row_ways[1];
    }
    return s->a_col == 1 && s->b_row == 1 ? row_ways[2] : row_ways[3];
}

/* In plain C, for subnormals. */
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

void gm_gemm_row(const float *a, const float *b, float *y, uint32_t n, const gm_gemm_strides *s)
{
    const row_way *way = ways_for(s, n);
    row_sums row = { .a = a, .k = s->k, .a_k = 4 * s->a_col, .b_k = 4 * s->b_row, .b_column = 4 * s->b_col };
    for (uint32_t count; n > 0; n -= count, b += count * s->b_col, y += count) {
        count = n >= 24 && way[3] ? 24 : n < 12 ? n : 12;
        row.b = b, row.y = y, row.last_column = count - 1;
        if (!way[count == 24 ? 3 : (count - 1) / 4](&row)) {
            plain_row(a, b, y, count, s);
        }
    }
}

#endif
