/* The loops of walks, in assembly: arm_m_walk.c and arm_m_blocks.c put into them what is done at each place. */
#ifndef GM_ARM_M_WALK_LOOPS_H
#define GM_ARM_M_WALK_LOOPS_H

#include "registers.h"
#include "walk.h"

/* From the end of a row to the beginning of the next, in bytes. */
static inline uint32_t gm_walk_skip(uint32_t row, uint32_t column, uint32_t columns)
{
    return 4 * (row - columns * column);
}

/* BODY for each row and column of a walk. It moves a and b by a_step and b_step. */
#define WALK(BODY)                            \
    "1:\n\t"                                  \
    LINE("mov %[left], %[columns]")           \
    "2:\n\t"                                  \
    BODY                                      \
    LINE("subs %[left], #1")                  \
    LINE("bne 2b")                            \
    LINE("add %[a], %[a_skip]")               \
    LINE("add %[b], %[b_skip]")               \
    LINE("subs %[rows], #1")                  \
    LINE("bne 1b")

/* Its operands: what changes, and what does not. a and b are AHEAD elements further at the end of a column. */
#define WALK_CHANGES [a] "+r"(a), [b] "+r"(b), [rows] "+r"(rows), [left] "=&r"(left)
#define WALK_STEPS(A_AHEAD, B_AHEAD)                                                                       \
    [columns] "r"(walk->columns), [a_step] "r"(4 * (walk->a_column - (A_AHEAD))),                          \
        [b_step] "r"(4 * (walk->b_column - (B_AHEAD))),                                                    \
        [a_skip] "r"(gm_walk_skip(walk->a_row, walk->a_column, walk->columns)),                            \
        [b_skip] "r"(gm_walk_skip(walk->b_row, walk->b_column, walk->columns))

/* Defines a function whose `kept`, an array, is in REGISTERS all the while. B: const float or float. */
#define DEFINE_KEEPING(name, B, REGISTERS, A_AHEAD, B_AHEAD, BODY)                                         \
    TILE name(const gm_walk *walk, const float *a, B *b, float *kept)                                      \
    {                                                                                                      \
        uint32_t rows = walk->rows, left;                                                                  \
        __asm__ volatile(LINE("vldmia %[kept], {" REGISTERS "}")                                           \
                         WALK(BODY)                                                                        \
                         LINE("vstmia %[kept], {" REGISTERS "}")                                           \
                         : WALK_CHANGES                                                                    \
                         : WALK_STEPS(A_AHEAD, B_AHEAD), [kept] "r"(kept)                                  \
                         : CHANGED);                                                                       \
    }

#endif
