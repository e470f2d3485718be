/* Outputs of depthwise_pixels.h. */
#include "depthwise_pixels.h"

#include "bytes.h"
#include "depthwise_3x3.h"
#include "product.h"

#if GM_ARCH_DSP

/*
 * An output of four channels: 6 machine instructions for 8 products, and about 60 more.
 *
 *     r0-r3     sums                        s0-s3     the same, scaled
 *     r4-r7     inputs,  r12  the next      s8-s11    multipliers
 *     r8-r11    weights, lr   the next      s12-s15   offsets
 *
 * All registers are taken, so the struct and the end of the inputs are on the stack. r7 may be the
 * frame pointer, so the compiler does not know about it.
 */
#define PIXELS_FIELD(to, member) LINE("ldr " #to ", [r8, %[" #member "]]")
#define PIXELS_OFFSET(member) [member] "i"(offsetof(gm_depthwise_pixels, member))

#define BEGIN_OUTPUT                                                                       \
    LINE("ldr r8, [sp, #4]")                                                               \
    LINE("ldrd r4, r5, [r8, %[column]]") LINE("ldrd r6, r7, [r8, %[x]]")                   \
    LINE("lsr r9, r4, #1") LINE("mla r12, r9, r7, r6")                                     \
    LINE("ldrd lr, r10, [r8, %[weights]]")                                                 \
    LINE("tst r4, #1") LINE("it ne") LINE("movne lr, r10")                                 \
    LINE("add r4, r5")                                                                     \
    PIXELS_FIELD(r5, window_bytes) LINE("add r5, r12") LINE("str r5, [sp]")                       \
    PIXELS_FIELD(r9, bias) LINE("str r4, [r8, %[column]]") LINE("ldm r9, {r0-r3}")

#define MAC(sum, input, weight) LINE("smlad " #sum ", " #input ", " #weight ", " #sum)
#define ROW_OF_FOUR                                                                            \
    LINE("ldm r12!, {r4-r7}") LINE("ldm lr!, {r8-r11}")                                    \
    MAC(r0, r4, r8) MAC(r1, r5, r9) MAC(r2, r6, r10) MAC(r3, r7, r11)
#define ROWS_3 ROW_OF_FOUR ROW_OF_FOUR ROW_OF_FOUR
#define ROWS_5 ROWS_3 ROW_OF_FOUR ROW_OF_FOUR
#define ROWS_7 ROWS_5 ROW_OF_FOUR ROW_OF_FOUR

/* All pairs of columns, for a kernel of n rows; and for any kernel. */
#define PAIRS_OF(ROWS, n)                                                                  \
    "2:\n\t" ROWS                                                                          \
    LINE("ldr r4, [sp]") LINE("add lr, #16 * (" #n " - 1)") LINE("cmp r12, r4") LINE("bne 2b")
#define PAIRS_OF_ANY                                                                       \
    "2:\n\t" LINE("ldr r4, [sp, #4]") LINE("ldr r4, [r4, %[pair_bytes]]")                  \
    LINE("add r4, r12") LINE("str r4, [sp, #8]")                                           \
    "3:\n\t" ROW_OF_FOUR LINE("ldr r4, [sp, #8]") LINE("cmp r12, r4") LINE("bne 3b")           \
    LINE("ldr r5, [sp, #4]") LINE("ldr r5, [r5, %[weights_skip]]") LINE("add lr, r5")      \
    LINE("ldr r4, [sp]") LINE("cmp r12, r4") LINE("bne 2b")

#define EACH_SUM_OF_4(WHAT) WHAT(s0, s8) WHAT(s1, s9) WHAT(s2, s10) WHAT(s3, s11)
#define WITH_OFFSETS PLUS(s0, s12) PLUS(s1, s13) PLUS(s2, s14) PLUS(s3, s15)

#define END_OUTPUT                                                                         \
    LINE("ldr r8, [sp, #4]")                                                               \
    LINE("vmov s0, s1, r0, r1") LINE("vmov s2, s3, r2, r3") PIXELS_FIELD(r12, offsets)            \
    EACH_SUM_OF_4(SUM_TO_FLOAT) EACH_SUM_OF_4(TIMES_MULTIPLIER)                                                   \
    LINE("cmp r12, #0") LINE("beq 4f")                                                     \
    WITH_OFFSETS                                                                           \
    "4:\n\t"                                                                               \
    EACH_SUM_OF_4(TO_NEAREST)                                                                  \
    LINE("vmov r0, r1, s0, s1") LINE("vmov r2, r3, s2, s3")                                \
    LINE("ldrd r9, r10, [r8, %[zero]]") PIXELS_FIELD(r11, high)                                   \
    TO_BYTES(r0, r1, r2, r3)                                                               \
    UNLESS_ENDS(5) IN_BOUNDS(r0, r1)                                                       \
    "5:\n\t"                                                                               \
    LINE("ldrd r1, r2, [r8, %[left]]") PIXELS_FIELD(r3, y_step)                                   \
    LINE("str r0, [r2]") LINE("add r2, r3") LINE("subs r1, #1")                            \
    LINE("strd r1, r2, [r8, %[left]]")

/* If sums are only stored, the fields that say how to finish them are not read. */
#define START_BYTES                                                                        \
    LINE("ldrd r9, r10, [r8, %[multipliers]]")                                             \
    LINE("vldmia r9, {s8-s11}")                                                            \
    LINE("cmp r10, #0") LINE("it ne") LINE("vldmiane r10, {s12-s15}")
#define START_SUMS
#define END_SUMS                                                                           \
    LINE("ldr r8, [sp, #4]")                                                               \
    LINE("ldrd r9, r10, [r8, %[left]]")                                                    \
    LINE("stm r10!, {r0-r3}") LINE("subs r9, #1")                                          \
    LINE("strd r9, r10, [r8, %[left]]")

#define DEFINE_OUTPUTS(name, START, PAIRS, END)                                                                 \
    __attribute__((noinline)) static void name(gm_depthwise_pixels *pixels)                                     \
    {                                                                                                           \
        register uintptr_t r0 __asm__("r0") = (uintptr_t)pixels;                                                \
        __asm__ volatile(LINE("push {r0, r7}")                                                                  \
                         LINE("mov r8, r0")                                                                     \
                         START                                                                                  \
                         LINE("push {r0, r7}") LINE("str r8, [sp, #4]")                                         \
                         "1:\n\t"                                                                               \
                         BEGIN_OUTPUT PAIRS END                                                                 \
                         LINE("bne 1b")                                                                         \
                         LINE("add sp, #8")                                                                     \
                         LINE("pop {r0, r7}")                                                                   \
                         : "+r"(r0)                                                                             \
                         : PIXELS_OFFSET(column), PIXELS_OFFSET(x), PIXELS_OFFSET(weights), PIXELS_OFFSET(window_bytes),        \
                           PIXELS_OFFSET(bias), PIXELS_OFFSET(pair_bytes), PIXELS_OFFSET(weights_skip), PIXELS_OFFSET(offsets), \
                           PIXELS_OFFSET(multipliers), PIXELS_OFFSET(zero), PIXELS_OFFSET(high), PIXELS_OFFSET(left),           \
                           PIXELS_OFFSET(y_step)                                                                    \
                         : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", CHANGED); \
    }

#define DEFINE_BYTES_AND_SUMS(rows, PAIRS)                                                           \
    DEFINE_OUTPUTS(bytes_of_##rows, START_BYTES, PAIRS, END_OUTPUT)                        \
    DEFINE_OUTPUTS(sums_of_##rows, START_SUMS, PAIRS, END_SUMS)

DEFINE_BYTES_AND_SUMS(5_rows, PAIRS_OF(ROWS_5, 5))
DEFINE_BYTES_AND_SUMS(7_rows, PAIRS_OF(ROWS_7, 7))
DEFINE_BYTES_AND_SUMS(any_rows, PAIRS_OF_ANY)

/*
 * Turns the sums of n outputs into bytes, two outputs at a time: 71 machine instructions for 8
 * values, and 53 if they are narrow (requantize.h); then r9 holds what START_NARROW_BYTES() makes,
 * r10 the number of remaining outputs, r11 offsets.
 *
 *     r0-r7    sums, numbers, bytes        r12, lr   sums that are left, y
 *     r9-r11   zero, low, high             r8        y_step
 *
 * On the stack: the struct, the number of remaining outputs, offsets, r7.
 */
__attribute__((noinline)) static void bytes_of_sums(gm_depthwise_pixels *pixels, const uint32_t *sums, uint32_t n)
{
    register uintptr_t r0 __asm__("r0") = (uintptr_t)pixels;
    register uintptr_t r1 __asm__("r1") = (uintptr_t)sums;
    register uintptr_t r2 __asm__("r2") = n;
    __asm__ volatile(LINE("mov r8, r0") LINE("mov r12, r1") START_BYTES
                     LINE("push {r7, r10}") LINE("push {r0, r2}")
                     LINE("ldrd r9, r10, [r8, %[zero]]") PIXELS_FIELD(r11, high)
                     PIXELS_FIELD(lr, y) PIXELS_FIELD(r8, y_step)
                     "1:\n\t"
                     LINE("vldmia r12!, {s0-s7}") EACH_SUM_OF_8(SUM_TO_FLOAT) EACH_SUM_OF_8(TIMES_MULTIPLIER)
                     LINE("ldr r0, [sp, #12]") LINE("cmp r0, #0") LINE("beq 2f")
                     WITH_OFFSETS PLUS(s4, s12) PLUS(s5, s13) PLUS(s6, s14) PLUS(s7, s15)
                     "2:\n\t"
                     EACH_SUM_OF_8(TO_NEAREST) FLOATS_TO_SUMS
                     TO_BYTES(r0, r1, r2, r3) TO_BYTES(r4, r5, r6, r7)
                     UNLESS_ENDS(3) IN_BOUNDS(r0, r1) IN_BOUNDS(r4, r5)
                     "3:\n\t"
                     LINE("ldr r1, [sp, #4]") LINE("str r0, [lr]") LINE("subs r1, #2") LINE("str r1, [sp, #4]")
                     LINE("it pl") LINE("strpl r4, [lr, r8]") LINE("add lr, lr, r8, lsl #1") LINE("bgt 1b")
                     LINE("pop {r0, r2}") LINE("pop {r7, r10}")
                     : "+r"(r0), "+r"(r1), "+r"(r2)
                     : PIXELS_OFFSET(multipliers), PIXELS_OFFSET(zero), PIXELS_OFFSET(high), PIXELS_OFFSET(y),
                       PIXELS_OFFSET(y_step)
                     : "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", CHANGED);
}

#if GM_ARCH_HELIUM
#define narrow_bytes_of_sums bytes_of_sums /* not called: this form is for what helium/depthwise_s8.c leaves */
#else
__attribute__((noinline)) static void narrow_bytes_of_sums(gm_depthwise_pixels *pixels, const uint32_t *sums, uint32_t n)
{
    register uintptr_t r0 __asm__("r0") = (uintptr_t)pixels;
    register uintptr_t r1 __asm__("r1") = (uintptr_t)sums;
    register uintptr_t r2 __asm__("r2") = n;
    __asm__ volatile(LINE("push {r0, r7}") LINE("mov r8, r0") LINE("mov r12, r1") START_BYTES
                     LINE("mov r11, r10") LINE("mov r10, r2")
                     PIXELS_FIELD(r9, zero) START_NARROW_BYTES(r9, r1)
                     PIXELS_FIELD(lr, y) PIXELS_FIELD(r8, y_step)
                     "1:\n\t"
                     LINE("vldmia r12!, {s0-s7}") EACH_SUM_OF_8(SUM_TO_FLOAT) EACH_SUM_OF_8(TIMES_MULTIPLIER)
                     LINE("cmp r11, #0") LINE("beq 2f")
                     WITH_OFFSETS PLUS(s4, s12) PLUS(s5, s13) PLUS(s6, s14) PLUS(s7, s15)
                     "2:\n\t"
                     EACH_SUM_OF_8(TO_NARROW) FLOATS_TO_SUMS
                     NARROW_TO_BYTES(r0, r1, r2, r3) NARROW_TO_BYTES(r4, r5, r6, r7)
                     LINE("str r0, [lr]") LINE("subs r10, #2")
                     LINE("it pl") LINE("strpl r4, [lr, r8]") LINE("add lr, lr, r8, lsl #1") LINE("bgt 1b")
                     LINE("pop {r0, r7}")
                     : "+r"(r0), "+r"(r1), "+r"(r2)
                     : PIXELS_OFFSET(multipliers), PIXELS_OFFSET(zero), PIXELS_OFFSET(y), PIXELS_OFFSET(y_step)
                     : "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", CHANGED);
}
#endif

static void bytes_of_3_by_3(gm_depthwise_pixels *pixels)
{
    uint8_t *y = pixels->y;
    for (uint32_t n; pixels->left > 0; pixels->left -= n, y += n * pixels->y_step) {
        n = pixels->left < pixels->sums_outputs ? pixels->left : pixels->sums_outputs;
        gm_depthwise_3x3_sums(pixels, n, pixels->sums);
        pixels->y = y;
        (pixels->is_narrow ? narrow_bytes_of_sums : bytes_of_sums)(pixels, pixels->sums, n);
    }
}

void gm_depthwise_row(gm_depthwise_pixels *pixels, uint32_t rows, uint32_t columns)
{
    if (rows == 3 && columns == 3 && pixels->sums) {
        bytes_of_3_by_3(pixels);
        return;
    }
    (rows == 5 ? bytes_of_5_rows : rows == 7 ? bytes_of_7_rows : bytes_of_any_rows)(pixels);
}

void gm_depthwise_sums(gm_depthwise_pixels *pixels, uint32_t rows, uint32_t columns)
{
    if (rows == 3 && columns == 3 && pixels->sums) {
        gm_depthwise_3x3_sums_from_0(pixels);
        return;
    }
    (rows == 5 ? sums_of_5_rows : rows == 7 ? sums_of_7_rows : sums_of_any_rows)(pixels);
}

#endif
