/* Tiles and panels of byte_tiles.h. */
#include "../../../../generated/instructions/conv_s8.h"
#include "byte_tiles.h"

#include "../helium.h"
#include "pairs.h"

#if GM_WITH_CONV_S8 && GM_ARCH_PAIRS && GM_ARCH_HELIUM

/* ---- Tiles ----------------------------------------------------------------------------------- */

/*
 * 16 machine instructions for 128 products, and 34 for the 8 outputs of a tile.
 *
 *     r0, r2, r4, r6     sums of the first row      r1, r5  rows      q0, q1  16 numbers of each
 *     r8, r10, r12, lr   sums of the second row     r3      panel     q2      16 numbers of a column
 *     r7                 tiles that are left        r9      end       q3, q4  multipliers, offsets
 *     r11                the struct                                   q5-q7   zero, low, high
 */
#define BYTE_TILES_OFFSET(member) [member] "i"(offsetof(gm_byte_tiles, member))
#define BYTE_COLUMN(s, t)                                                                       \
    LINE("vldrb.u8 q2, [r3], #16")                                                              \
    LINE("vmladava.s8 " #s ", q0, q2") LINE("vmladava.s8 " #t ", q1, q2")
#define BYTE_COLUMNS BYTE_COLUMN(r0, r8) BYTE_COLUMN(r2, r10) BYTE_COLUMN(r4, r12) BYTE_COLUMN(r6, lr)

#define BYTE_START                                                                              \
    LINE("ldrd r0, r2, [r3], #8") LINE("ldrd r4, r6, [r3], #8")                                 \
    LINE("mov r8, r0") LINE("mov r10, r2") LINE("mov r12, r4") LINE("mov lr, r6")               \
    LINE("vldrw.u32 q3, [r3], #16") LINE("vldrw.u32 q4, [r3], #16")                             \
    LINE("ldrd r1, r5, [r11, %[a]]") LINE("ldr r9, [r11, %[sixteens_end]]")

/* Values after the end of a row are not loaded, and count as 0. */
#define BYTE_PRODUCT                                                                            \
    LINE("cmp r1, r9") LINE("beq 3f")                                                           \
    "2:\n\t"                                                                                    \
    LINE("vldrb.u8 q0, [r1], #16") LINE("vldrb.u8 q1, [r5], #16")                               \
    BYTE_COLUMNS                                                                                \
    LINE("cmp r1, r9") LINE("bne 2b")                                                           \
    "3:\n\t"                                                                                    \
    LINE("ldr r9, [r11, %[rest]]") LINE("cmp r9, #0") LINE("beq 4f")                            \
    LINE("vctp.8 r9") LINE("vpstt") LINE("vldrbt.u8 q0, [r1]") LINE("vldrbt.u8 q1, [r5]")       \
    BYTE_COLUMNS                                                                                \
    "4:\n\t"

/* A subnormal multiplier or offset becomes 0, which rounds to the same. */
#define BYTE_OUTPUTS                                                                                          \
    HELIUM_SUMS_OF_ROWS                                                                                       \
    LINE("vcvt.f32.s32 q0, q0") LINE("vcvt.f32.s32 q1, q1")                                                   \
    HELIUM_BOTH_ROWS("vmul.f32", "q3") HELIUM_BOTH_ROWS("vadd.f32", "q4")                                     \
    LINE("vcvtn.s32.f32 q0, q0") LINE("vcvtn.s32.f32 q1, q1")                                                 \
    HELIUM_BOTH_ROWS("vqadd.s32", "q5") HELIUM_BOTH_ROWS("vmax.s32", "q6") HELIUM_BOTH_ROWS("vmin.s32", "q7") \
    LINE("ldrd r1, r5, [r11, %[y]]")                                                                          \
    LINE("vstrb.32 q0, [r1], #4") LINE("vstrb.32 q1, [r5], #4")                                               \
    LINE("strd r1, r5, [r11, %[y]]")

__attribute__((noinline)) void gm_make_byte_tiles(gm_byte_tiles *tiles)
{
    register uintptr_t r0 __asm__("r0") = (uintptr_t)tiles;
    __asm__ volatile(HELIUM
                     LINE("push {r0, r7}")
                     LINE("mov r11, r0") LINE("ldrd r3, r7, [r11, %[b]]")
                     LINE("ldr r1, [r11, %[zero]]") LINE("vdup.32 q5, r1")
                     LINE("ldr r1, [r11, %[low]]") LINE("vdup.32 q6, r1")
                     LINE("ldr r1, [r11, %[high]]") LINE("vdup.32 q7, r1")
                     "1:\n\t"
                     BYTE_START
                     BYTE_PRODUCT
                     BYTE_OUTPUTS
                     LINE("subs r7, #1")
                     LINE("bne 1b")
                     LINE("str r3, [r11, %[b]]")
                     LINE("pop {r0, r7}")
                     : "+r"(r0)
                     : BYTE_TILES_OFFSET(a), BYTE_TILES_OFFSET(sixteens_end), BYTE_TILES_OFFSET(rest), BYTE_TILES_OFFSET(b),
                       BYTE_TILES_OFFSET(y), BYTE_TILES_OFFSET(zero), BYTE_TILES_OFFSET(low), BYTE_TILES_OFFSET(high)
                     : HELIUM_PRODUCT_CHANGES);
}

/* ---- Panels ---------------------------------------------------------------------------------- */

__attribute__((noinline)) int32_t gm_byte_column(int8_t *to, const int8_t *from, uint32_t n)
{
    register int32_t sum __asm__("r4") = 0;
    __asm__ volatile(HELIUM
                     "1:\n\t"
                     LINE("vctp.8 %[n]") LINE("vpst") LINE("vldrbt.u8 q0, [%[from]], #16")
                     LINE("vaddva.s8 %[sum], q0")
                     LINE("vstrb.8 q0, [%[to]]") LINE("add %[to], #64")
                     LINE("subs %[n], #16") LINE("bhi 1b")
                     : [sum] "+r"(sum), [to] "+r"(to), [from] "+r"(from), [n] "+r"(n)
                     :
                     : CHANGED);
    return sum;
}

#endif
