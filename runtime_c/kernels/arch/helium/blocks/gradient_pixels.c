/* Gradients of gradient_pixels.h. */
#include "gradient_pixels.h"

#include "../helium.h"
#include "pairs.h"

#if GM_ARCH_CONV_GRAD_X_S16 && GM_ARCH_HELIUM

/*
 * 22 machine instructions for 8 taps of two inputs of four channels, and 67 to finish these.
 *
 *     r0, r2, r4, r6     sums of the first input      r1, r5  windows    q0-q3  8 taps of each channel
 *     r8, r10, r12, lr   sums of the second           r3, r9  weights    q4-q7  their weights
 *     r7                 pairs that are left          r11     the struct
 */
#define GRADIENT_PIXELS_OFFSET(member) [member] "i"(offsetof(gm_gradient_pixels, member))
#define GRADIENT_PIXELS_START                                                                   \
    HELIUM_EMPTY_SUMS                                                                           \
    LINE("ldrd r1, r3, [r11, %[dy]]")                                                           \
    LINE("add r5, r1, r3") LINE("add r3, r5") LINE("str r3, [r11, %[dy]]")                      \
    LINE("ldrd r3, r9, [r11, %[w]]")

#define EIGHT_TAPS(x, a, b, c, d)                                                               \
    LOAD_PARTED("16", "q0, q1, q2, q3", #x, "!")                                                     \
    LINE("vmladava.s16 " #a ", q0, q4") LINE("vmladava.s16 " #b ", q1, q5")                     \
    LINE("vmladava.s16 " #c ", q2, q6") LINE("vmladava.s16 " #d ", q3, q7")
#define GRADIENT_PIXELS_PRODUCT                                                                 \
    "2:\n\t"                                                                                    \
    LINE("vldrb.s16 q4, [r3], #8") LINE("vldrb.s16 q5, [r3], #8")                               \
    LINE("vldrb.s16 q6, [r3], #8") LINE("vldrb.s16 q7, [r3], #8")                               \
    EIGHT_TAPS(r1, r0, r2, r4, r6) EIGHT_TAPS(r5, r8, r10, r12, lr)                             \
    LINE("cmp r3, r9") LINE("bne 2b")

#define GRADIENT_PIXELS_MASK                                                                    \
    HELIUM_SUMS_OF_ROWS                                                                         \
    LINE("ldrd r1, r3, [r11, %[q]]")                                                            \
    LINE("vldrb.s32 q2, [r1]") LINE("add r1, r3") LINE("vldrb.s32 q3, [r1]") LINE("add r1, r3") \
    LINE("str r1, [r11, %[q]]")                                                                 \
    LINE("ldrd r3, r5, [r11, %[least]]") LINE("vmov.i32 q4, #0")                                \
    HELIUM_MASK_ROW(q0, q2) HELIUM_MASK_ROW(q1, q3)

#define GRADIENT_PIXELS_SCALE                                                                   \
    LINE("vldrw.u32 q2, [r11, %[scale]]") LINE("vldrw.u32 q3, [r11, %[largest]]")               \
    LINE("vcvt.f32.s32 q0, q0") LINE("vcvt.f32.s32 q1, q1") HELIUM_BOTH_ROWS("vmul.f32", "q2")  \
    LINE("vmaxnma.f32 q3, q0") LINE("vmaxnma.f32 q3, q1") LINE("vstrw.32 q3, [r11, %[largest]]")
#define GRADIENT_PIXELS_STORE                                                                   \
    LINE("vcvtn.s32.f32 q0, q0") LINE("vcvtn.s32.f32 q1, q1")                                   \
    LINE("vldrw.u32 q2, [r11, %[limits]]") HELIUM_BOTH_ROWS("vmin.s32", "q2")                   \
    LINE("vldrw.u32 q2, [r11, %[minus_limits]]") HELIUM_BOTH_ROWS("vmax.s32", "q2")             \
    LINE("ldrd r1, r3, [r11, %[dx]]")                                                           \
    LINE("vstrh.32 q0, [r1]") LINE("add r1, r3") LINE("vstrh.32 q1, [r1]") LINE("add r1, r3")   \
    LINE("str r1, [r11, %[dx]]")

__attribute__((noinline)) void gm_make_gradient_pixels(gm_gradient_pixels *pixels)
{
    register uintptr_t r0 __asm__("r0") = (uintptr_t)pixels;
    __asm__ volatile(HELIUM
                     LINE("push {r0, r7}")
                     LINE("mov r11, r0") LINE("ldr r7, [r11, %[pairs]]")
                     "1:\n\t"
                     GRADIENT_PIXELS_START
                     GRADIENT_PIXELS_PRODUCT
                     GRADIENT_PIXELS_MASK
                     GRADIENT_PIXELS_SCALE
                     GRADIENT_PIXELS_STORE
                     LINE("subs r7, #1")
                     LINE("bne 1b")
                     LINE("pop {r0, r7}")
                     : "+r"(r0)
                     : GRADIENT_PIXELS_OFFSET(dy), GRADIENT_PIXELS_OFFSET(w), GRADIENT_PIXELS_OFFSET(q),
                       GRADIENT_PIXELS_OFFSET(least), GRADIENT_PIXELS_OFFSET(dx), GRADIENT_PIXELS_OFFSET(pairs),
                       GRADIENT_PIXELS_OFFSET(scale), GRADIENT_PIXELS_OFFSET(largest), GRADIENT_PIXELS_OFFSET(limits),
                       GRADIENT_PIXELS_OFFSET(minus_limits)
                     : HELIUM_PRODUCT_CHANGES);
}

#endif
