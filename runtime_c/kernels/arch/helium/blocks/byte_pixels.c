/* Outputs of byte_pixels.h. */
#include "../../../../generated/instructions/conv_s8.h"
#include "byte_pixels.h"

#include "../helium.h"
#include "pairs.h"

#if GM_WITH_CONV_S8 && GM_ARCH_PAIRS && GM_ARCH_HELIUM

/*
 * 22 machine instructions for 16 taps of two outputs of four channels, and 42 to finish these.
 *
 *     r0, r2, r4, r6     sums of the first output     r1, r5  windows    q0-q3  16 taps of each channel
 *     r8, r10, r12, lr   sums of the second           r3, r9  weights    q4-q7  their weights
 *     r7                 outputs that are left        r11     the struct
 */
#define PIXEL_PAIRS_OFFSET(member) [member] "i"(offsetof(gm_byte_pixels, member))
#define PIXEL_PAIRS_START                                                                       \
    LINE("ldrd r0, r2, [r11, %[channels]]") LINE("ldrd r4, r6, [r11, %[channels] + 8]")         \
    LINE("ldrd r8, r10, [r11, %[channels]]") LINE("ldrd r12, lr, [r11, %[channels] + 8]")       \
    LINE("ldrd r1, r3, [r11, %[x]]")                                                            \
    LINE("add r5, r1, r3") LINE("add r3, r5") LINE("str r3, [r11, %[x]]")                       \
    LINE("ldrd r3, r9, [r11, %[w]]")

#define SIXTEEN_TAPS(x, a, b, c, d)                                                             \
    LOAD_PARTED("8", "q0, q1, q2, q3", #x, "!")                                                      \
    LINE("vmladava.s8 " #a ", q0, q4") LINE("vmladava.s8 " #b ", q1, q5")                       \
    LINE("vmladava.s8 " #c ", q2, q6") LINE("vmladava.s8 " #d ", q3, q7")
#define PIXEL_PAIRS_PRODUCT                                                                     \
    "2:\n\t"                                                                                    \
    LINE("vldrb.u8 q4, [r3], #16") LINE("vldrb.u8 q5, [r3], #16")                               \
    LINE("vldrb.u8 q6, [r3], #16") LINE("vldrb.u8 q7, [r3], #16")                               \
    SIXTEEN_TAPS(r1, r0, r2, r4, r6) SIXTEEN_TAPS(r5, r8, r10, r12, lr)                         \
    LINE("cmp r3, r9") LINE("bne 2b")

/* A subnormal multiplier or offset becomes 0, which rounds to the same. */
#define PIXEL_PAIRS_OUTPUTS                                                                     \
    HELIUM_SUMS_OF_ROWS                                                                         \
    LINE("vcvt.f32.s32 q0, q0") LINE("vcvt.f32.s32 q1, q1")                                     \
    LINE("vldrw.u32 q2, [r11, %[channels] + 16]") HELIUM_BOTH_ROWS("vmul.f32", "q2")            \
    LINE("vldrw.u32 q2, [r11, %[channels] + 32]") HELIUM_BOTH_ROWS("vadd.f32", "q2")            \
    LINE("vcvtn.s32.f32 q0, q0") LINE("vcvtn.s32.f32 q1, q1")                                   \
    LINE("ldr r3, [r11, %[zero]]") HELIUM_BOTH_ROWS("vqadd.s32", "r3")                          \
    LINE("vldrw.u32 q2, [r11, %[low]]") HELIUM_BOTH_ROWS("vmax.s32", "q2")                      \
    LINE("vldrw.u32 q2, [r11, %[high]]") HELIUM_BOTH_ROWS("vmin.s32", "q2")                     \
    LINE("ldrd r1, r3, [r11, %[y]]")                                                            \
    LINE("vstrb.32 q0, [r1]") LINE("add r1, r3")                                                \
    LINE("cmp r7, #1") LINE("beq 3f")                                                           \
    LINE("vstrb.32 q1, [r1]") LINE("add r1, r3") LINE("str r1, [r11, %[y]]")                    \
    LINE("subs r7, #2")

__attribute__((noinline)) void gm_make_byte_pixels(gm_byte_pixels *pixels)
{
    register uintptr_t r0 __asm__("r0") = (uintptr_t)pixels;
    __asm__ volatile(HELIUM
                     LINE("push {r0, r7}")
                     LINE("mov r11, r0") LINE("ldr r7, [r11, %[left]]")
                     "1:\n\t"
                     PIXEL_PAIRS_START
                     PIXEL_PAIRS_PRODUCT
                     PIXEL_PAIRS_OUTPUTS
                     LINE("bne 1b")
                     "3:\n\t"
                     LINE("pop {r0, r7}")
                     : "+r"(r0)
                     : PIXEL_PAIRS_OFFSET(x), PIXEL_PAIRS_OFFSET(w), PIXEL_PAIRS_OFFSET(y), PIXEL_PAIRS_OFFSET(left),
                       PIXEL_PAIRS_OFFSET(zero), PIXEL_PAIRS_OFFSET(channels), PIXEL_PAIRS_OFFSET(low), PIXEL_PAIRS_OFFSET(high)
                     : HELIUM_PRODUCT_CHANGES);
}

#endif
