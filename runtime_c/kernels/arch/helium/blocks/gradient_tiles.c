/* Tiles of gradient_tiles.h with Helium. */
#include "../../arm_m/blocks/gradient_tiles.h"

#include "../helium.h"
#include "pairs.h"

#if GM_ARCH_CONV_GRAD_X_S16 && GM_ARCH_HELIUM

#define HELIUM_TILES_OFFSET(member) [member] "i"(offsetof(gm_gradient_tiles, member))

#define HELIUM_MASK                                                                             \
    HELIUM_END_PAIRS                                                                            \
    LINE("ldrd r3, r5, [r1, %[q]]") LINE("ldr r7, [r1, %[q_step]]")                             \
    LINE("vldrb.s32 q2, [r3]") LINE("vldrb.s32 q3, [r5]")                                       \
    LINE("add r3, r7") LINE("add r5, r7") LINE("strd r3, r5, [r1, %[q]]")                       \
    LINE("ldrd r3, r5, [r1, %[least]]") LINE("sxtb r3, r3") LINE("sxtb r5, r5")                 \
    LINE("vmov.i32 q4, #0")                                                                     \
    HELIUM_MASK_ROW(q0, q2) HELIUM_MASK_ROW(q1, q3)

/* q6: the largest values of four columns */
#define HELIUM_SCALE_AND_SEE                                                                    \
    LINE("ldrd r3, r5, [r1, %[scale]]") LINE("vldrw.u32 q4, [r3]")                              \
    LINE("add r3, r5") LINE("str r3, [r1, %[scale]]")                                           \
    LINE("ldr r5, [r1, %[factor]]") LINE("vmul.f32 q4, q4, r5")                                 \
    LINE("vcvt.f32.s32 q0, q0") LINE("vcvt.f32.s32 q1, q1")                                     \
    HELIUM_BOTH_ROWS("vmul.f32", "q4")                                                          \
    LINE("vmaxnma.f32 q6, q0") LINE("vmaxnma.f32 q6, q1")
#define HELIUM_STORE_GRADIENTS                                                                  \
    LINE("ldrsh r3, [r1, %[limits]]") LINE("vdup.32 q2, r3")                                    \
    LINE("rsb r3, r3, #0") LINE("vdup.32 q3, r3")                                               \
    LINE("vcvtn.s32.f32 q0, q0") LINE("vcvtn.s32.f32 q1, q1")                                   \
    HELIUM_BOTH_ROWS("vmin.s32", "q2")                                                          \
    HELIUM_BOTH_ROWS("vmax.s32", "q3")                                                          \
    LINE("ldrd r3, r5, [r1, %[dx]]")                                                            \
    LINE("vstrh.32 q0, [r3], #8") LINE("vstrh.32 q1, [r5], #8")                                 \
    LINE("strd r3, r5, [r1, %[dx]]")

__attribute__((noinline)) void gm_make_gradient_tiles(gm_gradient_tiles *tiles)
{
    register uintptr_t r0 __asm__("r0") = (uintptr_t)tiles;
    __asm__ volatile(HELIUM
                     LINE("push {r0, r7}")
                     LINE("ldr r1, [r0, %[largest]]") LINE("lsl r1, #16") LINE("vdup.32 q6, r1")
                     "1:\n\t"
                     HELIUM_START_PAIRS
                     HELIUM_PAIR_PRODUCT
                     HELIUM_MASK
                     HELIUM_SCALE_AND_SEE
                     HELIUM_STORE_GRADIENTS
                     LINE("ldr r3, [r1, %[tiles]]")
                     LINE("subs r3, #1")
                     LINE("str r3, [r1, %[tiles]]")
                     LINE("bne 1b")
                     LINE("vmaxnmav.f32 r3, q6")
                     LINE("lsr r3, #16") LINE("orr r3, r3, r3, lsl #16") LINE("str r3, [r1, %[largest]]")
                     LINE("pop {r0, r7}")
                     : "+r"(r0)
                     : HELIUM_TILES_OFFSET(a), HELIUM_TILES_OFFSET(b), HELIUM_TILES_OFFSET(fours_bytes), HELIUM_TILES_OFFSET(q),
                       HELIUM_TILES_OFFSET(q_step), HELIUM_TILES_OFFSET(least), HELIUM_TILES_OFFSET(scale), HELIUM_TILES_OFFSET(factor),
                       HELIUM_TILES_OFFSET(largest), HELIUM_TILES_OFFSET(limits), HELIUM_TILES_OFFSET(dx), HELIUM_TILES_OFFSET(tiles)
                     : HELIUM_PRODUCT_CHANGES);
}

#endif
