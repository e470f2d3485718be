/* Tiles of matrix products on Cortex-M with FPU where both operands are contiguous, in one
 * direction each. */
#include "gemm_tiles.h"

#if GM_ARCH_ARM_M && !GM_ARCH_HELIUM

TILE along_4x4(const float *a, const float *b, float *y, uint32_t y_row, const gm_gemm_strides *s)
{
    uint32_t k = s->k;
    const float *a1 = a + s->a_row, *a2 = a1 + s->a_row, *a3 = a2 + s->a_row;
    const float *b1 = b + s->b_col, *b2 = b1 + s->b_col, *b3 = b2 + s->b_col;
    __asm__ volatile(LOAD_4x4
                     TWO_AT_A_TIME(
                         LOAD_A_4x2
                         LOAD(b0, "s24, s25") LOAD(b1, "s26, s27") LOAD(b2, "s28, s29") LOAD(b3, "s30, s31")
                         FMA_4x4(s16, s18, s20, s22, s24, s26, s28, s30)
                         FMA_4x4(s17, s19, s21, s23, s25, s27, s29, s31),
                         LOAD_A_4x1
                         LOAD(b0, "s24") LOAD(b1, "s26") LOAD(b2, "s28") LOAD(b3, "s30")
                         FMA_4x4(s16, s18, s20, s22, s24, s26, s28, s30))
                     STORE_4x4
                     : [a0] "+r"(a), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [b0] "+r"(b), [b1] "+r"(b1),
                       [b2] "+r"(b2), [b3] "+r"(b3), [k] "+r"(k), [y] "+r"(y)
                     : [y_step] "r"(gm_bytes(y_row))
                     : CHANGED);
}

TILE across_4x4(const float *a, const float *b, float *y, uint32_t y_row, const gm_gemm_strides *s)
{
    uint32_t k = s->k;
    const float *a1 = a + s->a_row, *a2 = a1 + s->a_row, *a3 = a2 + s->a_row;
    __asm__ volatile(LOAD_4x4
                     TWO_AT_A_TIME(
                         LOAD_A_4x2
                         LOAD_STEP(b, "s24-s27", b_step)
                         LOAD_STEP(b, "s28-s31", b_step)
                         FMA_4x4(s16, s18, s20, s22, s24, s25, s26, s27)
                         FMA_4x4(s17, s19, s21, s23, s28, s29, s30, s31),
                         LOAD_A_4x1
                         LOAD_STEP(b, "s24-s27", b_step)
                         FMA_4x4(s16, s18, s20, s22, s24, s25, s26, s27))
                     STORE_4x4
                     : [a0] "+r"(a), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [b] "+r"(b), [k] "+r"(k), [y] "+r"(y)
                     : [y_step] "r"(gm_bytes(y_row)), [b_step] "r"(gm_bytes(s->b_row))
                     : CHANGED);
}

/* All whole tiles of 4 rows: sums of a weight's gradient are often short, so that a call for each
 * tile would show. */
TILE outer_4_rows(const float *a_rows, const float *b_tile, float *y, uint32_t n, uint32_t y_row, const gm_gemm_strides *s)
{
    const float *a, *b;
    uint32_t k;
    __asm__ volatile("1:\n\t"
                     LOAD_4x4
                     LINE("mov %[a], %[a_rows]") LINE("mov %[b], %[b_tile]") LINE("mov %[k], %[sums]")
                     "2:\n\t"
                     LOAD_STEP(a, "s16-s19", a_step)
                     LOAD_STEP(b, "s24-s27", b_step)
                     FMA_4x4(s16, s17, s18, s19, s24, s25, s26, s27)
                     LINE("subs %[k], #1")
                     LINE("bne 2b")
                     STORE_4x4
                     LINE("add %[b_tile], #16")
                     LINE("add %[y], #16")
                     LINE("subs %[n], #4")
                     LINE("bne 1b")
                     : [b_tile] "+r"(b_tile), [y] "+r"(y), [n] "+r"(n), [a] "=&r"(a), [b] "=&r"(b), [k] "=&r"(k)
                     : [a_rows] "r"(a_rows), [sums] "r"(s->k), [y_step] "r"(gm_bytes(y_row)),
                       [a_step] "r"(gm_bytes(s->a_col)), [b_step] "r"(gm_bytes(s->b_row))
                     : CHANGED);
}

void gm_outer_4x4_matrix(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                         const gm_gemm_strides *s)
{
    for (; m >= 4; m -= 4, a += 4 * s->a_row, y += 4 * y_row) {
        outer_4_rows(a, b, y, n / 4 * 4, y_row, s);
    }
}

DEFINE_MATRIX(along_4x4, 4)
DEFINE_MATRIX(across_4x4, 4)

#endif
