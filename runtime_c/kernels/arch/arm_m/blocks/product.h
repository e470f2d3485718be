/*
 * The loop of a tile of pairs in assembly: 11 machine instructions for 16 products with the DSP
 * extension, 28 without.
 *
 *     r0-r3, r4-r7   sums of both rows          r12   a
 *     r8, r9         a word of each row         lr    b
 *     r10, r11       words of two columns; without the extension, single values instead of words
 *
 * All registers are taken, so the loop's end is on the stack. r7 may be the frame pointer, so the
 * compiler does not know about it.
 */
#ifndef GM_ARM_M_PRODUCT_H
#define GM_ARM_M_PRODUCT_H

#include "../../arch.h"
#include "registers.h"

#if GM_ARCH_DSP

#define MULTIPLY(sum, column, row) LINE("smlad " #sum ", " #column ", " #row ", " #sum)
#define PAIRS_OF_COLUMNS(s0, s1, t0, t1)                                                      \
    LINE("ldrd r10, r11, [lr], #8")                                                      \
    MULTIPLY(s0, r10, r8) MULTIPLY(t0, r10, r9) MULTIPLY(s1, r11, r8) MULTIPLY(t1, r11, r9)
#define ONE_WORD LINE("ldrd r8, r9, [r12], #8") PAIRS_OF_COLUMNS(r0, r1, r4, r5) PAIRS_OF_COLUMNS(r2, r3, r6, r7)

/*
 * The loop does eight words of a column at once. It is entered at the point that leaves the
 * words in excess of a multiple of eight; each word has 44 bytes of machine code. There is
 * at least one word.
 *
 * On the stack: the end of a, and the entry point of the loop. `bytes` is the size
 * of a tile's panel.
 */
#define FIND_END_AND_ENTRY(a, bytes, end, entry, t, u)                                   \
    LINE("sub " #entry ", " #bytes ", #16") LINE("ubfx " #entry ", " #entry ", #4, #3")  \
    LINE("mov " #t ", #44") LINE("adr.w " #u ", 11f - 43")                               \
    LINE("mls " #entry ", " #entry ", " #t ", " #u)                                      \
    LINE("add " #end ", " #a ", " #bytes ", lsr #1")
#define EIGHT_WORDS ONE_WORD ONE_WORD ONE_WORD ONE_WORD ONE_WORD ONE_WORD ONE_WORD ONE_WORD

/* Uses labels 10 and 11. */
#define PAIR_PRODUCT                                                                     \
    LINE("ldr pc, [sp, #4]")                                                             \
    "10:\n\t" EIGHT_WORDS                                                                \
    "11:\n\t"                                                                            \
    LINE("ldr r8, [sp]") LINE("cmp r12, r8") LINE("bne 10b")

/* The sums of both rows in FPU registers, each with its column's value. */
#define EACH_SUM_OF_8(WHAT)                                                              \
    WHAT(s0, s8) WHAT(s1, s9) WHAT(s2, s10) WHAT(s3, s11)                                \
    WHAT(s4, s8) WHAT(s5, s9) WHAT(s6, s10) WHAT(s7, s11)
#define SUMS_TO_FLOATS                                                                   \
    LINE("vmov s0, s1, r0, r1") LINE("vmov s2, s3, r2, r3")                              \
    LINE("vmov s4, s5, r4, r5") LINE("vmov s6, s7, r6, r7")
#define FLOATS_TO_SUMS                                                                   \
    LINE("vmov r0, r1, s0, s1") LINE("vmov r2, r3, s2, s3")                              \
    LINE("vmov r4, r5, s4, s5") LINE("vmov r6, r7, s6, s7")

#else

/* Lower halves, then upper ones: the loads of the first row and column advance. Adjacent loads let
 * the processor overlap them. */
#define MULTIPLY_BOTH(number, s, t) LINE("mla " #s ", " #number ", r8, " #s) LINE("mla " #t ", " #number ", r9, " #t)
#define ONE_HALF(a_step, b_step)                                                         \
    LINE("ldrsh r9, [r12, #4]") LINE("ldrsh r8, [r12], #" #a_step)                       \
    LINE("ldrsh r10, [lr, #4]") LINE("ldrsh r11, [lr, #8]")                              \
    MULTIPLY_BOTH(r10, r1, r5) MULTIPLY_BOTH(r11, r2, r6)                                \
    LINE("ldrsh r10, [lr, #12]") LINE("ldrsh r11, [lr], #" #b_step)                      \
    MULTIPLY_BOTH(r10, r3, r7) MULTIPLY_BOTH(r11, r0, r4)
#define ONE_WORD ONE_HALF(2, 2) ONE_HALF(6, 14)

/* On the stack: the ends of b after whole groups of four words of a column, and after all. */
#define UNTIL(end, loop, behind, BODY)                                                   \
    LINE("ldr r8, " end) LINE("cmp lr, r8") LINE("beq " #behind "f")                     \
    #loop ":\n\t"                                                                        \
    BODY                                                                                 \
    LINE("ldr r8, " end) LINE("cmp lr, r8") LINE("bne " #loop "b")                       \
    #behind ":\n\t"

/* Uses labels 10 to 13. */
#define PAIR_PRODUCT UNTIL("[sp]", 10, 11, ONE_WORD ONE_WORD ONE_WORD ONE_WORD) UNTIL("[sp, #4]", 12, 13, ONE_WORD)

#endif

#define PRODUCT_CHANGES "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "cc", "memory"

#endif
