/*
 * Strided loops (strided_loop.h) with Helium. Machine instructions for each multiply-accumulate in
 * a long row: across: 0.75, 1 and 1.5 for 16, 8 and 4 outputs at a time; products: 1.13.
 */
#include "../../arm_m/blocks/registers.h"
#include "../helium.h"

#if GM_ARCH_HELIUM

/* Bytes from the end of a row to the beginning of the next. */
static uint32_t skip(uint32_t row, uint32_t column, uint32_t columns)
{
    return 4 * (row - columns * column);
}

/* Defines a function that adds BODY to sums for each row and column. It advances a and b by
 * a_step and b_step. */
#define DEFINE_LOOP(name, LOAD_SUMS, BODY, STORE_SUMS)                                                        \
    __attribute__((noinline)) int name(const gm_loop *loop, const float *a, const float *b, float *y)         \
    {                                                                                                         \
        uint32_t rows = loop->rows, flushed;                                                                  \
        __asm__ volatile(HELIUM                                                                               \
                         CLEAR_FLUSHED(%[flushed])                                                            \
                         LOAD_SUMS                                                                            \
                         "1:\n\t"                                                                             \
                         LINE("dls lr, %[columns]")                                                           \
                         "2:\n\t"                                                                             \
                         BODY                                                                                 \
                         LINE("le lr, 2b")                                                                    \
                         LINE("add %[a], %[a_skip]")                                                          \
                         LINE("add %[b], %[b_skip]")                                                          \
                         LINE("subs %[rows], #1")                                                             \
                         LINE("bne 1b")                                                                       \
                         IF_FLUSHED(%[flushed], 3f)                                                           \
                         STORE_SUMS                                                                           \
                         "3:\n\t"                                                                             \
                         : [a] "+r"(a), [b] "+r"(b), [rows] "+r"(rows), [flushed] "=&r"(flushed)              \
                         : [y] "r"(y), [columns] "r"(loop->columns), [a_step] "r"(4 * loop->a_column),        \
                           [b_step] "r"(4 * loop->b_column),                                                  \
                           [a_skip] "r"(skip(loop->a_row, loop->a_column, loop->columns)),                    \
                           [b_skip] "r"(skip(loop->b_row, loop->b_column, loop->columns))                     \
                         : "r4", "lr", CHANGED);                                                              \
        return flushed == 0;                                                                                  \
    }

#define LOAD_4(q, p, offset) LINE("vldrw.u32 " #q ", [%[" #p "], #" #offset "]")
#define STORE_4(q, offset) LINE("vstrw.32 " #q ", [%[y], #" #offset "]")
#define NEXT(p) LINE("add %[" #p "], %[" #p "_step]")
#define LOAD_A LINE("ldr r4, [%[a]]") NEXT(a)

DEFINE_LOOP(gm_helium_across_16,
            LOAD_4(q0, y, 0) LOAD_4(q1, y, 16) LOAD_4(q2, y, 32) LOAD_4(q3, y, 48),
            LOAD_A LOAD_4(q4, b, 0) LOAD_4(q5, b, 16)
            VFMA(q0, q4, r4) LOAD_4(q6, b, 32)
            VFMA(q1, q5, r4) LOAD_4(q7, b, 48)
            VFMA(q2, q6, r4) NEXT(b)
            VFMA(q3, q7, r4),
            STORE_4(q0, 0) STORE_4(q1, 16) STORE_4(q2, 32) STORE_4(q3, 48))

DEFINE_LOOP(gm_helium_across_8,
            LOAD_4(q0, y, 0) LOAD_4(q1, y, 16),
            LOAD_A LOAD_4(q4, b, 0) LOAD_4(q5, b, 16)
            VFMA(q0, q4, r4) NEXT(b)
            VFMA(q1, q5, r4),
            STORE_4(q0, 0) STORE_4(q1, 16))

DEFINE_LOOP(gm_helium_across_4,
            LOAD_4(q0, y, 0),
            LOAD_A LOAD_4(q4, b, 0) NEXT(b)
            VFMA(q0, q4, r4),
            STORE_4(q0, 0))

DEFINE_LOOP(gm_helium_products_8,
            LOAD_4(q0, y, 0) LOAD_4(q1, y, 16),
            LOAD_4(q4, a, 0) LOAD_4(q5, b, 0)
            LOAD_4(q6, a, 16)
            VFMA(q0, q4, q5) LOAD_4(q7, b, 16)
            NEXT(a) NEXT(b)
            VFMA(q1, q6, q7),
            STORE_4(q0, 0) STORE_4(q1, 16))

#endif
