/*
 * One row of a matrix product on Cortex-M with FPU: y[i] += sum over k of a[k] b[k][i], i in 0..n.
 *
 *     along     a and b are contiguous in k: 4 k at once
 *     across    b is contiguous over the outputs: strided_loop.c
 *     strided   any strides: 4 outputs at once; omitted for Linear layers, which do not need it
 */
#include "../../../gemm_tile.h"
#include "../../arch.h"
#include "gemm_tiles.h"
#include "strided_loop.h"

#if GM_ARCH_ARM_M && !GM_ARCH_HELIUM

#define FOUR_AT_A_TIME(BODY, REST) AT_A_TIME(4, k, BODY, REST)

/* 4 outputs along k. Sums in s0 to s3, 4 of a in s4 to s7, 4 of b for each output in s8 to s23. */
static void along_4(const float *a, const float *b, float *y, const gm_gemm_strides *s)
{
    uint32_t k = s->k;
    const float *b1 = b + s->b_col, *b2 = b1 + s->b_col, *b3 = b2 + s->b_col;
    __asm__ volatile(LINE("vldmia %[y], {s0-s3}")
                     FOUR_AT_A_TIME(
                         LOAD(a, "s4-s7")
                         LOAD(b0, "s8-s11") LOAD(b1, "s12-s15") LOAD(b2, "s16-s19") LOAD(b3, "s20-s23")
                         MAC_4(s4, s8, s12, s16, s20)
                         MAC_4(s5, s9, s13, s17, s21)
                         MAC_4(s6, s10, s14, s18, s22)
                         MAC_4(s7, s11, s15, s19, s23),
                         LOAD(a, "s4")
                         LOAD(b0, "s8") LOAD(b1, "s12") LOAD(b2, "s16") LOAD(b3, "s20")
                         MAC_4(s4, s8, s12, s16, s20))
                     LINE("vstmia %[y], {s0-s3}")
                     : [a] "+r"(a), [b0] "+r"(b), [b1] "+r"(b1), [b2] "+r"(b2), [b3] "+r"(b3), [k] "+r"(k)
                     : [y] "r"(y)
                     : CHANGED);
}

/* One output along k. */
static void along_1(const float *a, const float *b, float *y, const gm_gemm_strides *s)
{
    uint32_t k = s->k;
    __asm__ volatile(LINE("vldr s0, [%[y]]")
                     FOUR_AT_A_TIME(
                         LOAD(a, "s4-s7")
                         LOAD(b, "s8-s11")
                         MAC_CHAIN_4(s0, s4, s8, s5, s9, s6, s10, s7, s11),
                         LOAD(a, "s4")
                         LOAD(b, "s8")
                         MAC_1(s0, s4, s8))
                     LINE("vstr s0, [%[y]]")
                     : [a] "+r"(a), [b] "+r"(b), [k] "+r"(k)
                     : [y] "r"(y)
                     : CHANGED);
}

static void along_row(const float *a, const float *b, float *y, uint32_t n, const gm_gemm_strides *s)
{
    for (; n >= 4; n -= 4, b += 4 * s->b_col, y += 4) {
        along_4(a, b, y, s);
    }
    for (; n > 0; n--, b += s->b_col, y++) {
        along_1(a, b, y, s);
    }
}

#if WITH_ANY_STRIDES
/* 4 outputs with any strides. Sums in s0 to s3, a in s16, b in s24 to s27. */
TILE strided_4(const float *a, const float *b, float *y, const gm_gemm_strides *s)
{
    uint32_t k = s->k;
    const float *b1 = b + s->b_col, *b2 = b1 + s->b_col, *b3 = b2 + s->b_col;
    __asm__ volatile(LINE("vldmia %[y], {s0-s3}")
                     LOOP_LABEL(1)
                     LOAD_1_STEP(a, s16, a_step)
                     LOAD_1_STEP(b0, s24, b_step) LOAD_1_STEP(b1, s25, b_step)
                     LOAD_1_STEP(b2, s26, b_step) LOAD_1_STEP(b3, s27, b_step)
                     MAC_4(s16, s24, s25, s26, s27)
                     LINE("subs %[k], #1")
                     LINE("bne 1b")
                     LINE("vstmia %[y], {s0-s3}")
                     : [a] "+r"(a), [b0] "+r"(b), [b1] "+r"(b1), [b2] "+r"(b2), [b3] "+r"(b3), [k] "+r"(k)
                     : [y] "r"(y), [a_step] "r"(gm_bytes(s->a_col)), [b_step] "r"(gm_bytes(s->b_row))
                     : CHANGED);
}

#endif

/* All outputs at once if b's columns are adjacent, else one after another. */
static void across_rows(const float *a, const float *b, float *y, uint32_t n, const gm_gemm_strides *s)
{
    uint32_t together = s->b_col == 1 ? n : 1;
    const gm_loop loop = { 1, s->k, 0, s->a_col, 0, s->b_row };
    for (; n > 0; n -= together, b += together * s->b_col, y += together) {
        gm_loop_across(&loop, a, b, y, together);
    }
}

void gm_gemm_row(const float *a, const float *b, float *y, uint32_t n, const gm_gemm_strides *s)
{
    if (s->b_row == 1 && s->a_col == 1 && !(s->b_col == 1 && n > 1)) {
        along_row(a, b, y, n, s);
        return;
    }
#if WITH_ANY_STRIDES
    for (; n >= 4 && s->b_col != 1; n -= 4, b += 4 * s->b_col, y += 4) {
        strided_4(a, b, y, s);
    }
#endif
    across_rows(a, b, y, n, s);
}

#endif
