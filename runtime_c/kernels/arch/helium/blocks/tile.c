/*
 * Tiles (tile.h) with Helium. Machine instructions for each multiply-accumulate of a long sum, for
 * more rows and for 4 rows:
 *
 *     rows by neighbours, gathered     0.50, 0.53
 *     3 rows by eight                  0.46
 *     rows by steps                    0.45, 0.47
 *     column                           0.44, 0.53
 *
 * Sums are in q0 to q4, or for a column to q5; q5 and q6 have two k of b, or q6 one, q7 offsets or
 * addresses of columns. In a tile at the right edge, loads and stores of sums touch only existing
 * columns, and lanes past them gather the last column again.
 */
#include "tile.h"

#include <stddef.h>

#include "../../../../src/gm_internal.h"
#include "../../../../src/numerics.h"
#include "../../arm_m/blocks/registers.h"
#include "../helium.h"

#if GM_ARCH_HELIUM

/* ---- Sums ------------------------------------------------------------------------------------ */

/* MORE_ROWS keeps what only a tile with more than 4 rows has: 5, or for a column 6.
 * FOUR_ROWS omits it. */
#define MORE_ROWS(what) what
#define FOUR_ROWS(what)

#define EMPTY_SUMS                                                                                            \
    LINE("vmov.i32 q0, #0x80000000") LINE("vmov q1, q0") LINE("vmov q2, q0") LINE("vmov q3, q0")              \
    LINE("vmov q4, q0") LINE("vmov q5, q0")

/* Loads or stores of the sums at y's rows, which are in r1 and on. AT(row):
 * the address of a row. */
#define SUMS_4(what, AT)                                                                                      \
    LINE("vpstttt")                                                                                           \
    LINE(what " q0, " AT(r1)) LINE(what " q1, " AT(r2)) LINE(what " q2, " AT(r3)) LINE(what " q3, " AT(r4))

/* In the forms by rows, y's columns are contiguous. */
#define HERE(p) "[" #p "]"
#define PASSING(p) "[" #p "], #16"
#define SUMS_OF_ROWS(what, AT, MORE)                                                                          \
    LINE("ldm r0, {r1-r5}") SUMS_4(what, AT) MORE(LINE("vpst") LINE(what " q4, " AT(r5)))
#define LOAD_ROWS(MORE) SUMS_OF_ROWS("vldrwt.u32", HERE, MORE)
#define STORE_ROWS(MORE) SUMS_OF_ROWS("vstrwt.32", PASSING, MORE) LINE("stm r0, {r1-r5}")

/* The same for 3 rows by 8 columns, none of them missing. */
#define EIGHT_OF_ROW(what, p, q, r, FIRST, SECOND)                                                            \
    LINE(what " " #q ", " FIRST(p)) LINE(what " " #r ", " SECOND(p))
#define BEHIND(p) "[" #p ", #16]"
#define SUMS_OF_EIGHT(what, FIRST, SECOND)                                                                    \
    LINE("ldm r0, {r1-r3}") EIGHT_OF_ROW(what, r1, q0, q1, FIRST, SECOND)                                     \
    EIGHT_OF_ROW(what, r2, q2, q3, FIRST, SECOND) EIGHT_OF_ROW(what, r3, q4, q5, FIRST, SECOND)
#define LOAD_EIGHT(MORE) SUMS_OF_EIGHT("vldrw.u32", HERE, BEHIND)
#define STORE_EIGHT(MORE) SUMS_OF_EIGHT("vstrw.32", PASSING, PASSING) LINE("stm r0, {r1-r3}")

/* In the forms by columns, they need not be. */
#define SCATTERED(p) "[" #p ", q7]"
#define SUMS_OF_COLUMN(what, MORE)                                                                            \
    LINE("ldr r12, [r0, %[y_column]]") LINE("mov r10, #0")                                                    \
    LINE("vidup.u32 q7, r10, #1") LINE("vmul.i32 q7, q7, r12")                                                \
    LINE("ldm r0, {r1-r6}") SUMS_4(what, SCATTERED)                                                           \
    MORE(LINE("vpstt") LINE(what " q4, [r5, q7]") LINE(what " q5, [r6, q7]"))
#define LOAD_COLUMN(MORE) SUMS_OF_COLUMN("vldrwt.u32", MORE)
#define STORE_COLUMN(MORE)                                                                                    \
    SUMS_OF_COLUMN("vstrwt.32", MORE)                                                                         \
    LINE("lsl r12, #2") MOVE_5(r12) LINE("add r6, r12") LINE("stm r0, {r1-r6}")
#define MOVE_5(by)                                                                                            \
    LINE("add r1, " #by) LINE("add r2, " #by) LINE("add r3, " #by) LINE("add r4, " #by) LINE("add r5, " #by)

/* ---- Products -------------------------------------------------------------------------------- */

/* One k of b, at r6, or at addresses in q7; r8: b_k */
#define NEIGHBOURS(q) LINE("vldrw.u32 " #q ", [r6]") LINE("add r6, r8")
#define GATHERED(q) LINE("vldrw.u32 " #q ", [r6, q7]") LINE("add r6, r8")
#define STEPS_OF_1(q) LINE("vldrw.u32 " #q ", [q7, #4]!")
#define STEPS_OF_9(q) LINE("vldrw.u32 " #q ", [q7, #36]!")

/* Two k, and one, of rows of a, at r1 to r5. */
#define TWO_ROWS(p, q, sums_p, sums_q)                                                                        \
    LINE("ldrd r9, r10, [" #p "], #8") LINE("ldrd r11, r12, [" #q "], #8")                                    \
    VFMA(sums_p, q5, r9) VFMA(sums_q, q5, r11) VFMA(sums_p, q6, r10) VFMA(sums_q, q6, r12)
#define ONE_ROW(p, sums) LINE("ldrd r9, r10, [" #p "], #8") VFMA(sums, q5, r9) VFMA(sums, q6, r10)
#define ROWS_2(B, MORE) B(q5) B(q6) TWO_ROWS(r1, r2, q0, q1) MORE(ONE_ROW(r5, q4)) TWO_ROWS(r3, r4, q2, q3)
#define ROWS_1(B, MORE)                                                                                       \
    B(q5)                                                                                                     \
    LINE("ldr r9, [r1], #4") LINE("ldr r10, [r2], #4") LINE("ldr r11, [r3], #4") LINE("ldr r12, [r4], #4")    \
    VFMA(q0, q5, r9) VFMA(q1, q5, r10) VFMA(q2, q5, r11) VFMA(q3, q5, r12)                                    \
    MORE(LINE("ldr r9, [r5], #4") VFMA(q4, q5, r9))

/* The same for 3 rows by 8 columns. */
#define EIGHT_COLUMNS(a, b, c)                                                                                \
    LINE("vldrw.u32 q6, [r6]") LINE("vldrw.u32 q7, [r6, #16]") LINE("add r6, r8")                             \
    VFMA(q0, q6, a) VFMA(q1, q7, a) VFMA(q2, q6, b) VFMA(q3, q7, b) VFMA(q4, q6, c) VFMA(q5, q7, c)
#define EIGHT_2(B, MORE)                                                                                      \
    LINE("ldrd r9, r10, [r1], #8") LINE("ldrd r11, r12, [r2], #8") LINE("ldrd r4, r5, [r3], #8")              \
    EIGHT_COLUMNS(r9, r11, r4) EIGHT_COLUMNS(r10, r12, r5)
#define EIGHT_1(B, MORE)                                                                                      \
    LINE("ldr r9, [r1], #4") LINE("ldr r11, [r2], #4") LINE("ldr r4, [r3], #4") EIGHT_COLUMNS(r9, r11, r4)

/* The same for a column, which is at r1; r2: a_k */
#define COLUMN_1(B, MORE)                                                                                     \
    LINE("ldm r1, {r3, r4, r9, r10" MORE(", r11, r12") "}") LINE("add r1, r2")                                \
    B(q6)                                                                                                     \
    VFMA(q0, q6, r3) VFMA(q1, q6, r4) VFMA(q2, q6, r9) VFMA(q3, q6, r10)                                      \
    MORE(VFMA(q4, q6, r11) VFMA(q5, q6, r12))
#define COLUMN_2(B, MORE) COLUMN_1(B, MORE) COLUMN_1(B, MORE)

/* ---- Taps ------------------------------------------------------------------------------------ */

#define BEGIN_ROWS
#define BEGIN_EIGHT
#define BEGIN_COLUMN LINE("ldr r2, [r0, %[a_k]]")

/* Offsets of columns; those past the last one, r9, repeat its offset. */
#define BEGIN_NEIGHBOURS
#define BEGIN_GATHERED                                                                                        \
    LINE("ldr r9, [r0, %[last_column]]") LINE("vdup.32 q6, r9")                                               \
    LINE("mov r10, #0") LINE("vidup.u32 q7, r10, #1") LINE("vmin.u32 q7, q7, q6")                             \
    LINE("ldr r9, [r0, %[b_column]]") LINE("vmul.i32 q7, q7, r9")

/* Addresses lag by one k: loads advance them first. */
#define BEGIN_STEPS BEGIN_GATHERED LINE("sub r6, r8") LINE("vadd.i32 q7, q7, r6")
#define BEGIN_STEPS_OF_1 BEGIN_STEPS
#define BEGIN_STEPS_OF_9 BEGIN_STEPS

/* Advances to the next tap */
#define MOVE_ROWS MOVE_5(r11)
#define MOVE_EIGHT LINE("add r1, r11") LINE("add r2, r11") LINE("add r3, r11")
#define MOVE_COLUMN LINE("add r1, r11")
#define MOVE_NEIGHBOURS LINE("add r6, r12")
#define MOVE_GATHERED LINE("add r6, r12")
#define MOVE_STEPS_OF_1 LINE("vadd.i32 q7, q7, r12")
#define MOVE_STEPS_OF_9 LINE("vadd.i32 q7, q7, r12")

/* Jumps to `next` with the steps to the next tap in r11 and r12, or falls through at the end. */
#define NEXT_TAP(next)                                                                                        \
    LINE("ldrd r9, r10, [r0, %[taps_left]]")                                                                  \
    LINE("subs r9, #1")                                                                                       \
    LINE("ittt ne")                                                                                           \
    LINE("ldrdne r11, r12, [r0, %[to_tap]]")                                                                  \
    LINE("strne r9, [r0, %[taps_left]]")                                                                      \
    LINE("bne " #next)                                                                                        \
    LINE("subs r10, #1")                                                                                      \
    LINE("ldr r9, [r0, %[taps]]")                                                                             \
    LINE("ldrd r11, r12, [r0, %[to_row]]")                                                                    \
    LINE("strd r9, r10, [r0, %[taps_left]]")                                                                  \
    LINE("bne " #next)

/* Jumps to `next` if another tile is left. */
#define NEXT_TILE(next)                                                                                       \
    LINE("ldr r10, [r0, %[rows]]") LINE("str r10, [r0, %[rows_left]]")                                        \
    LINE("ldrd r8, r10, [r0, %[b_tile]]") LINE("ldr r6, [r0, %[b]]")                                          \
    LINE("add r6, r8") LINE("subs r10, #1") LINE("str r6, [r0, %[b]]") LINE("str r10, [r0, %[tiles]]")        \
    LINE("bne " #next)

/* ---- Tiles ----------------------------------------------------------------------------------- */

#define AT(member) [member] "i"(offsetof(gm_tile, member))

/* Defines a function that computes the remaining tiles, and returns 0 if it stops before one of
 * them. A: ROWS, EIGHT or COLUMN; B: one of the forms above. */
#define DEFINE_TILES(name, A, B, MORE)                                                                        \
    __attribute__((noinline)) static int name(gm_tile *tile)                                                  \
    {                                                                                                         \
        register uintptr_t r0 __asm__("r0") = (uintptr_t)tile; /* and the flush flags */                     \
        __asm__ volatile(HELIUM                                                                               \
                         CLEAR_FLUSHED(r9)                                                                    \
                         LINE("ldr r6, [r0, %[last_column]]")                                                 \
                         LINE("add r6, #1")                                                                   \
                         LINE("vctp.32 r6")                                                                   \
                         "0:\n\t"                                                                             \
                         LINE("ldr r6, [r0, %[from_empty]]")                                                  \
                         LINE("cmp r6, #0")                                                                   \
                         LINE("bne 7f")                                                                       \
                         LOAD_##A(MORE)                                                                       \
                         "1:\n\t"                                                                             \
                         LINE("add r9, r0, %[a]")                                                             \
                         LINE("ldm r9, {r1-r6, r8}")                                                          \
                         BEGIN_##A                                                                            \
                         BEGIN_##B                                                                            \
                         LINE("b 3f")                                                                         \
                         "2:\n\t"                                                                             \
                         MOVE_##A                                                                             \
                         MOVE_##B                                                                             \
                         "3:\n\t"                                                                             \
                         LINE("ldr r9, [r0, %[k]]")                                                           \
                         LINE("lsr r10, r9, #1")                                                              \
                         LINE("wls lr, r10, 5f")                                                              \
                         "4:\n\t"                                                                             \
                         A##_2(B, MORE)                                                                       \
                         LINE("le lr, 4b")                                                                    \
                         LINE("ldr r9, [r0, %[k]]")                                                           \
                         "5:\n\t"                                                                             \
                         LINE("tst r9, #1")                                                                   \
                         LINE("beq 6f")                                                                       \
                         A##_1(B, MORE)                                                                       \
                         "6:\n\t"                                                                             \
                         NEXT_TAP(2b)                                                                         \
                         IF_FLUSHED(r9, 8f)                                                                   \
                         STORE_##A(MORE)                                                                      \
                         NEXT_TILE(0b)                                                                        \
                         LINE("b 8f")                                                                         \
                         "7:\n\t"                                                                             \
                         EMPTY_SUMS                                                                           \
                         LINE("b 1b")                                                                         \
                         "8:\n\t"                                                                             \
                         LINE("mov r0, r9")                                                                   \
                         : "+r"(r0)                                                                           \
                         : AT(last_column), AT(a), AT(a_k), AT(b), AT(k), AT(taps), AT(rows), AT(y_column),   \
                           AT(b_column), AT(from_empty), AT(taps_left), AT(rows_left), AT(b_tile),            \
                           [tiles] "i"(offsetof(gm_tile, left)),                                              \
                           [to_tap] "i"(offsetof(gm_tile, a_tap)), [to_row] "i"(offsetof(gm_tile, a_row))     \
                         : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr",         \
                           CHANGED);                                                                          \
        return r0 == 0;                                                                                       \
    }

#define DEFINE_BOTH(name, A, B) DEFINE_TILES(name##_4, A, B, FOUR_ROWS) DEFINE_TILES(name##_more, A, B, MORE_ROWS)

DEFINE_BOTH(rows_by_neighbours, ROWS, NEIGHBOURS)
DEFINE_TILES(rows_by_eight, EIGHT, NEIGHBOURS, FOUR_ROWS)
DEFINE_BOTH(rows_by_gathered, ROWS, GATHERED)
DEFINE_BOTH(rows_by_steps_of_1, ROWS, STEPS_OF_1)
DEFINE_BOTH(rows_by_steps_of_9, ROWS, STEPS_OF_9)
DEFINE_BOTH(column_by_neighbours, COLUMN, NEIGHBOURS)
DEFINE_BOTH(column_by_gathered, COLUMN, GATHERED)

/* The functions for tiles of each form: with 4 rows, and with more. */
static int (*const tiles[GM_TILE_FORMS][2])(gm_tile *tile) = {
    { rows_by_neighbours_4, rows_by_neighbours_more },     { rows_by_eight, NULL },
    { rows_by_gathered_4, rows_by_gathered_more },         { rows_by_steps_of_1_4, rows_by_steps_of_1_more },
    { rows_by_steps_of_9_4, rows_by_steps_of_9_more },     { column_by_neighbours_4, column_by_neighbours_more },
    { column_by_gathered_4, column_by_gathered_more },
};

/* ---- In plain C, for subnormals -------------------------------------------------------------- */

/* Advances by so many bytes, perhaps backwards */
static const float *behind(const float *p, uint32_t bytes)
{
    return (const float *)((uintptr_t)p + bytes);
}

static float plain_tile_sum(const gm_tile *tile, const float *a, const float *b, float sum)
{
    for (uint32_t row = 0; row < tile->rows; row++) {
        for (uint32_t tap = 0; tap < tile->taps; tap++) {
            for (uint32_t k = 0; k < tile->k; k++) {
                sum = GM_MAC(sum, *a, *b);
                a = behind(a, tile->a_k), b = behind(b, tile->b_k);
            }
            uint32_t last = tap == tile->taps - 1;
            a = behind(a, last ? tile->a_row : tile->a_tap), b = behind(b, last ? tile->b_row : tile->b_tap);
        }
    }
    return sum;
}

/* One tile. Repeated rows are done once. */
static void plain(gm_tile *tile, gm_tile_form form, uint32_t rows)
{
    int of_column = form >= GM_COLUMN_BY_NEIGHBOURS;
    for (uint32_t row = 0; row < rows && (row == 0 || tile->y[row] != tile->y[row - 1]); row++) {
        const float *a = of_column ? tile->a[0] + row : tile->a[row];
        for (uint32_t column = 0; column <= tile->last_column; column++) {
            float *y = (float *)behind(tile->y[row], column * tile->y_column);
            const float *b = behind(tile->b, column * tile->b_column);
            *y = plain_tile_sum(tile, a, b, tile->from_empty ? GM_EMPTY_SUM : *y);
        }
    }
    for (uint32_t row = 0; row < rows; row++) {
        tile->y[row] = (float *)behind(tile->y[row], (tile->last_column + 1) * tile->y_column);
    }
    tile->b = behind(tile->b, tile->b_tile);
    tile->rows_left = tile->rows;
    tile->left--;
}

/* ---- Columns --------------------------------------------------------------------------------- */

/* The form for a tile with fewer than 4 columns. */
static gm_tile_form at_edge(gm_tile_form form)
{
    return form == GM_ROWS_BY_NEIGHBOURS     ? GM_ROWS_BY_GATHERED
           : form == GM_COLUMN_BY_NEIGHBOURS ? GM_COLUMN_BY_GATHERED
                                             : form;
}

static void each_tile(gm_tile *tile, gm_tile_form form, uint32_t rows, uint32_t columns, uint32_t count)
{
    tile->last_column = columns - 1;
    tile->taps_left = tile->taps, tile->rows_left = tile->rows;
    tile->b_tile = columns * tile->b_column, tile->left = count;
    while (tile->left > 0 && !tiles[form][rows > 4](tile)) {
        plain(tile, form, rows);
    }
}

void gm_tile_columns(gm_tile *tile, gm_tile_form form, uint32_t rows, uint32_t n)
{
    uint32_t columns = form == GM_ROWS_BY_EIGHT ? 8 : 4, whole = n / columns, left = n % columns;
    each_tile(tile, form, rows, columns, whole);
    if (left > 0) {
        each_tile(tile, at_edge(form), rows, left, 1);
    }
}

gm_tile_form gm_tile_form_of(uint32_t a_row, uint32_t a_k, uint32_t b_k, uint32_t b_column)
{
    if (a_k == 1) {
        return b_column == 1 ? GM_ROWS_BY_NEIGHBOURS
               : b_k == 1    ? GM_ROWS_BY_STEPS_OF_1
               : b_k == 9    ? GM_ROWS_BY_STEPS_OF_9
                             : GM_ROWS_BY_GATHERED;
    }
    return a_row != 1 ? GM_TILE_FORMS : b_column == 1 ? GM_COLUMN_BY_NEIGHBOURS : GM_COLUMN_BY_GATHERED;
}

#endif
