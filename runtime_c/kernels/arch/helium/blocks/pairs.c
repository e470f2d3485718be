/* The tile of pairs.h. */
#include "pairs.h"

#include "../../arm_m/blocks/pairs.h"
#include "../helium.h"

#if GM_ARCH_PAIRS && GM_ARCH_HELIUM

#define HELIUM_TILE_OFFSET(member) [member] "i"(offsetof(gm_pair_tile, member))

__attribute__((noinline)) void gm_pair_product(gm_pair_tile *tile)
{
    register uintptr_t r0 __asm__("r0") = (uintptr_t)tile;
    __asm__ volatile(HELIUM
                     LINE("push {r0, r7}")
                     LINE("ldrd r1, r3, [r0, %[a]]") LINE("ldrd r9, r5, [r0, %[fours_end]]")
                     LINE("ldrd r12, lr, [r0, #24]") LINE("ldrd r8, r10, [r0, #16]")
                     LINE("ldrd r4, r6, [r0, #8]") LINE("ldrd r0, r2, [r0]")
                     HELIUM_PAIR_PRODUCT
                     LINE("pop {r1, r7}")
                     LINE("strd r0, r2, [r1]") LINE("strd r4, r6, [r1, #8]")
                     LINE("strd r8, r10, [r1, #16]") LINE("strd r12, lr, [r1, #24]")
                     : "+r"(r0)
                     : HELIUM_TILE_OFFSET(a), HELIUM_TILE_OFFSET(fours_end)
                     : HELIUM_PRODUCT_CHANGES);
}

#endif
