/*
 * Turns sums into bytes, in assembly for Cortex-M with the DSP extension and FPU: y =
 * min(max(round(sum m + offset) + zero, low), high). Conversions and 16-bit sums saturate, far
 * outside the bounds.
 */
#ifndef GM_ARM_M_BYTES_H
#define GM_ARM_M_BYTES_H

#include "registers.h"

#define SUM_TO_FLOAT(sum, with) LINE("vcvt.f32.s32 " #sum ", " #sum)
#define TIMES_MULTIPLIER(sum, with) LINE("vmul.f32 " #sum ", " #sum ", " #with)
#define PLUS(sum, with) LINE("vadd.f32 " #sum ", " #sum ", " #with)
#define TO_NEAREST(sum, with) LINE("vcvtr.s32.f32 " #sum ", " #sum)

/* Packs four integers as bytes into a. r9: the zero point, twice */
#define TO_BYTES(a, b, c, d)                                                               \
    LINE("ssat " #a ", #16, " #a) LINE("ssat " #b ", #16, " #b)                            \
    LINE("ssat " #c ", #16, " #c) LINE("ssat " #d ", #16, " #d)                            \
    LINE("pkhbt " #a ", " #a ", " #c ", lsl #16") LINE("pkhbt " #b ", " #b ", " #d ", lsl #16") \
    LINE("qadd16 " #a ", " #a ", r9") LINE("qadd16 " #b ", " #b ", r9")                    \
    LINE("ssat16 " #a ", #8, " #a) LINE("ssat16 " #b ", #8, " #b)                          \
    LINE("uxtb16 " #a ", " #a) LINE("uxtb16 " #b ", " #b)                                  \
    LINE("orr " #a ", " #a ", " #b ", lsl #8")

/*
 * The same for narrow results (requantize.h), if the bounds are the ends of the type. Adding 3 2^22
 * to a float rounds it to an integer, which is the lower half of the result's bits.
 *
 * s16: 3 2^22. r9, and s17 while r9 holds something else: the zero point + 128, twice.
 */
#define START_NARROW_BYTES(zero, t)                                                        \
    LINE("mov " #t ", #0x00800080") LINE("sadd16 " #zero ", " #zero ", " #t) LINE("vmov s17, " #zero) \
    LINE("movw " #t ", #0") LINE("movt " #t ", #0x4b40") LINE("vmov s16, " #t)
#define TO_NARROW(sum, with) LINE("vadd.f32 " #sum ", " #sum ", s16")
#define NARROW_TO_BYTES(a, b, c, d)                                                        \
    LINE("pkhbt " #a ", " #a ", " #c ", lsl #16") LINE("pkhbt " #b ", " #b ", " #d ", lsl #16") \
    LINE("sadd16 " #a ", " #a ", r9") LINE("sadd16 " #b ", " #b ", r9")                    \
    LINE("usat16 " #a ", #8, " #a) LINE("usat16 " #b ", #8, " #b)                          \
    LINE("orr " #a ", " #a ", " #b ", lsl #8") LINE("eor " #a ", #0x80808080")

/* r10, r11: low and high, four times. Jumps to `behind` if they are the ends of the type. */
#define UNLESS_ENDS(behind)                                                                \
    LINE("cmp r10, #0x80808080") LINE("it eq") LINE("cmpeq r11, #0x7f7f7f7f") LINE("beq " #behind "f")

/* Clobbers b. */
#define IN_BOUNDS(a, b)                                                                    \
    LINE("ssub8 " #b ", " #a ", r10") LINE("sel " #a ", " #a ", r10")                      \
    LINE("ssub8 " #b ", r11, " #a) LINE("sel " #a ", " #a ", r11")

#endif
