/*
 * Assembly fragments that the kernels for Cortex-M with FPU share.
 *
 * The compiler does not emit `vldmia p!, {s..}` by itself: several floats and the next
 * address in one instruction. In a tile, sums stay in registers from s0 on, each takes its
 * products in ascending order, and adjacent instructions add to different sums, so that none
 * waits for the one before it.
 */
#ifndef GM_ARM_M_REGISTERS_H
#define GM_ARM_M_REGISTERS_H

#include <stddef.h>

#include "gm_config.h"

#define LINE(text) text "\n\t"

#define OP(operation, y, a, b) LINE(operation ".f32 " #y ", " #a ", " #b)

/*
 * sum += a b, as docs/NUMERICS.md defines it for the profile. MAC_2 is two of them; neither reads
 * what the other writes.
 *
 * In the fused profile each is one instruction. In the strict profile product and sum round
 * separately, and are separate instructions: VMUL and VADD take a cycle each, while VFMA takes
 * three on a Cortex-M4 and M33, as long as no instruction uses the result of the one before it. So
 * MAC_2 makes both products first, in registers p and q; kernels leave s30 and s31 to them.
 * GM_CHAINED uses VMLA instead, which gives the same bits and needs no registers.
 */
#define GM_APART (!GM_FUSED && !GM_CHAINED)

#if GM_APART
#define MAC_BY(p, sum, a, b) OP("vmul", p, a, b) OP("vadd", sum, sum, p)
#define MAC_2_BY(p, q, s, a, b, t, c, d) \
    OP("vmul", p, a, b) OP("vmul", q, c, d) OP("vadd", s, s, p) OP("vadd", t, t, q)
#else
#if GM_FUSED
#define MAC_BY(p, sum, a, b) OP("vfma", sum, a, b)
#else
#define MAC_BY(p, sum, a, b) OP("vmla", sum, a, b)
#endif
#define MAC_2_BY(p, q, s, a, b, t, c, d) MAC_BY(p, s, a, b) MAC_BY(q, t, c, d)
#endif

#define MAC_1(sum, a, b) MAC_BY(s30, sum, a, b)
#define MAC_2(s, a, b, t, c, d) MAC_2_BY(s30, s31, s, a, b, t, c, d)

/* Four products into one sum, in order. With separate multiply and add, each product is made before
 * the previous one is added. */
#if GM_APART
#define MAC_CHAIN_4(sum, a0, b0, a1, b1, a2, b2, a3, b3)                                                 \
    OP("vmul", s30, a0, b0) OP("vmul", s31, a1, b1) OP("vadd", sum, sum, s30) OP("vmul", s30, a2, b2)    \
    OP("vadd", sum, sum, s31) OP("vmul", s31, a3, b3) OP("vadd", sum, sum, s30) OP("vadd", sum, sum, s31)
#else
#define MAC_CHAIN_4(sum, a0, b0, a1, b1, a2, b2, a3, b3) \
    MAC_1(sum, a0, b0) MAC_1(sum, a1, b1) MAC_1(sum, a2, b2) MAC_1(sum, a3, b3)
#endif

#define MAC_2_OF(a, b0, b1) MAC_2(s0, a, b0, s1, a, b1)
#define MAC_4(a, b0, b1, b2, b3) MAC_2_OF(a, b0, b1) MAC_2(s2, a, b2, s3, a, b3)
#define MAC_8(a, b0, b1, b2, b3, b4, b5, b6, b7) \
    MAC_4(a, b0, b1, b2, b3) MAC_2(s4, a, b4, s5, a, b5) MAC_2(s6, a, b6, s7, a, b7)

/* 2, 3 and 4 rows of 4 sums: row i has s[4 i] to s[4 i + 3]. */
#define MAC_ROW_1(a, b0, b1, b2, b3) MAC_2(s4, a, b0, s5, a, b1) MAC_2(s6, a, b2, s7, a, b3)
#define MAC_ROW_2(a, b0, b1, b2, b3) MAC_2(s8, a, b0, s9, a, b1) MAC_2(s10, a, b2, s11, a, b3)
#define MAC_ROW_3(a, b0, b1, b2, b3) MAC_2(s12, a, b0, s13, a, b1) MAC_2(s14, a, b2, s15, a, b3)
#define MAC_2x4(a0, a1, a2, a3, b0, b1, b2, b3) MAC_4(a0, b0, b1, b2, b3) MAC_ROW_1(a1, b0, b1, b2, b3)
#define MAC_3x4(a0, a1, a2, a3, b0, b1, b2, b3) \
    MAC_2x4(a0, a1, a2, a3, b0, b1, b2, b3) MAC_ROW_2(a2, b0, b1, b2, b3)
#define MAC_4x4(a0, a1, a2, a3, b0, b1, b2, b3) \
    MAC_3x4(a0, a1, a2, a3, b0, b1, b2, b3) MAC_ROW_3(a3, b0, b1, b2, b3)

/* Loads registers from p, and advances p past them; loads from p, then advances it by `step` bytes;
 * the latter for one register. */
#define LOAD(p, registers) LINE("vldmia %[" #p "]!, {" registers "}")
#define LOAD_STEP(p, registers, step) LINE("vldmia %[" #p "], {" registers "}") LINE("add %[" #p "], %[" #step "]")
#define LOAD_1_STEP(p, register, step) LINE("vldr " #register ", [%[" #p "]]") LINE("add %[" #p "], %[" #step "]")

/* s0 to s15 += s16 times 16 values from b, which then advances by `b_step` bytes from the ninth. */
#define MAC_16_ACROSS                                               \
    LOAD(b, "s17-s24")                                              \
    MAC_8(s16, s17, s18, s19, s20, s21, s22, s23, s24)              \
    LOAD_STEP(b, "s17-s24", b_step)                                 \
    MAC_ROW_2(s16, s17, s18, s19, s20) MAC_ROW_3(s16, s21, s22, s23, s24)

/* The label of a hot loop, word-aligned: cores that fetch words need one more fetch for a 32-bit
 * instruction that starts in the middle of a word. */
#define LOOP_LABEL(label) ".balign 4\n" #label ":\n\t"

/* while (n >= count) { BODY; n -= count; } while (n > 0) { REST; n--; }
 * n names the operand, and is 0 after the loops. */
#define AT_A_TIME(count, n, BODY, REST)             \
    LINE("subs %[" #n "], #" #count)                \
    LINE("blo 2f")                                  \
    LOOP_LABEL(1)                                   \
    BODY                                            \
    LINE("subs %[" #n "], #" #count)                \
    LINE("bhs 1b")                                  \
    "2:\n\t"                                        \
    LINE("adds %[" #n "], #" #count)                \
    LINE("beq 4f")                                  \
    LOOP_LABEL(3)                                   \
    REST                                            \
    LINE("subs %[" #n "], #1")                      \
    LINE("bne 3b")                                  \
    "4:\n\t"
#define EIGHT_AT_A_TIME(BODY, REST) AT_A_TIME(8, n, BODY, REST)

/* Loads a field of the struct at p into a register; OFFSET() has to be among the operands. */
#define LOAD_FIELD(to, p, field) LINE("ldr %[" #to "], [%[" #p "], %[" #field "]]")
#define OFFSET(type, field) [field] "i"(offsetof(type, field))

/* A function that is one block of assembly. Its operands take nearly all registers: inlined into
 * another function, whose variables need some too, compilers can fail to allocate them. */
#define TILE __attribute__((noinline)) static void

/* Every register that a tile may change, and memory. A function that does not touch s16 to s31 need
 * not save them, which takes 34 cycles. */
#define CHANGED_LOWER                                                                                              \
    "cc", "memory", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", "s14", \
        "s15"
#define CHANGED                                                                                                    \
    CHANGED_LOWER, "s16", "s17", "s18", "s19", "s20", "s21", "s22", "s23", "s24", "s25", "s26", "s27", "s28",      \
        "s29", "s30", "s31"

#endif
