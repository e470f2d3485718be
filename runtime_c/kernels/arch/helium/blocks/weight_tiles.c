/* Tiles of weight_tiles.h. */
#include "weight_tiles.h"

#include "../helium.h"
#include "pairs.h"

#if GM_ARCH_PAIRS && GM_ARCH_HELIUM

/* q7: offsets of four columns */
#define WEIGHT_TILES_OFFSET(member) [member] "i"(offsetof(gm_weight_tiles, member))
#define WEIGHT_OFFSETS                                                                          \
    LINE("mov r2, #0") LINE("vidup.u32 q7, r2, #1")                                             \
    LINE("ldr r1, [r0, %[column_bytes]]") LINE("vmul.i32 q7, q7, r1")
#define STORE_WEIGHT_GRADIENTS                                                                  \
    LINE("vcvt.f32.s32 q0, q0") LINE("vcvt.f32.s32 q1, q1")                                     \
    LINE("ldrd r3, r5, [r1, %[factors]]")                                                       \
    LINE("vmul.f32 q0, q0, r3") LINE("vmul.f32 q1, q1, r5")                                     \
    LINE("ldrd r3, r5, [r1, %[y]]") LINE("ldr r7, [r1, %[tile_bytes]]")                         \
    LINE("vstrw.32 q0, [r3, q7]") LINE("vstrw.32 q1, [r5, q7]")                                 \
    LINE("add r3, r7") LINE("add r5, r7") LINE("strd r3, r5, [r1, %[y]]")

__attribute__((noinline)) void gm_make_weight_tiles(gm_weight_tiles *tiles)
{
    register uintptr_t r0 __asm__("r0") = (uintptr_t)tiles;
    __asm__ volatile(HELIUM
                     LINE("push {r0, r7}")
                     WEIGHT_OFFSETS
                     "1:\n\t"
                     HELIUM_START_PAIRS
                     HELIUM_PAIR_PRODUCT
                     HELIUM_END_PAIRS
                     STORE_WEIGHT_GRADIENTS
                     LINE("ldr r3, [r1, %[tiles]]")
                     LINE("subs r3, #1")
                     LINE("str r3, [r1, %[tiles]]")
                     LINE("bne 1b")
                     LINE("pop {r0, r7}")
                     : "+r"(r0)
                     : WEIGHT_TILES_OFFSET(a), WEIGHT_TILES_OFFSET(b), WEIGHT_TILES_OFFSET(fours_bytes),
                       WEIGHT_TILES_OFFSET(factors), WEIGHT_TILES_OFFSET(y), WEIGHT_TILES_OFFSET(column_bytes),
                       WEIGHT_TILES_OFFSET(tile_bytes), WEIGHT_TILES_OFFSET(tiles)
                     : HELIUM_PRODUCT_CHANGES);
}

#endif
