/*
 * Machine instructions for each multiply-accumulate in a long row: across 1.44, 1.75, 2.5, 4 and
 * 7, 16, 8, 4, 2 and 1 outputs at a time; products 1.75 and 7, scaled 1.88 and 8, of 8 and 1.
 * Some are asked of Helium first.
 */
#include "strided_loop.h"

#include "../../helium/helium.h"
#include "strided_loop_assembly.h"

#if GM_ARCH_ARM_M

/* ---- Across ---------------------------------------------------------------------------------- */

/* Defines across_<n>. Y: the registers of the sums; PRODUCTS: loads of b, and multiply-accumulates
 * with s16. */
#define DEFINE_ACROSS(n, Y, B_AHEAD, PRODUCTS) \
    DEFINE_KEEPING(across_##n, const float, Y, 0, B_AHEAD, LOAD_1_STEP(a, s16, a_step) PRODUCTS)

DEFINE_ACROSS(16, "s0-s15", 8, MAC_16_ACROSS)
DEFINE_ACROSS(8, "s0-s7", 0,
                   LOAD_STEP(b, "s17-s24", b_step) MAC_8(s16, s17, s18, s19, s20, s21, s22, s23, s24))
DEFINE_ACROSS(4, "s0-s3", 0, LOAD_STEP(b, "s17-s20", b_step) MAC_4(s16, s17, s18, s19, s20))
DEFINE_ACROSS(2, "s0, s1", 0, LOAD_STEP(b, "s17, s18", b_step) MAC_2_OF(s16, s17, s18))
DEFINE_ACROSS(1, "s0", 0, LOAD_1_STEP(b, s17, b_step) MAC_1(s0, s16, s17))

void gm_loop_across(const gm_loop *loop, const float *a, const float *b, float *y, uint32_t n)
{
    for (; n >= 16; n -= 16, b += 16, y += 16) {
        if (!gm_helium_across_16(loop, a, b, y)) {
            across_16(loop, a, b, y);
        }
    }
    if (n >= 8) {
        if (!gm_helium_across_8(loop, a, b, y)) {
            across_8(loop, a, b, y);
        }
        n -= 8, b += 8, y += 8;
    }
    if (n >= 4) {
        if (!gm_helium_across_4(loop, a, b, y)) {
            across_4(loop, a, b, y);
        }
        n -= 4, b += 4, y += 4;
    }
    if (n >= 2) {
        across_2(loop, a, b, y);
        n -= 2, b += 2, y += 2;
    }
    if (n >= 1) {
        across_1(loop, a, b, y);
    }
}

/* ---- Element by element ---------------------------------------------------------------------- */

/* Multiply-adds of 8 registers and of one: PRODUCTS add a times b to the sums, and SCALED add a
 * times w to b. */
#define PRODUCTS_8                                                                                   \
    LOAD_STEP(a, "s0-s7", a_step) LOAD_STEP(b, "s8-s15", b_step)                                     \
    MAC_2(s16, s0, s8, s17, s1, s9) MAC_2(s18, s2, s10, s19, s3, s11)                                \
    MAC_2(s20, s4, s12, s21, s5, s13) MAC_2(s22, s6, s14, s23, s7, s15)
#define PRODUCTS_1 LOAD_1_STEP(a, s0, a_step) LOAD_1_STEP(b, s8, b_step) MAC_1(s16, s0, s8)
#define SCALED_8                                                                                     \
    LOAD_STEP(a, "s0-s7", a_step) LINE("vldmia %[b], {s8-s15}")                                      \
    MAC_2(s8, s0, s16, s9, s1, s17) MAC_2(s10, s2, s18, s11, s3, s19)                                \
    MAC_2(s12, s4, s20, s13, s5, s21) MAC_2(s14, s6, s22, s15, s7, s23)                              \
    LINE("vstmia %[b], {s8-s15}") LINE("add %[b], %[b_step]")
#define SCALED_1                                                                                     \
    LOAD_1_STEP(a, s0, a_step) LINE("vldr s8, [%[b]]")                                               \
    MAC_1(s8, s0, s16)                                                                                 \
    LINE("vstr s8, [%[b]]") LINE("add %[b], %[b_step]")

DEFINE_KEEPING(products_8, const float, "s16-s23", 0, 0, PRODUCTS_8)
DEFINE_KEEPING(products_1, const float, "s16", 0, 0, PRODUCTS_1)
DEFINE_KEEPING(scaled_8, float, "s16-s23", 0, 0, SCALED_8)
DEFINE_KEEPING(scaled_1, float, "s16", 0, 0, SCALED_1)

void gm_loop_products(const gm_loop *loop, const float *a, const float *b, float *y, uint32_t n)
{
    for (; n >= 8; n -= 8, a += 8, b += 8, y += 8) {
        if (!gm_helium_products_8(loop, a, b, y)) {
            products_8(loop, a, b, y);
        }
    }
    for (; n > 0; n--, a++, b++, y++) {
        products_1(loop, a, b, y);
    }
}

/* Up to 8 weights; how many. */
static uint32_t gather_weights(const float *w, uint32_t w_step, uint32_t n, float weights[8])
{
    uint32_t count = n >= 8 ? 8 : 1;
    for (uint32_t i = 0; i < count; i++) {
        weights[i] = w[i * w_step];
    }
    return count;
}

void gm_loop_scaled(const gm_loop *loop, const float *a, float *b, uint32_t n, const float *w, uint32_t w_step)
{
    for (uint32_t count; n > 0; n -= count, w += count * w_step, a += count, b += count) {
        float weights[8];
        count = gather_weights(w, w_step, n, weights);
        if (count == 8) {
            scaled_8(loop, a, b, weights);
        } else {
            scaled_1(loop, a, b, weights);
        }
    }
}

#endif
