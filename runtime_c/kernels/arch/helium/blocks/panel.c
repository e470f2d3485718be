/*
 * The product of panel.h in tiles of 3 rows by 8 columns. Machine instructions per tile: 9.75 k +
 * 32, which is 0.41 for each multiply-accumulate of a long sum, and 7 to pack 8 values.
 *
 *     r1-r3   rows of a                         q0-q5   sums, two vectors of each row
 *     r4, r5, r9-r12  two k of each             q6, q7  8 columns of b at one k
 *     r6      panel                             r8      y
 */
#include "panel.h"

#include <stddef.h>

#include "../../../../src/gm_internal.h"
#include "../../../../src/numerics.h"
#include "../helium.h"

#if GM_ARCH_HELIUM

#define PANEL_COLUMNS 8u
#define PANEL_SUMS 64u /* k of a panel, at most; it is on the stack */
#define LEAST_ROWS 24u

/* Consecutive blocks of 3 rows that use a panel. Steps are in bytes. */
typedef struct panel_blocks {
    const float *a;
    uint32_t a_second, a_third; /* from a block's first row to the others, which may be the same row */
    uint32_t a_next;            /* from the end of each row's k to the next block's */
    float *y;
    uint32_t y_second, y_third;
    uint32_t y_next; /* to the next block */
    uint32_t left;   /* blocks */
    const float *b;  /* the panel */
    uint32_t fours;  /* k in groups of four */
    uint32_t from_empty, plus_zero;
} panel_blocks;

/* ---- Blocks ---------------------------------------------------------------------------------- */

#define PANEL_OFFSET(name) [name] "i"(offsetof(panel_blocks, name))

/* Puts the other rows of y in r9 and r10. */
#define ROWS_OF_Y LINE("ldrd r9, r10, [r0, %[y_second]]") LINE("add r9, r8") LINE("add r10, r8")
#define SUMS_OF_Y(what)                                                                                       \
    ROWS_OF_Y                                                                                                 \
    LINE(what " q0, [r8]") LINE(what " q1, [r8, #16]") LINE(what " q2, [r9]") LINE(what " q3, [r9, #16]")     \
    LINE(what " q4, [r10]") LINE(what " q5, [r10, #16]")

/* The first 4 columns of one k times its value of each row, then the others. Each vector of b is
 * reloaded for the next k as soon as it is free, after the last k too. The first products
 * replace empty sums. */
#define FOUR_COLUMNS(TAKE, b, s, t, u, a0, a1, a2)                                                            \
    TAKE(s, b, a0) TAKE(t, b, a1) TAKE(u, b, a2) LINE("vldrw.u32 " #b ", [r6], #16")
#define EIGHT_COLUMNS_OF_PANEL(TAKE, a0, a1, a2)                                                              \
    FOUR_COLUMNS(TAKE, q6, q0, q2, q4, a0, a1, a2) FOUR_COLUMNS(TAKE, q7, q1, q3, q5, a0, a1, a2)
#define TWO_K(TAKE_FIRST)                                                                                     \
    LINE("ldrd r9, r10, [r1], #8") LINE("ldrd r11, r12, [r2], #8") LINE("ldrd r4, r5, [r3], #8")              \
    EIGHT_COLUMNS_OF_PANEL(TAKE_FIRST, r9, r11, r4) EIGHT_COLUMNS_OF_PANEL(VFMA, r10, r12, r5)
#define FOUR_K(TAKE_FIRST) TWO_K(TAKE_FIRST) TWO_K(VFMA)

#define PLUS_ZERO(sums) LINE("vadd.f32 " #sums ", " #sums ", q6")
#define SUMS_PLUS_ZERO                                                                                        \
    LINE("vmov.i32 q6, #0") PLUS_ZERO(q0) PLUS_ZERO(q1) PLUS_ZERO(q2) PLUS_ZERO(q3) PLUS_ZERO(q4) PLUS_ZERO(q5)

/* Computes the remaining blocks. Stops before a block that has subnormals. */
__attribute__((noinline)) static void meet_panel(panel_blocks *blocks)
{
    register panel_blocks *r0 __asm__("r0") = blocks;
    __asm__ volatile(HELIUM
                     CLEAR_FLUSHED(r12)
                     LINE("ldr r8, [r0, %[y]]")
                     LINE("ldrd r1, r2, [r0, %[a]]") LINE("ldr r3, [r0, %[a_third]]")
                     LINE("add r2, r1") LINE("add r3, r1")
                     "1:\n\t"
                     LINE("ldrd r6, lr, [r0, %[b]]")
                     LINE("vldrw.u32 q6, [r6], #16") LINE("vldrw.u32 q7, [r6], #16")
                     LINE("ldr r12, [r0, %[from_empty]]") LINE("cmp r12, #0") LINE("beq 5f")
                     FOUR_K(VMUL)
                     LINE("subs lr, #1") LINE("beq 3f")
                     "2:\n\t"
                     FOUR_K(VFMA)
                     LINE("le lr, 2b")
                     "3:\n\t"
                     LINE("ldr r12, [r0, %[plus_zero]]") LINE("cmp r12, #0") LINE("bne 6f")
                     "4:\n\t"
                     IF_FLUSHED(r12, 7f)
                     SUMS_OF_Y("vstrw.32")
                     LINE("ldrd r11, r12, [r0, %[y_next]]") LINE("ldr r9, [r0, %[a_next]]")
                     LINE("add r8, r11") LINE("add r1, r9") LINE("add r2, r9") LINE("add r3, r9")
                     LINE("subs r12, #1") LINE("str r12, [r0, %[left]]")
                     LINE("bne 1b")
                     LINE("b 7f")
                     "5:\n\t"
                     SUMS_OF_Y("vldrw.u32")
                     LINE("b 2b")
                     "6:\n\t"
                     SUMS_PLUS_ZERO
                     LINE("b 4b")
                     "7:\n\t"
                     : "+r"(r0)
                     : PANEL_OFFSET(a), PANEL_OFFSET(a_third), PANEL_OFFSET(a_next), PANEL_OFFSET(y), PANEL_OFFSET(y_second),
                       PANEL_OFFSET(y_next), PANEL_OFFSET(left), PANEL_OFFSET(b), PANEL_OFFSET(from_empty),
                       PANEL_OFFSET(plus_zero)
                     : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", CHANGED);
}

/* ---- In plain C, for subnormals -------------------------------------------------------------- */

/* Advances by so many bytes */
static const float *bytes_behind(const float *p, uint32_t bytes)
{
    return (const float *)((uintptr_t)p + bytes);
}

static void plain_panel_row(const panel_blocks *p, const float *a, float *y)
{
    for (uint32_t column = 0; column < PANEL_COLUMNS; column++) {
        float sum = p->from_empty ? GM_EMPTY_SUM : y[column];
        for (uint32_t k = 0; k < 4 * p->fours; k++) {
            sum = GM_MAC(sum, a[k], p->b[k * PANEL_COLUMNS + column]);
        }
        y[column] = p->plus_zero ? sum + 0.0f : sum;
    }
}

/* The next block. Repeated rows are done once. */
static void plain_panel_block(panel_blocks *p)
{
    plain_panel_row(p, p->a, p->y);
    if (p->a_second > 0) {
        plain_panel_row(p, bytes_behind(p->a, p->a_second), (float *)bytes_behind(p->y, p->y_second));
    }
    if (p->a_third > p->a_second) {
        plain_panel_row(p, bytes_behind(p->a, p->a_third), (float *)bytes_behind(p->y, p->y_third));
    }
}

/* ---- Panels ---------------------------------------------------------------------------------- */

/* Packs 8 columns of k rows of b, steps in bytes */
static void pack_panel(float *to, const float *b, uint32_t k, uint32_t b_k, uint32_t b_column)
{
    register uint32_t first __asm__("r4") = 0;
    const float *others = bytes_behind(b, 4 * b_column);
    __asm__ volatile(HELIUM
                     LINE("vidup.u32 q7, %[first], #1") LINE("vmul.i32 q7, q7, %[b_column]")
                     LINE("dls lr, %[k]")
                     "1:\n\t"
                     LINE("vldrw.u32 q0, [%[b], q7]") LINE("vldrw.u32 q1, [%[others], q7]")
                     LINE("add %[b], %[b_k]") LINE("add %[others], %[b_k]")
                     LINE("vstrw.32 q0, [%[to]], #16") LINE("vstrw.32 q1, [%[to]], #16")
                     LINE("le lr, 1b")
                     : [to] "+r"(to), [b] "+r"(b), [others] "+r"(others), [first] "+r"(first)
                     : [k] "r"(k), [b_k] "r"(b_k), [b_column] "r"(b_column)
                     : "lr", CHANGED);
}

/* `count` blocks from row `first` on, of `rows` rows each, 3 or fewer; missing rows
 * repeat the last one. */
static void blocks_of_rows(const gm_panel_product *of, panel_blocks p, uint32_t first, uint32_t rows, uint32_t count)
{
    uint32_t second = rows > 1, third = rows > 2 ? 2 : second;
    p.a = of->a + first * of->a_row, p.y = of->y + first * of->y_row;
    p.a_second = 4 * second * of->a_row, p.a_third = 4 * third * of->a_row;
    p.y_second = 4 * second * of->y_row, p.y_third = 4 * third * of->y_row;
    p.a_next = 4 * (3 * of->a_row - 4 * p.fours), p.y_next = 12 * of->y_row;
    for (p.left = count; p.left > 0;) {
        uint32_t before = p.left, done;
        meet_panel(&p);
        done = before - p.left;
        p.a += 3 * done * of->a_row, p.y += 3 * done * of->y_row;
        if (p.left > 0) {
            plain_panel_block(&p);
            p.a += 3 * of->a_row, p.y += 3 * of->y_row, p.left--;
        }
    }
}

/* 8 columns with of->k adjacent k of each row. */
static void panel_part(const gm_panel_product *of)
{
    float panel[PANEL_COLUMNS * (PANEL_SUMS + 1)]; /* one k more is loaded than used */
    const panel_blocks p = { .b = panel, .fours = of->k / 4, .from_empty = of->from_empty, .plus_zero = of->plus_zero };
    pack_panel(panel, of->b, of->k, 4 * of->b_k, 4 * of->b_column);
    blocks_of_rows(of, p, 0, 3, of->rows / 3);
    if (of->rows % 3 > 0) {
        blocks_of_rows(of, p, of->rows / 3 * 3, of->rows % 3, 1);
    }
}

int gm_panel_product_of(const gm_panel_product *product)
{
    if (product->rows < LEAST_ROWS || product->k % 4 > 0 || product->k == 0 || product->columns % PANEL_COLUMNS > 0) {
        return 0;
    }
    for (uint32_t column = 0; column < product->columns; column += PANEL_COLUMNS) {
        for (uint32_t k = 0, count; k < product->k; k += count) {
            gm_panel_product part = *product;
            count = product->k - k < PANEL_SUMS ? product->k - k : PANEL_SUMS;
            part.a += k, part.b += k * part.b_k + column * part.b_column, part.y += column;
            part.k = count, part.columns = PANEL_COLUMNS;
            part.from_empty = product->from_empty && k == 0;
            part.plus_zero = product->plus_zero && k + count == product->k;
            panel_part(&part);
        }
    }
    return 1;
}

#endif
