/* Strided loops in assembly: strided_loop.c and weight_blocks.c provide the body
 * of each iteration. */
#ifndef GM_ARM_M_STRIDED_LOOP_ASSEMBLY_H
#define GM_ARM_M_STRIDED_LOOP_ASSEMBLY_H

#include "registers.h"
#include "strided_loop.h"

/* Bytes from the end of a row to the beginning of the next. */
static inline uint32_t gm_loop_skip(uint32_t row, uint32_t column, uint32_t columns)
{
    return 4 * (row - columns * column);
}

/* Runs BODY for each row and column of a loop. It advances a and b by a_step and b_step. */
#define STRIDED_LOOP(BODY)                    \
    "1:\n\t"                                  \
    LINE("mov %[left], %[columns]")           \
    LOOP_LABEL(2)                             \
    BODY                                      \
    LINE("subs %[left], #1")                  \
    LINE("bne 2b")                            \
    LINE("add %[a], %[a_skip]")               \
    LINE("add %[b], %[b_skip]")               \
    LINE("subs %[rows], #1")                  \
    LINE("bne 1b")

/* Its operands: those that change, and those that do not. a and b are AHEAD elements further at
 * the end of a column. */
#define LOOP_CHANGES [a] "+r"(a), [b] "+r"(b), [rows] "+r"(rows), [left] "=&r"(left)
#define LOOP_STRIDES(A_AHEAD, B_AHEAD)                                                                       \
    [columns] "r"(loop->columns), [a_step] "r"(4 * (loop->a_column - (A_AHEAD))),                          \
        [b_step] "r"(4 * (loop->b_column - (B_AHEAD))),                                                    \
        [a_skip] "r"(gm_loop_skip(loop->a_row, loop->a_column, loop->columns)),                            \
        [b_skip] "r"(gm_loop_skip(loop->b_row, loop->b_column, loop->columns))

/* Defines a function that keeps the array `kept` in REGISTERS throughout: sums, which are stored
 * after the loop, or weights. B: const float or float. */
#define DEFINE_KEEPING_THEM(name, B, KEPT, REGISTERS, A_AHEAD, B_AHEAD, BODY, STORE)                       \
    TILE name(const gm_loop *loop, const float *a, B *b, KEPT *kept)                                       \
    {                                                                                                      \
        uint32_t rows = loop->rows, left;                                                                  \
        __asm__ volatile(LINE("vldmia %[kept], {" REGISTERS "}")                                           \
                         STRIDED_LOOP(BODY)                                                                \
                         STORE                                                                             \
                         : LOOP_CHANGES                                                                    \
                         : LOOP_STRIDES(A_AHEAD, B_AHEAD), [kept] "r"(kept)                                \
                         : CHANGED);                                                                       \
    }
#define DEFINE_KEEPING_SUMS(name, REGISTERS, A_AHEAD, B_AHEAD, BODY)                                       \
    DEFINE_KEEPING_THEM(name, const float, float, REGISTERS, A_AHEAD, B_AHEAD, BODY,                       \
                        LINE("vstmia %[kept], {" REGISTERS "}"))
#define DEFINE_KEEPING_WEIGHTS(name, REGISTERS, A_AHEAD, B_AHEAD, BODY)                                    \
    DEFINE_KEEPING_THEM(name, float, const float, REGISTERS, A_AHEAD, B_AHEAD, BODY, )

#endif
