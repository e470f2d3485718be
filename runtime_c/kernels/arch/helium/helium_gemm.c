/*
 * Matrix products with Helium. Machine instructions for each multiply-accumulate of a long sum:
 *
 *     4 rows by 4 columns   a[m,.] or a[.,k] is contiguous; b has any strides      0.56
 *     1 row across          b[k,.] is contiguous: walk.h, 16 columns               0.75
 *     1 row gathered        16 columns, 4 columns                                  0.75, 1.75
 *
 * Where b's columns are not neighbours, 4 of them are gathered from their offsets. Of a tile at the right edge, loads
 * and stores reach only the columns that there are.
 */
#include "../../gemm_tile.h"
#include "../arm_m/registers.h"
#include "helium.h"

#if GM_ARCH_HELIUM

/* Bytes from one element to the next. */
static uint32_t bytes(uint32_t elements)
{
    return elements * (uint32_t)sizeof(float);
}

/* ---- In plain C, where subnormal numbers are there --------------------------------------------------------- */

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

static void plain_rows(const float *a, const float *b, float *y, uint32_t n, uint32_t y_row, const gm_gemm_strides *s)
{
    for (uint32_t row = 0; row < 4; row++) {
        plain_row(a + row * s->a_row, b, y + row * y_row, n, s);
    }
}

/* ---- Four rows --------------------------------------------------------------------------------------------- */

/* What a tile reads in assembly, in this order. */
typedef struct helium_tile {
    float *y[4];
    uint32_t columns, k;
    uint32_t offsets[4]; /* of b's columns, in elements */
} helium_tile;

#define ALL_COLUMNS(what)                                                                                     \
    LINE("ldm %[tile], {r4, r5, r6, r8}")                                                                     \
    LINE("vpstttt")                                                                                           \
    LINE(what " q0, [r4]") LINE(what " q1, [r5]") LINE(what " q2, [r6]") LINE(what " q3, [r8]")

/* The tile's sums; BODY for 2 k at a time, REST where one is left. */
#define TILE_4x4(BODY, REST)                                                                                  \
    HELIUM                                                                                                    \
    CLEAR_FLUSHED                                                                                             \
    LINE("ldr r4, [%[tile], #16]")                                                                            \
    LINE("vctp.32 r4")                                                                                        \
    LINE("vldrw.u32 q7, [%[tile], #24]")                                                                      \
    ALL_COLUMNS("vldrwt.u32")                                                                                 \
    LINE("ldr r4, [%[tile], #20]")                                                                            \
    LINE("lsr r4, #1")                                                                                        \
    LINE("wls lr, r4, 2f")                                                                                    \
    "1:\n\t"                                                                                                  \
    BODY                                                                                                      \
    LINE("le lr, 1b")                                                                                         \
    "2:\n\t"                                                                                                  \
    LINE("ldr r4, [%[tile], #20]")                                                                            \
    LINE("tst r4, #1")                                                                                        \
    LINE("beq 3f")                                                                                            \
    REST                                                                                                      \
    "3:\n\t"                                                                                                  \
    GET_FLUSHED(flushed)                                                                                      \
    LINE("bne 4f")                                                                                            \
    ALL_COLUMNS("vstrwt.32")                                                                                  \
    "4:\n\t"

/* b's row k to q4, the next to q5. AT: its columns. */
#define LOAD_B_1(AT) LINE("vpst") LINE("vldrwt.u32 q4, [%[b]" AT "]")
#define LOAD_B_2(AT)                                                                                          \
    LINE("vpstt") LINE("vldrwt.u32 q4, [%[b]" AT "]") LINE("vldrwt.u32 q5, [%[b1]" AT "]")                    \
    LINE("add %[b], %[flushed]") LINE("add %[b1], %[flushed]")
#define NEIGHBOURS ""
#define GATHERED ", q7, uxtw #2"

/* Two rows of a, two k of each. */
#define TWO_ROWS(p, q, sums_p, sums_q)                                                                        \
    LINE("ldrd r4, r5, [%[" #p "]], #8") LINE("ldrd r6, r8, [%[" #q "]], #8")                                 \
    VFMA(sums_p, q4, r4) VFMA(sums_q, q4, r6) VFMA(sums_p, q5, r5) VFMA(sums_q, q5, r8)
#define FOUR_VFMA(b) VFMA(q0, b, r4) VFMA(q1, b, r5) VFMA(q2, b, r6) VFMA(q3, b, r8)

/* Defines a tile whose rows of a are contiguous. Returns 0 where nothing is stored. */
#define DEFINE_ROWS(name, AT)                                                                                 \
    __attribute__((noinline)) static int name(const helium_tile *t, const float *a, const float *b,                  \
                                              const gm_gemm_strides *s)                                       \
    {                                                                                                         \
        const float *a1 = a + s->a_row, *a2 = a1 + s->a_row, *a3 = a2 + s->a_row, *b1 = b + s->b_row;         \
        uint32_t flushed = 2 * bytes(s->b_row); /* until then b's step: registers are short */                \
        __asm__ volatile(TILE_4x4(LOAD_B_2(AT) TWO_ROWS(a0, a1, q0, q1) TWO_ROWS(a2, a3, q2, q3),             \
                                  LOAD_B_1(AT)                                                                \
                                  LINE("ldr r4, [%[a0]]") LINE("ldr r5, [%[a1]]")                             \
                                  LINE("ldr r6, [%[a2]]") LINE("ldr r8, [%[a3]]")                             \
                                  FOUR_VFMA(q4))                                                              \
                         : [a0] "+r"(a), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [b] "+r"(b),            \
                           [b1] "+r"(b1), [flushed] "+r"(flushed)                                             \
                         : [tile] "r"(t)                                                                      \
                         : "r4", "r5", "r6", "r8", "lr", CHANGED);                                      \
        return flushed == 0;                                                                                  \
    }

/* The same of columns. */
#define DEFINE_COLUMNS(name, AT)                                                                              \
    __attribute__((noinline)) static int name(const helium_tile *t, const float *a, const float *b,                  \
                                              const gm_gemm_strides *s)                                       \
    {                                                                                                         \
        const float *b1 = b + s->b_row;                                                                       \
        uint32_t flushed = 2 * bytes(s->b_row);                                                               \
        __asm__ volatile(TILE_4x4(LOAD_B_2(AT)                                                                \
                                  LINE("ldm %[a], {r4, r5, r6, r8}") LINE("add %[a], %[a_step]")              \
                                  FOUR_VFMA(q4)                                                               \
                                  LINE("ldm %[a], {r4, r5, r6, r8}") LINE("add %[a], %[a_step]")              \
                                  FOUR_VFMA(q5),                                                              \
                                  LOAD_B_1(AT)                                                                \
                                  LINE("ldm %[a], {r4, r5, r6, r8}")                                          \
                                  FOUR_VFMA(q4))                                                              \
                         : [a] "+r"(a), [b] "+r"(b), [b1] "+r"(b1), [flushed] "+r"(flushed)                   \
                         : [tile] "r"(t), [a_step] "r"(bytes(s->a_col))                                       \
                         : "r4", "r5", "r6", "r8", "lr", CHANGED);                                      \
        return flushed == 0;                                                                                  \
    }

DEFINE_ROWS(rows_neighbours, NEIGHBOURS)
DEFINE_ROWS(rows_gathered, GATHERED)
DEFINE_COLUMNS(columns_neighbours, NEIGHBOURS)
DEFINE_COLUMNS(columns_gathered, GATHERED)

typedef int (*tile_4x4)(const helium_tile *t, const float *a, const float *b, const gm_gemm_strides *s);

/* NULL where a is contiguous in no direction. */
static tile_4x4 tile_for(const gm_gemm_strides *s)
{
    if (s->a_col == 1) {
        return s->b_col == 1 ? rows_neighbours : rows_gathered;
    }
    if (s->a_row == 1) {
        return s->b_col == 1 ? columns_neighbours : columns_gathered;
    }
    return NULL;
}

static void four_rows(const float *a, const float *b, float *y, uint32_t n, uint32_t y_row, const gm_gemm_strides *s,
                      tile_4x4 compute)
{
    helium_tile t = { { y, y + y_row, y + 2 * y_row, y + 3 * y_row }, 4, s->k,
                      { 0, s->b_col, 2 * s->b_col, 3 * s->b_col } };
    for (uint32_t left = n; left > 0; left -= t.columns) {
        t.columns = left < 4 ? left : 4;
        if (!compute(&t, a, b, s)) {
            plain_rows(a, b, t.y[0], t.columns, y_row, s);
        }
        t.y[0] += 4, t.y[1] += 4, t.y[2] += 4, t.y[3] += 4;
        b += 4 * s->b_col;
    }
}

/* ---- One row ----------------------------------------------------------------------------------------------- */

/* 16 neighbouring outputs: each 4 of b are gathered at the same offsets from another base. */
__attribute__((noinline)) static int gathered_16(const float *a, const float *b, float *y, const uint32_t offsets[4],
                                                 const gm_gemm_strides *s)
{
    uint32_t flushed = s->k;
    const float *b1 = b + 4 * s->b_col, *b2 = b1 + 4 * s->b_col, *b3 = b2 + 4 * s->b_col;
    __asm__ volatile(HELIUM
                     CLEAR_FLUSHED
                     LINE("vldrw.u32 q4, [%[offsets]]")
                     LINE("vldrw.u32 q0, [%[y]]") LINE("vldrw.u32 q1, [%[y], #16]")
                     LINE("vldrw.u32 q2, [%[y], #32]") LINE("vldrw.u32 q3, [%[y], #48]")
                     LINE("dls lr, %[flushed]")
                     "1:\n\t"
                     LINE("ldr r4, [%[a]]")
                     LINE("vldrw.u32 q5, [%[b], q4, uxtw #2]")
                     LINE("vldrw.u32 q6, [%[b1], q4, uxtw #2]")
                     LINE("add %[a], %[a_step]")
                     VFMA(q0, q5, r4)
                     LINE("vldrw.u32 q7, [%[b2], q4, uxtw #2]")
                     VFMA(q1, q6, r4)
                     LINE("vldrw.u32 q5, [%[b3], q4, uxtw #2]")
                     VFMA(q2, q7, r4)
                     LINE("vadd.i32 q4, q4, %[b_row]")
                     VFMA(q3, q5, r4)
                     LINE("le lr, 1b")
                     GET_FLUSHED(flushed)
                     LINE("bne 2f")
                     LINE("vstrw.32 q0, [%[y]]") LINE("vstrw.32 q1, [%[y], #16]")
                     LINE("vstrw.32 q2, [%[y], #32]") LINE("vstrw.32 q3, [%[y], #48]")
                     "2:\n\t"
                     : [a] "+r"(a), [flushed] "+r"(flushed)
                     : [b] "r"(b), [b1] "r"(b1), [b2] "r"(b2), [b3] "r"(b3), [y] "r"(y), [offsets] "r"(offsets),
                       [a_step] "r"(bytes(s->a_col)), [b_row] "r"(s->b_row)
                     : "r4", "lr", CHANGED);
    return flushed == 0;
}

/* 1 to 4 neighbouring outputs */
__attribute__((noinline)) static int gathered_4(const float *a, const float *b, float *y, uint32_t n,
                                                const uint32_t offsets[4], const gm_gemm_strides *s)
{
    uint32_t flushed = s->k;
    __asm__ volatile(HELIUM
                     CLEAR_FLUSHED
                     LINE("vctp.32 %[n]")
                     LINE("vldrw.u32 q4, [%[offsets]]")
                     LINE("vpst") LINE("vldrwt.u32 q0, [%[y]]")
                     LINE("dls lr, %[flushed]")
                     "1:\n\t"
                     LINE("ldr r4, [%[a]]")
                     LINE("vpst") LINE("vldrwt.u32 q5, [%[b], q4, uxtw #2]")
                     LINE("add %[a], %[a_step]")
                     LINE("add %[b], %[b_step]")
                     VFMA(q0, q5, r4)
                     LINE("le lr, 1b")
                     GET_FLUSHED(flushed)
                     LINE("bne 2f")
                     LINE("vpst") LINE("vstrwt.32 q0, [%[y]]")
                     "2:\n\t"
                     : [a] "+r"(a), [b] "+r"(b), [flushed] "+r"(flushed)
                     : [n] "r"(n), [y] "r"(y), [offsets] "r"(offsets), [a_step] "r"(bytes(s->a_col)),
                       [b_step] "r"(bytes(s->b_row))
                     : "r4", "lr", CHANGED);
    return flushed == 0;
}

static void gathered_row(const float *a, const float *b, float *y, uint32_t n, const gm_gemm_strides *s)
{
    const uint32_t offsets[4] = { 0, s->b_col, 2 * s->b_col, 3 * s->b_col };
    for (uint32_t count; n > 0; n -= count, b += count * s->b_col, y += count) {
        count = n >= 16 ? 16 : n >= 4 ? 4 : n;
        if (!(count == 16 ? gathered_16(a, b, y, offsets, s) : gathered_4(a, b, y, count, offsets, s))) {
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
        gathered_row(a, b, y, n, s);
    }
}

void gm_gemm_matrix(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                    const gm_gemm_strides *s)
{
    tile_4x4 compute = tile_for(s);
    for (; m >= 4 && compute && n > 1; m -= 4, a += 4 * s->a_row, y += 4 * y_row) {
        four_rows(a, b, y, n, y_row, s, compute);
    }
    for (; m > 0; m--, a += s->a_row, y += y_row) {
        gm_gemm_row(a, b, y, n, s);
    }
}

#endif
