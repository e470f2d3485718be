/*
 * gm_soft_run() for Cortex-M3, and for M4 and M33 without FPU: 46 machine instructions a product, where the compiler's
 * floating point takes 70 to 100. It does what soft_sum.h has in C.
 */
#include "../arch.h"
#include "soft_products.h"

#if GM_ARCH_SOFT_FLOAT && SOFT_RUN_IN_ASSEMBLY

#define LINE(text) text "\n\t"

/*
 *     r1  mantissa of the sum          r9   what SOFT_SIZE() adds
 *     r2  its exponent                 r10  factor a; the product's mantissa
 *     r3  a                            r11  factor b
 *     r4  b                            r12  size of a; the product's exponent
 *     r5  count                        r0   size of b; the product's sign
 *     r6  step of a                    lr   the product's lower half; what is shifted
 *     r8  step of b                    r7   the frame pointer, where the compiler wants one
 */
void gm_soft_run(soft_run *run)
{
    __asm__ volatile(
        LINE("ldr r0, %[run]")
        LINE("ldm r0, {r1-r6, r8}")
        LINE("mov r9, %[least]")
        LINE("cmp r5, #0")
        LINE("beq 0f")

        "1:\n\t"                                    /* the factors, and whether both are of ordinary size */
        LINE("ldr r10, [r3]")
        LINE("ldr r11, [r4]")
        LINE("add r12, r9, r10, lsl #1")
        LINE("add r0, r9, r11, lsl #1")
        LINE("orr lr, r12, r0")
        LINE("cmp lr, #0x40000000")
        LINE("bhs 7f")
        LINE("lsr r12, r12, #24")
        LINE("add r12, r12, r0, lsr #24")
        LINE("eor r0, r10, r11")
        LINE("ubfx r11, r11, #0, #23")
        LINE("orr r11, r11, #0x800000")
        LINE("lsl r10, r10, #8")
        LINE("orr r10, r10, #0x80000000")
        LINE("umull lr, r10, r10, r11")
        LINE("lsrs r11, r10, #23")                  /* 23 or 24 bits before the point */
        LINE("bne 2f")
        LINE("adds lr, lr, lr")
        LINE("adc r10, r10, r10")
        LINE("sub r12, r12, #1")
        "2:\n\t"                                    /* rounded, ties to even; then with its sign */
        LINE("cmp lr, #0x80000000")
        LINE("adc r10, r10, #0")
        LINE("it eq")
        LINE("biceq r10, r10, #1")
        LINE("eor r10, r10, r0, asr #31")
        LINE("add r10, r10, r0, lsr #31")
        LINE("subs lr, r2, r12")
        LINE("blt 4f")
        LINE("rsbs r11, lr, #4")                    /* the sum has the larger exponent, or both the same */
        LINE("bmi 3f")
        LINE("lsl r11, r10, r11")
        LINE("adds r1, r11, r1, lsl #4")
        LINE("bne 6f")
        LINE("mov r2, %[plus_zero]")
        LINE("b 8f")
        "3:\n\t"                                    /* the product is so small that bits of it are lost */
        LINE("rsb r11, r11, #0")
        LINE("cmp r11, #23")
        LINE("bgt 8f")
        LINE("asr lr, r10, r11")
        LINE("lsl r11, lr, r11")
        LINE("cmp r11, r10")
        LINE("it ne")
        LINE("orrne lr, lr, #1")
        LINE("add r1, lr, r1, lsl #4")
        LINE("b 6f")
        "4:\n\t"                                    /* the product has the larger exponent */
        LINE("mov r2, r12")
        LINE("adds r11, lr, #4")
        LINE("bmi 5f")
        LINE("lsl r11, r1, r11")
        LINE("adds r1, r11, r10, lsl #4")
        LINE("bne 6f")
        LINE("mov r2, %[plus_zero]")
        LINE("b 8f")
        "5:\n\t"                                    /* the sum is so small that bits of it are lost, or it is zero */
        LINE("rsb r11, r11, #0")
        LINE("asr lr, r1, r11")
        LINE("lsl r11, lr, r11")
        LINE("cmp r11, r1")
        LINE("it ne")
        LINE("orrne lr, lr, #1")
        LINE("add r1, lr, r10, lsl #4")
        "6:\n\t"                                    /* normalized and rounded */
        LINE("eor r11, r1, r1, asr #31")
        LINE("clz r11, r11")
        LINE("sub r11, r11, #2")
        LINE("lsl r1, r1, r11")
        LINE("sub r2, r2, r11")
        LINE("add r2, r2, #2")
        LINE("ubfx r11, r1, #6, #1")
        LINE("add r1, r1, #0x1f")
        LINE("add r1, r1, r11")
        LINE("asr r1, r1, #6")
        "8:\n\t"
        LINE("add r3, r3, r6")
        LINE("add r4, r4, r8")
        LINE("subs r5, r5, #1")
        LINE("bne 1b")
        "0:\n\t"                                    /* the next turn */
        LINE("ldr r0, %[run]")
        LINE("ldr lr, [r0, #28]")
        LINE("subs lr, lr, #1")
        LINE("blo 9f")
        LINE("str lr, [r0, #28]")
        LINE("add r0, r0, #32")
        LINE("ldm r0, {r5, r10, r11}")
        LINE("add r3, r3, r10")
        LINE("add r4, r4, r11")
        LINE("b 1b")
        "9:\n\t"
        LINE("ldr r0, %[run]")
        LINE("stm r0, {r1-r5}")
        LINE("b 10f")

        "7:\n\t"                                    /* a product of zero and a finite number, or one to stop at */
        LINE("lsl lr, r11, #1")
        LINE("lsls r12, r10, #1")
        LINE("ite eq")
        LINE("moveq r12, lr")                       /* twice the other factor, where one is zero */
        LINE("cmpne lr, #0")
        LINE("bne 9b")
        LINE("cmp r12, #0xff000000")
        LINE("bhs 9b")
        LINE("cmp r1, #0")
        LINE("bne 8b")
        LINE("eors r0, r10, r11")
        LINE("it pl")
        LINE("movpl r2, %[plus_zero]")
        LINE("b 8b")
        "10:\n\t"
        :
        : [run] "m"(run), [least] "i"(-(int32_t)(SOFT_LEAST_EXPONENT << 24)), [plus_zero] "i"(SOFT_PLUS_ZERO)
        : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "cc", "memory");
}

#endif
