/*
 * Instructions on vector registers of single-precision values, as functions. A lane is one value of
 * a vector; the number of lanes in a register depends on the processor. gm_lanes_4 or gm_lanes_8
 * sets how many lanes the next instructions use, and how many consecutive registers a register
 * number stands for. RISC-V "V" Vector Extension, version 1.0.
 *
 * Registers keep their contents from one function to the next, since the compiler does not know
 * about them. Each function enables the extension for the assembler, so that no compiler flag is
 * needed. Register numbers are constants. Strides are in elements.
 */
#ifndef GM_LANES_H
#define GM_LANES_H

#include "../../../../src/numerics.h"
#include "../blocks/tile.h"

#if GM_ARCH_ZVE32F

#define GM_LANES_CODE(text) ".option push\n\t.option arch, +zve32f\n\t" text "\n\t.option pop"

/* Sets the next instructions to n lanes, or as many as 4 registers have. Returns how many. Register
 * numbers are multiples of 4. */
GM_INLINED uint32_t gm_lanes_4(uint32_t n)
{
    uint32_t lanes;
    __asm__ volatile(GM_LANES_CODE("vsetvli %0, %1, e32, m4, ta, ma") : "=r"(lanes) : "r"(n));
    return lanes;
}

/* The same for 8 registers. */
GM_INLINED uint32_t gm_lanes_8(uint32_t n)
{
    uint32_t lanes;
    __asm__ volatile(GM_LANES_CODE("vsetvli %0, %1, e32, m8, ta, ma") : "=r"(lanes) : "r"(n));
    return lanes;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

GM_INLINED void gm_lanes_load(uint32_t v, const float *from)
{
    __asm__ volatile(GM_LANES_CODE("vle32.v v%0, (%1)") : : "i"(v), "r"(from) : "memory");
}

GM_INLINED void gm_lanes_load_strided(uint32_t v, const float *from, size_t stride)
{
    __asm__ volatile(GM_LANES_CODE("vlse32.v v%0, (%1), %2") : : "i"(v), "r"(from), "r"(stride * 4) : "memory");
}

/* Loads either way; is_unit: a constant, whether the stride is 1. */
GM_INLINED void gm_lanes_load_either(uint32_t v, const float *from, size_t stride, int is_unit)
{
    if (is_unit) {
        gm_lanes_load(v, from);
    } else {
        gm_lanes_load_strided(v, from, stride);
    }
}

GM_INLINED void gm_lanes_store(uint32_t v, float *to)
{
    __asm__ volatile(GM_LANES_CODE("vse32.v v%0, (%1)") : : "i"(v), "r"(to) : "memory");
}

GM_INLINED void gm_lanes_store_strided(uint32_t v, float *to, size_t stride)
{
    __asm__ volatile(GM_LANES_CODE("vsse32.v v%0, (%1), %2") : : "i"(v), "r"(to), "r"(stride * 4) : "memory");
}

/* Sets each lane to the value. */
GM_INLINED void gm_lanes_fill(uint32_t v, float number)
{
    __asm__ volatile(GM_LANES_CODE("vfmv.v.f v%0, %1") : : "i"(v), "f"(number));
}

GM_INLINED void gm_lanes_copy(uint32_t v, uint32_t a)
{
    __asm__ volatile(GM_LANES_CODE("vmv.v.v v%0, v%1") : : "i"(v), "i"(a));
}

/* ---- Arithmetic ------------------------------------------------------------------------------ */

/* v = a OP b, for lanes, and for lanes and a scalar. */
#define GM_DEFINE_LANES_OPERATION(name, instruction)                                                 \
    GM_INLINED void gm_lanes_##name(uint32_t v, uint32_t a, uint32_t b)                              \
    {                                                                                                \
        __asm__ volatile(GM_LANES_CODE(instruction ".vv v%0, v%1, v%2") : : "i"(v), "i"(a), "i"(b)); \
    }                                                                                                \
    GM_INLINED void gm_lanes_##name##_number(uint32_t v, uint32_t a, float b)                        \
    {                                                                                                \
        __asm__ volatile(GM_LANES_CODE(instruction ".vf v%0, v%1, %2") : : "i"(v), "i"(a), "f"(b));  \
    }

GM_DEFINE_LANES_OPERATION(add, "vfadd")
GM_DEFINE_LANES_OPERATION(sub, "vfsub")
GM_DEFINE_LANES_OPERATION(mul, "vfmul")
GM_DEFINE_LANES_OPERATION(div, "vfdiv")

GM_INLINED void gm_lanes_sqrt(uint32_t v, uint32_t a)
{
    __asm__ volatile(GM_LANES_CODE("vfsqrt.v v%0, v%1") : : "i"(v), "i"(a));
}

/* sum = GM_MAC(sum, a, b). product: a register, perhaps a or b, that the
 * strict profile clobbers. */
GM_INLINED void gm_lanes_mac(uint32_t sum, uint32_t a, uint32_t b, uint32_t product)
{
#if GM_FUSED
    (void)product;
    __asm__ volatile(GM_LANES_CODE("vfmacc.vv v%0, v%1, v%2") : : "i"(sum), "i"(a), "i"(b));
#else
    gm_lanes_mul(product, a, b);
    gm_lanes_add(sum, sum, product);
#endif
}

/* The same for a scalar b. */
GM_INLINED void gm_lanes_mac_number(uint32_t sum, uint32_t a, float b, uint32_t product)
{
#if GM_FUSED
    (void)product;
    __asm__ volatile(GM_LANES_CODE("vfmacc.vf v%0, %2, v%1") : : "i"(sum), "i"(a), "f"(b));
#else
    gm_lanes_mul_number(product, a, b);
    gm_lanes_add(sum, sum, product);
#endif
}

/* Returns the sum of all lanes of a, in any order. Clobbers register v. */
GM_INLINED float gm_lanes_total(uint32_t a, uint32_t v)
{
    float total;
    __asm__ volatile(GM_LANES_CODE("vfmv.s.f v%1, %3\n\tvfredusum.vs v%1, v%2, v%1\n\tvfmv.f.s %0, v%1")
                     : "=f"(total)
                     : "i"(v), "i"(a), "f"(0.0f));
    return total;
}

/* ---- Choices --------------------------------------------------------------------------------- */

/* Register 0 is the mask of the chosen lanes: those of a that are below the number. */
GM_INLINED void gm_lanes_choose_below(uint32_t a, float number)
{
    __asm__ volatile(GM_LANES_CODE("vmflt.vf v0, v%0, %1") : : "i"(a), "f"(number));
}

/* Those that are below or equal to it. */
GM_INLINED void gm_lanes_choose_at_most(uint32_t a, float number)
{
    __asm__ volatile(GM_LANES_CODE("vmfle.vf v0, v%0, %1") : : "i"(a), "f"(number));
}

/* Those that are not above it, including NaN. */
GM_INLINED void gm_lanes_choose_not_above(uint32_t a, float number)
{
    __asm__ volatile(GM_LANES_CODE("vmfgt.vf v0, v%0, %1\n\tvmnot.m v0, v0") : : "i"(a), "f"(number));
}

/* v = +0 in chosen lanes, else a. */
GM_INLINED void gm_lanes_clear_chosen(uint32_t v, uint32_t a)
{
    __asm__ volatile(GM_LANES_CODE("vmerge.vim v%0, v%1, 0, v0") : : "i"(v), "i"(a));
}

#endif
#endif
