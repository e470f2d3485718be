/* Tiles of requantize.h with Helium. */
#include "../../arm_m/blocks/requantize.h"

#include "../helium.h"
#include "pairs.h"

#if GM_ARCH_PAIRS && GM_ARCH_HELIUM

#define HELIUM_OUTPUTS_OFFSET(member) [member] "i"(offsetof(gm_pair_outputs, member))

/* A subnormal multiplier or offset becomes 0, which rounds to the same. */
#define HELIUM_SCALE_SUMS                                                                       \
    HELIUM_END_PAIRS                                                                            \
    LINE("ldrd r3, r5, [r1, %[bias]]") LINE("vldrw.u32 q4, [r3]")                               \
    LINE("add r3, r5") LINE("str r3, [r1, %[bias]]")                                            \
    HELIUM_BOTH_ROWS("vadd.i32", "q4")                                                          \
    LINE("ldrd r3, r5, [r1, %[multipliers]]") LINE("vldrw.u32 q4, [r3], #16")                   \
    LINE("vcvt.f32.s32 q0, q0") LINE("vcvt.f32.s32 q1, q1")                                     \
    HELIUM_BOTH_ROWS("vmul.f32", "q4")                                                          \
    LINE("cmp r5, #0") LINE("beq 2f")                                                           \
    LINE("vldrw.u32 q4, [r5], #16") HELIUM_BOTH_ROWS("vadd.f32", "q4")                          \
    "2:\n\t"                                                                                    \
    LINE("strd r3, r5, [r1, %[multipliers]]")
#define HELIUM_STORE_OUTPUTS                                                                    \
    LINE("vcvtn.s32.f32 q0, q0") LINE("vcvtn.s32.f32 q1, q1")                                   \
    LINE("ldrsh r3, [r1, %[zero]]") HELIUM_BOTH_ROWS("vqadd.s32", "r3")                         \
    LINE("ldrsb r3, [r1, %[low]]") LINE("vdup.32 q2, r3") HELIUM_BOTH_ROWS("vmax.s32", "q2")    \
    LINE("ldrsb r3, [r1, %[high]]") LINE("vdup.32 q2, r3") HELIUM_BOTH_ROWS("vmin.s32", "q2")   \
    LINE("ldrd r3, r5, [r1, %[y]]")                                                             \
    LINE("vstrb.32 q0, [r3], #4") LINE("vstrb.32 q1, [r5], #4")                                 \
    LINE("strd r3, r5, [r1, %[y]]")

__attribute__((noinline)) void gm_pair_requantize(gm_pair_outputs *outputs)
{
    register uintptr_t r0 __asm__("r0") = (uintptr_t)outputs;
    __asm__ volatile(HELIUM
                     LINE("push {r0, r7}")
                     "1:\n\t"
                     HELIUM_START_PAIRS
                     HELIUM_PAIR_PRODUCT
                     HELIUM_SCALE_SUMS
                     HELIUM_STORE_OUTPUTS
                     LINE("ldr r3, [r1, %[tiles]]")
                     LINE("subs r3, #1")
                     LINE("str r3, [r1, %[tiles]]")
                     LINE("bne 1b")
                     LINE("pop {r0, r7}")
                     : "+r"(r0)
                     : HELIUM_OUTPUTS_OFFSET(a), HELIUM_OUTPUTS_OFFSET(b), HELIUM_OUTPUTS_OFFSET(fours_bytes), HELIUM_OUTPUTS_OFFSET(bias),
                       HELIUM_OUTPUTS_OFFSET(multipliers), HELIUM_OUTPUTS_OFFSET(y), HELIUM_OUTPUTS_OFFSET(zero), HELIUM_OUTPUTS_OFFSET(low),
                       HELIUM_OUTPUTS_OFFSET(high), HELIUM_OUTPUTS_OFFSET(tiles)
                     : HELIUM_PRODUCT_CHANGES);
}

#endif
