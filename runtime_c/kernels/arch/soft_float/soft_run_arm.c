/*
 * gm_soft_run() for Cortex-M3, and for M4 and M33 without FPU: 46 machine instructions per product;
 * the compiler's floating point takes 70 to 100. It does what soft_sum.h does in C.
 */
#include "../arch.h"
#include "soft_products.h"

#if GM_ARCH_SOFT_FLOAT && SOFT_RUN_IN_ASSEMBLY

#define SOFT_LINE(text) text "\n\t"

/*
 *     r1  mantissa of the sum          r9   what SOFT_SIZE() adds
 *     r2  its exponent                 r10  factor a; the product's mantissa
 *     r3  a                            r11  factor b
 *     r4  b                            r12  size of a; the product's exponent
 *     r5  count                        r0   size of b; the product's sign
 *     r6  step of a                    lr   the product's lower half; what is shifted
 *     r8  step of b                    r7   the frame pointer, if the compiler wants one
 */
void gm_soft_run(soft_run *run)
{
    __asm__ volatile(
        SOFT_LINE("ldr r0, %[run]")
        SOFT_LINE("ldm r0, {r1-r6, r8}")
        SOFT_LINE("mov r9, %[least]")
        SOFT_LINE("cmp r5, #0")
        SOFT_LINE("beq 0f")

        "1:\n\t"                                    /* the factors, and whether both are of ordinary size */
        SOFT_LINE("ldr r10, [r3]")
        SOFT_LINE("ldr r11, [r4]")
        SOFT_LINE("add r12, r9, r10, lsl #1")
        SOFT_LINE("add r0, r9, r11, lsl #1")
        SOFT_LINE("orr lr, r12, r0")
        SOFT_LINE("cmp lr, #0x40000000")
        SOFT_LINE("bhs 7f")
        SOFT_LINE("lsr r12, r12, #24")
        SOFT_LINE("add r12, r12, r0, lsr #24")
        SOFT_LINE("eor r0, r10, r11")
        SOFT_LINE("ubfx r11, r11, #0, #23")
        SOFT_LINE("orr r11, r11, #0x800000")
        SOFT_LINE("lsl r10, r10, #8")
        SOFT_LINE("orr r10, r10, #0x80000000")
        SOFT_LINE("umull lr, r10, r10, r11")
        SOFT_LINE("lsrs r11, r10, #23")                  /* 23 or 24 bits before the point */
        SOFT_LINE("bne 2f")
        SOFT_LINE("adds lr, lr, lr")
        SOFT_LINE("adc r10, r10, r10")
        SOFT_LINE("sub r12, r12, #1")
        "2:\n\t"                                    /* rounded, ties to even; then with its sign */
        SOFT_LINE("cmp lr, #0x80000000")
        SOFT_LINE("adc r10, r10, #0")
        SOFT_LINE("it eq")
        SOFT_LINE("biceq r10, r10, #1")
        SOFT_LINE("eor r10, r10, r0, asr #31")
        SOFT_LINE("add r10, r10, r0, lsr #31")
        SOFT_LINE("subs lr, r2, r12")
        SOFT_LINE("blt 4f")
        SOFT_LINE("rsbs r11, lr, #4")                    /* the sum has the larger exponent, or both the same */
        SOFT_LINE("bmi 3f")
        SOFT_LINE("lsl r11, r10, r11")
        SOFT_LINE("adds r1, r11, r1, lsl #4")
        SOFT_LINE("bne 6f")
        SOFT_LINE("mov r2, %[plus_zero]")
        SOFT_LINE("b 8f")
        "3:\n\t"                                    /* the product is so small that bits of it are lost */
        SOFT_LINE("rsb r11, r11, #0")
        SOFT_LINE("cmp r11, #23")
        SOFT_LINE("bgt 8f")
        SOFT_LINE("asr lr, r10, r11")
        SOFT_LINE("lsl r11, lr, r11")
        SOFT_LINE("cmp r11, r10")
        SOFT_LINE("it ne")
        SOFT_LINE("orrne lr, lr, #1")
        SOFT_LINE("add r1, lr, r1, lsl #4")
        SOFT_LINE("b 6f")
        "4:\n\t"                                    /* the product has the larger exponent */
        SOFT_LINE("mov r2, r12")
        SOFT_LINE("adds r11, lr, #4")
        SOFT_LINE("bmi 5f")
        SOFT_LINE("lsl r11, r1, r11")
        SOFT_LINE("adds r1, r11, r10, lsl #4")
        SOFT_LINE("bne 6f")
        SOFT_LINE("mov r2, %[plus_zero]")
        SOFT_LINE("b 8f")
        "5:\n\t"                                    /* the sum is so small that bits of it are lost, or it is zero */
        SOFT_LINE("rsb r11, r11, #0")
        SOFT_LINE("asr lr, r1, r11")
        SOFT_LINE("lsl r11, lr, r11")
        SOFT_LINE("cmp r11, r1")
        SOFT_LINE("it ne")
        SOFT_LINE("orrne lr, lr, #1")
        SOFT_LINE("add r1, lr, r10, lsl #4")
        "6:\n\t"                                    /* normalized and rounded */
        SOFT_LINE("eor r11, r1, r1, asr #31")
        SOFT_LINE("clz r11, r11")
        SOFT_LINE("sub r11, r11, #2")
        SOFT_LINE("lsl r1, r1, r11")
        SOFT_LINE("sub r2, r2, r11")
        SOFT_LINE("add r2, r2, #2")
        SOFT_LINE("ubfx r11, r1, #6, #1")
        SOFT_LINE("add r1, r1, #0x1f")
        SOFT_LINE("add r1, r1, r11")
        SOFT_LINE("asr r1, r1, #6")
        "8:\n\t"
        SOFT_LINE("add r3, r3, r6")
        SOFT_LINE("add r4, r4, r8")
        SOFT_LINE("subs r5, r5, #1")
        SOFT_LINE("bne 1b")
        "0:\n\t"                                    /* the next iteration */
        SOFT_LINE("ldr r0, %[run]")
        SOFT_LINE("ldr lr, [r0, #28]")
        SOFT_LINE("subs lr, lr, #1")
        SOFT_LINE("blo 9f")
        SOFT_LINE("str lr, [r0, #28]")
        SOFT_LINE("add r0, r0, #32")
        SOFT_LINE("ldm r0, {r5, r10, r11}")
        SOFT_LINE("add r3, r3, r10")
        SOFT_LINE("add r4, r4, r11")
        SOFT_LINE("b 1b")
        "9:\n\t"
        SOFT_LINE("ldr r0, %[run]")
        SOFT_LINE("stm r0, {r1-r5}")
        SOFT_LINE("b 10f")

        "7:\n\t"                                    /* a product of zero and a finite number, or one to stop at */
        SOFT_LINE("lsl lr, r11, #1")
        SOFT_LINE("lsls r12, r10, #1")
        SOFT_LINE("ite eq")
        SOFT_LINE("moveq r12, lr")                       /* twice the other factor, if one is zero */
        SOFT_LINE("cmpne lr, #0")
        SOFT_LINE("bne 9b")
        SOFT_LINE("cmp r12, #0xff000000")
        SOFT_LINE("bhs 9b")
        SOFT_LINE("cmp r1, #0")
        SOFT_LINE("bne 8b")
        SOFT_LINE("eors r0, r10, r11")
        SOFT_LINE("it pl")
        SOFT_LINE("movpl r2, %[plus_zero]")
        SOFT_LINE("b 8b")
        "10:\n\t"
        :
        : [run] "m"(run), [least] "i"(-(int32_t)(SOFT_LEAST_EXPONENT << 24)), [plus_zero] "i"(SOFT_PLUS_ZERO)
        : "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "cc", "memory");
}

#endif
