/* MASK_S8 on Cortex-M with the DSP extension: eight values at a time. */
#ifndef GM_ARM_M_MASK_S8_H
#define GM_ARM_M_MASK_S8_H

#include "../../../generated/instructions/mask_s8.h"
#include "../../quantized.h"
#include "../arch.h"
#include "blocks/registers.h"

#if GM_ARCH_DSP && GM_WITH_MASK_S8

/* Turns four values into four of the bits 1, 2, .. 128: each byte becomes its bit if the value is
 * at least `least` and at most `most`, else 0. */
#define GM_BITS_OF_FOUR(q, weights)                                                                \
    LINE("ssub8 %[t], %[" #q "], %[least]") LINE("sel %[t], %[" #weights "], %[zero]")             \
    LINE("ssub8 %[" #q "], %[most], %[" #q "]") LINE("sel %[" #q "], %[t], %[zero]")

static inline uint32_t gm_byte_four_times(int32_t byte)
{
    return ((uint32_t)byte & 0xffu) * 0x01010101u;
}

/* Writes the masks of so many groups of eight values, and returns how many groups: none if no value
 * can pass. 15 machine instructions each. */
__attribute__((noinline)) static uint32_t gm_arm_mask_eights(const int8_t *q, uint8_t *mask, uint32_t eights,
                                                             int32_t low, int32_t high)
{
    uint32_t a, b, t, left = eights;
    if (low >= INT8_MAX || high <= INT8_MIN || eights == 0) {
        return 0;
    }
    __asm__ volatile("1:\n\t"
                     LINE("ldr %[a], [%[q]], #4") LINE("ldr %[b], [%[q]], #4")
                     GM_BITS_OF_FOUR(a, lower) GM_BITS_OF_FOUR(b, upper)
                     LINE("orr %[a], %[b]") LINE("usad8 %[a], %[a], %[zero]") LINE("strb %[a], [%[mask]], #1")
                     LINE("subs %[left], #1") LINE("bne 1b")
                     : [q] "+r"(q), [mask] "+r"(mask), [left] "+r"(left), [a] "=&r"(a), [b] "=&r"(b), [t] "=&r"(t)
                     : [least] "r"(gm_byte_four_times(gm_nearest_int8(low + 1))),
                       [most] "r"(gm_byte_four_times(gm_nearest_int8(high - 1))), [lower] "r"(0x08040201u),
                       [upper] "r"(0x80402010u), [zero] "r"(0)
                     : "cc", "memory");
    return eights;
}

#else
#define gm_arm_mask_eights(q, mask, eights, low, high) 0u /* none */
#endif

#endif
