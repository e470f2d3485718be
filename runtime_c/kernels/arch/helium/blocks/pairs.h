/*
 * The product of pairs.h with Helium: eight k at a time, 16 machine instructions for 64 products.
 * Loads that de-interleave two, or four, vectors let the panels keep the layout of all Cortex-M.
 *
 *     r0, r2, r4, r6     sums of the first row, in even registers alone      r1   a
 *     r8, r10, r12, lr   sums of the second row                              r3   b
 *     q0, q1             eight k of each row                                 r9   the last whole four's end
 *     q2 to q5           eight k of each column                              r5   the end
 */
#ifndef GM_HELIUM_PAIRS_H
#define GM_HELIUM_PAIRS_H

#include "../../arm_m/blocks/registers.h"

#define ADD_EIGHT(s, t, column) LINE("vmladava.s16 " #s ", q0, " #column) LINE("vmladava.s16 " #t ", q1, " #column)

/* Loads four vectors, each with every fourth value. moves: "!" to advance the
 * address past them, or "". */
#define LOAD_PARTED(bits, vectors, from, moves)                                                 \
    LINE("vld40." bits " {" vectors "}, [" from "]")                                            \
    LINE("vld41." bits " {" vectors "}, [" from "]")                                            \
    LINE("vld42." bits " {" vectors "}, [" from "]")                                            \
    LINE("vld43." bits " {" vectors "}, [" from "]" moves)

#define EIGHT_PRODUCTS                                                                          \
    LINE("vld20.32 {q0, q1}, [r1]") LINE("vld21.32 {q0, q1}, [r1]!")                            \
    LOAD_PARTED("32", "q2, q3, q4, q5", "r3", "!")                                                   \
    ADD_EIGHT(r0, r8, q2) ADD_EIGHT(r2, r10, q3) ADD_EIGHT(r4, r12, q4) ADD_EIGHT(r6, lr, q5)

/* A word of each row in r7 and r9. */
#define ADD_TWO(s, t)                                                                           \
    LINE("ldr r11, [r3], #4")                                                                   \
    LINE("smlad " #s ", r7, r11, " #s) LINE("smlad " #t ", r9, r11, " #t)
#define TWO_PRODUCTS LINE("ldrd r7, r9, [r1], #8") ADD_TWO(r0, r8) ADD_TWO(r2, r10) ADD_TWO(r4, r12) ADD_TWO(r6, lr)

/* Uses labels 10 to 13. Clobbers r7 and r11. */
#define HELIUM_PAIR_PRODUCT                                                                     \
    LINE("cmp r3, r9") LINE("beq 11f")                                                          \
    "10:\n\t"                                                                                   \
    EIGHT_PRODUCTS                                                                              \
    LINE("cmp r3, r9") LINE("bne 10b")                                                          \
    "11:\n\t"                                                                                   \
    LINE("cmp r3, r5") LINE("beq 13f")                                                          \
    "12:\n\t"                                                                                   \
    TWO_PRODUCTS                                                                                \
    LINE("cmp r3, r5") LINE("bne 12b")                                                          \
    "13:\n\t"

/* Begins a tile; its struct is on top of the stack: loads its panels and their ends,
 * and zeroes the sums. */
#define HELIUM_EMPTY(sum) LINE("mov " #sum ", #0")
#define HELIUM_EMPTY_SUMS                                                                       \
    HELIUM_EMPTY(r0) HELIUM_EMPTY(r2) HELIUM_EMPTY(r4) HELIUM_EMPTY(r6)                         \
    HELIUM_EMPTY(r8) HELIUM_EMPTY(r10) HELIUM_EMPTY(r12) HELIUM_EMPTY(lr)
#define HELIUM_START_PAIRS                                                                      \
    LINE("ldr r5, [sp]")                                                                        \
    LINE("ldrd r1, r3, [r5, %[a]]") LINE("ldrd r9, r11, [r5, %[fours_bytes]]")                  \
    LINE("add r9, r3") LINE("add r5, r11, r3")                                                  \
    HELIUM_EMPTY_SUMS

/* Sums of both rows in q0 and q1. */
#define HELIUM_BOTH_ROWS(name, with) LINE(name " q0, q0, " with) LINE(name " q1, q1, " with)
#define HELIUM_SUMS_OF_ROWS                                                                     \
    LINE("vmov s0, s1, r0, r2") LINE("vmov s2, s3, r4, r6")                                     \
    LINE("vmov s4, s5, r8, r10") LINE("vmov s6, s7, r12, lr")

/* Zeroes the sums of a row if q is not between r3 and r5. q4: zeros. */
#define HELIUM_MASK_ROW(sums, q)                                                                \
    LINE("vcmp.s32 ge, " #q ", r3") LINE("vpst") LINE("vcmpt.s32 le, " #q ", r5")               \
    LINE("vpsel " #sums ", " #sums ", q4")

/* Ends it: r1 becomes the struct, which receives the advanced b. */
#define HELIUM_END_PAIRS LINE("ldr r1, [sp]") LINE("str r3, [r1, %[b]]") HELIUM_SUMS_OF_ROWS

#define HELIUM_PRODUCT_CHANGES                                                                  \
    "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", CHANGED

#endif
