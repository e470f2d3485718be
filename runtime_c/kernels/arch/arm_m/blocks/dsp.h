/* Instructions of the DSP extension that no C operator names, on two int16 or four int8 in a word.
 * Without the extension they take a few instructions each. */
#ifndef GM_ARM_M_DSP_H
#define GM_ARM_M_DSP_H

#include <stdint.h>

#include "../../../../src/numerics.h"
#include "../../arch.h"

/* Packs two 16-bit values into a pair. */
static inline uint32_t gm_pair(int32_t low, int32_t high)
{
    return ((uint32_t)low & 0xffffu) | (uint32_t)high << 16;
}

#if GM_ARCH_DSP

/* An instruction with two register operands. */
#define GM_DSP_2(name, text)                                                                 \
    static inline uint32_t name(uint32_t a, uint32_t b)                                      \
    {                                                                                        \
        uint32_t result;                                                                     \
        __asm__(text : "=r"(result) : "r"(a), "r"(b));                                       \
        return result;                                                                       \
    }

/* pair + the first and the third of four bytes, sign-extended; and the others. */
GM_DSP_2(gm_add_first_and_third, "sxtab16 %0, %1, %2")
GM_DSP_2(gm_add_second_and_fourth, "sxtab16 %0, %1, %2, ror #8")

/* The lower, or the upper, halves of both. */
GM_DSP_2(gm_lower_halves, "pkhbt %0, %1, %2, lsl #16")
GM_DSP_2(gm_upper_halves, "pkhtb %0, %2, %1, asr #16")

#else

#if defined(__thumb2__)

/*
 * Both halves at once, if the lower half of a is at least 128 away from the ends of the 16-bit
 * range. Flipping a byte's top bit maps it to 0 to 255; the same is done to the lower sum, so
 * that it has no carry.
 */
static inline uint32_t gm_add_two_bytes(uint32_t a, uint32_t turned)
{
    int32_t low = (int16_t)(uint16_t)(a & 0xffffu);
    uint32_t from = (a & 0xffff0000u) + (uint32_t)low - 0x00800080u + 0x8000u;
    return ((turned & 0x00ff00ffu) + from) ^ 0x8000u;
}

static inline uint32_t gm_add_first_and_third(uint32_t a, uint32_t b)
{
    return gm_add_two_bytes(a, b ^ 0x80808080u);
}

static inline uint32_t gm_add_second_and_fourth(uint32_t a, uint32_t b)
{
    return gm_add_two_bytes(a, (b ^ 0x80808080u) >> 8);
}

static inline uint32_t gm_lower_halves(uint32_t a, uint32_t b)
{
    __asm__("bfi %0, %1, #16, #16" : "+r"(a) : "r"(b));
    return a;
}

static inline uint32_t gm_upper_halves(uint32_t a, uint32_t b)
{
    __asm__("bfi %0, %1, #0, #16" : "+r"(b) : "r"(a >> 16));
    return b;
}

#else

/* The low half is the sum of a's and a byte's, and so on. */
static inline uint32_t gm_add_first_and_third(uint32_t a, uint32_t b)
{
    return gm_pair((int32_t)a + (int8_t)b, (int32_t)(a >> 16) + (int8_t)(b >> 16));
}

static inline uint32_t gm_add_second_and_fourth(uint32_t a, uint32_t b)
{
    return gm_add_first_and_third(a, b >> 8);
}

static inline uint32_t gm_lower_halves(uint32_t a, uint32_t b)
{
    return (a & 0xffffu) | b << 16;
}

static inline uint32_t gm_upper_halves(uint32_t a, uint32_t b)
{
    return a >> 16 | (b & 0xffff0000u);
}

#endif

#endif

/* Four bytes, or two 16-bit values, as a word that may be unaligned. If the processor can load such
 * a word at once, this does; elsewhere a copy would be a call. */
#if defined(__thumb2__)

static inline uint32_t gm_four_at(const int8_t *from)
{
    uint32_t four;
    GM_COPY_WORD(&four, from);
    return four;
}

static inline uint32_t gm_two_at(const int16_t *from)
{
    uint32_t two;
    GM_COPY_WORD(&two, from);
    return two;
}

#else

static inline uint32_t gm_four_at(const int8_t *from)
{
    const uint8_t *bytes = (const uint8_t *)from;
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline uint32_t gm_two_at(const int16_t *from)
{
    return (uint16_t)from[0] | (uint32_t)(uint16_t)from[1] << 16;
}

#endif

#endif
