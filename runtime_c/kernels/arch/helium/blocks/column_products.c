/* Products of column_products.h. */
#include "column_products.h"

#include "../helium.h"
#include "pairs.h"

#if GM_ARCH_PAIRS && GM_ARCH_HELIUM

/*
 * 16 machine instructions for 8 columns of four channels under a tap.
 *
 *     r0, r2, r4, r6     sums            r1   inputs      q0-q3  8 columns of each channel
 *     r7                 taps left       r5   gradients   q4-q7  their gradients
 *     r9, r10            sums, step      r3   inputs of these columns, r8 times, r11 the struct
 */
#define COLUMN_PRODUCTS_OFFSET(member) [member] "i"(offsetof(gm_column_products, member))
#define COLUMN_GRADIENTS                                                                        \
    LOAD_PARTED("16", "q4, q5, q6, q7", "r5", "!")
#define COLUMN_TAP                                                                              \
    LINE("ldrd r0, r2, [r9]") LINE("ldrd r4, r6, [r9, #8]")                                     \
    LOAD_PARTED("16", "q0, q1, q2, q3", "r1", "")                                               \
    LINE("add r1, #8")                                                                          \
    LINE("vmladava.s16 r0, q0, q4") LINE("vmladava.s16 r2, q1, q5")                             \
    LINE("vmladava.s16 r4, q2, q6") LINE("vmladava.s16 r6, q3, q7")                             \
    LINE("strd r0, r2, [r9]") LINE("strd r4, r6, [r9, #8]") LINE("add r9, r10")

__attribute__((noinline)) void gm_add_column_products(const gm_column_products *products)
{
    register uintptr_t r0 __asm__("r0") = (uintptr_t)products;
    __asm__ volatile(HELIUM
                     LINE("push {r0, r7}")
                     LINE("mov r11, r0")
                     LINE("ldrd r3, r5, [r11, %[x]]") LINE("ldr r8, [r11, %[times]]")
                     "1:\n\t"
                     COLUMN_GRADIENTS
                     LINE("mov r1, r3") LINE("add r3, #64")
                     LINE("ldrd r9, r10, [r11, %[sums]]") LINE("ldr r7, [r11, %[taps]]")
                     "2:\n\t"
                     COLUMN_TAP
                     LINE("subs r7, #1") LINE("bne 2b")
                     LINE("subs r8, #1") LINE("bne 1b")
                     LINE("pop {r0, r7}")
                     : "+r"(r0)
                     : COLUMN_PRODUCTS_OFFSET(x), COLUMN_PRODUCTS_OFFSET(sums), COLUMN_PRODUCTS_OFFSET(taps),
                       COLUMN_PRODUCTS_OFFSET(times)
                     : HELIUM_PRODUCT_CHANGES);
}

__attribute__((noinline)) void gm_widen_columns(int16_t *to, const int8_t *from, uint32_t n, uint32_t step,
                                                uint32_t to_step, int32_t zero)
{
    __asm__ volatile(HELIUM
                     LINE("wls lr, %[n], 2f")
                     "1:\n\t"
                     LINE("vldrb.s32 q0, [%[from]]") LINE("add %[from], %[step]")
                     LINE("vadd.i32 q0, q0, %[minus_zero]")
                     LINE("vstrh.32 q0, [%[to]]") LINE("add %[to], %[to_step]")
                     LINE("le lr, 1b")
                     "2:\n\t"
                     : [to] "+l"(to), [from] "+l"(from)
                     : [n] "r"(n), [step] "r"(step), [to_step] "r"(to_step * (uint32_t)sizeof *to), [minus_zero] "r"(-zero)
                     : "lr", CHANGED);
}

#endif
