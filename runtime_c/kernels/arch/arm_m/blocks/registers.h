/*
 * Pieces of assembly that the kernels for Cortex-M with FPU share.
 *
 * What the compiler does not emit by itself is `vldmia p!, {s..}`: several floats and the next
 * address in one instruction. In a tile, sums stay in s0 to s15, each takes its products in
 * ascending order, and neighbouring instructions add to different sums, so that none waits for
 * the one before it.
 */
#ifndef GM_ARM_M_REGISTERS_H
#define GM_ARM_M_REGISTERS_H

#include <stddef.h>

#define LINE(text) text "\n\t"

/* sum += a b */
#define FMA(sum, a, b) LINE("vfma.f32 " #sum ", " #a ", " #b)

#define FMA_2(a, b0, b1) FMA(s0, a, b0) FMA(s1, a, b1)
#define FMA_4(a, b0, b1, b2, b3) FMA_2(a, b0, b1) FMA(s2, a, b2) FMA(s3, a, b3)
#define FMA_8(a, b0, b1, b2, b3, b4, b5, b6, b7) \
    FMA_4(a, b0, b1, b2, b3) FMA(s4, a, b4) FMA(s5, a, b5) FMA(s6, a, b6) FMA(s7, a, b7)

/* 2, 3 and 4 rows of 4 sums: row i has s[4 i] to s[4 i + 3]. */
#define FMA_ROW_1(a, b0, b1, b2, b3) FMA(s4, a, b0) FMA(s5, a, b1) FMA(s6, a, b2) FMA(s7, a, b3)
#define FMA_ROW_2(a, b0, b1, b2, b3) FMA(s8, a, b0) FMA(s9, a, b1) FMA(s10, a, b2) FMA(s11, a, b3)
#define FMA_ROW_3(a, b0, b1, b2, b3) FMA(s12, a, b0) FMA(s13, a, b1) FMA(s14, a, b2) FMA(s15, a, b3)
#define FMA_2x4(a0, a1, a2, a3, b0, b1, b2, b3) FMA_4(a0, b0, b1, b2, b3) FMA_ROW_1(a1, b0, b1, b2, b3)
#define FMA_3x4(a0, a1, a2, a3, b0, b1, b2, b3) \
    FMA_2x4(a0, a1, a2, a3, b0, b1, b2, b3) FMA_ROW_2(a2, b0, b1, b2, b3)
#define FMA_4x4(a0, a1, a2, a3, b0, b1, b2, b3) \
    FMA_3x4(a0, a1, a2, a3, b0, b1, b2, b3) FMA_ROW_3(a3, b0, b1, b2, b3)

/* Some registers from p, which moves behind what was read; from p, which then moves by `step`
 * bytes; one register. */
#define LOAD(p, registers) LINE("vldmia %[" #p "]!, {" registers "}")
#define LOAD_STEP(p, registers, step) LINE("vldmia %[" #p "], {" registers "}") LINE("add %[" #p "], %[" #step "]")
#define LOAD_1_STEP(p, register, step) LINE("vldr " #register ", [%[" #p "]]") LINE("add %[" #p "], %[" #step "]")

/* s0 to s15 += s16 times 16 numbers from b, which then moves by `b_step` bytes from the ninth. */
#define FMA_16_ACROSS                                               \
    LOAD(b, "s17-s24")                                              \
    FMA_8(s16, s17, s18, s19, s20, s21, s22, s23, s24)              \
    LOAD_STEP(b, "s17-s24", b_step)                                 \
    FMA_ROW_2(s16, s17, s18, s19, s20) FMA_ROW_3(s16, s21, s22, s23, s24)

/* while (n >= count) { BODY; n -= count; } while (n > 0) { REST; n--; }
 * n names the operand, and is 0 behind the loops. */
#define AT_A_TIME(count, n, BODY, REST)             \
    LINE("subs %[" #n "], #" #count)                \
    LINE("blo 2f")                                  \
    "1:\n\t"                                        \
    BODY                                            \
    LINE("subs %[" #n "], #" #count)                \
    LINE("bhs 1b")                                  \
    "2:\n\t"                                        \
    LINE("adds %[" #n "], #" #count)                \
    LINE("beq 4f")                                  \
    "3:\n\t"                                        \
    REST                                            \
    LINE("subs %[" #n "], #1")                      \
    LINE("bne 3b")                                  \
    "4:\n\t"
#define EIGHT_AT_A_TIME(BODY, REST) AT_A_TIME(8, n, BODY, REST)

/* A field of the struct at p, into a register; OFFSET() has to be among the operands. */
#define LOAD_FIELD(to, p, field) LINE("ldr %[" #to "], [%[" #p "], %[" #field "]]")
#define OFFSET(type, field) [field] "i"(offsetof(type, field))

/* A function of one block of assembly. Its operands take nearly all registers: within another
 * function, whose variables take some too, compilers can fail to place them. */
#define TILE __attribute__((noinline)) static void

/* Every register that a tile may change, and memory. */
#define CHANGED                                                                                                    \
    "cc", "memory", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", \
        "s15", "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25", "s26", "s27", "s28", "s29",   \
        "s30", "s31"

#endif
