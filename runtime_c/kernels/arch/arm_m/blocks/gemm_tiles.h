/* The tiles that matrix products for Cortex-M with FPU are made of: several rows by 4 columns. */
#ifndef GM_ARM_M_GEMM_TILES_H
#define GM_ARM_M_GEMM_TILES_H

#include "../../../gemm_tile.h"
#include "../../arch.h"
#include "registers.h"

/* Tiles that convolutions need, and products of any operands, but not Linear layers. */
#define WITH_ANY_STRIDES (GM_WITH_CONV || GM_WITH_CONV_TRANSPOSE || GM_WITH_MATMUL)

/* Whether there are tiles of 5 rows: 20 sums leave room for 8 elements of b, 2 of a and 2 products at a time, where those of
 * one instruction are better off with all operands loaded. Linear layers go without them, for the sake of code's size. */
#define GM_TILES_OF_5 (GM_APART && WITH_ANY_STRIDES)

/* All whole tiles of a matrix. Which of its operands are contiguous: gemm.c. */
typedef void gm_matrix(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                       const gm_gemm_strides *s);
gm_matrix gm_along_4x4_matrix, gm_across_4x4_matrix, gm_outer_4x4_matrix;
gm_matrix gm_along_5x4_matrix, gm_across_5x4_matrix; /* where GM_TILES_OF_5 */
gm_matrix gm_strided_4x4_matrix, gm_strided_3x4_matrix, gm_strided_2x4_matrix;
gm_matrix gm_columns_4x4_matrix, gm_columns_3x4_matrix, gm_columns_2x4_matrix;
gm_matrix gm_general_4x4_matrix;

/* Defines <name>_matrix: all whole tiles of so many rows by 4 columns. */
#define DEFINE_MATRIX(name, rows)                                                                               \
    void gm_##name##_matrix(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,   \
                            const gm_gemm_strides *s)                                                           \
    {                                                                                                           \
        for (; m >= rows; m -= rows, a += rows * s->a_row, y += rows * y_row) {                                 \
            for (uint32_t column = 0; n - column >= 4; column += 4) {                                           \
                name(a, b + column * s->b_col, y + column, y_row, s);                                           \
            }                                                                                                   \
        }                                                                                                       \
    }

/* Bytes from one element to the next. */
static inline uint32_t gm_bytes(uint32_t elements)
{
    return elements * (uint32_t)sizeof(float);
}

/* ---- Sums and rows of a ---------------------------------------------------------------------- */

#define LOAD_ROW(registers) LINE("vldmia %[y], {" registers "}")
#define STORE_ROW(registers) LINE("vstmia %[y], {" registers "}")
#define NEXT_ROW LINE("add %[y], %[y_step]")
#define LAST_ROW LINE("sub %[y], %[y_step]")

#define LOAD_2x4 LOAD_ROW("s0-s3") NEXT_ROW LOAD_ROW("s4-s7")
#define LOAD_3x4 LOAD_2x4 NEXT_ROW LOAD_ROW("s8-s11")
#define LOAD_4x4 LOAD_3x4 NEXT_ROW LOAD_ROW("s12-s15")
#define LOAD_5x4 LOAD_4x4 NEXT_ROW LOAD_ROW("s16-s19")
#define STORE_2x4 STORE_ROW("s4-s7") LAST_ROW STORE_ROW("s0-s3")
#define STORE_3x4 STORE_ROW("s8-s11") LAST_ROW STORE_2x4
#define STORE_4x4 STORE_ROW("s12-s15") LAST_ROW STORE_3x4
#define STORE_5x4 STORE_ROW("s16-s19") LAST_ROW STORE_4x4

/* Runs BODY for 2 k at a time, then REST where one is left. */
#define TWO_AT_A_TIME(BODY, REST)     \
    LINE("subs %[k], #2")             \
    LINE("blo 2f")                    \
    "1:\n\t"                          \
    BODY                              \
    LINE("subs %[k], #2")             \
    LINE("bhs 1b")                    \
    "2:\n\t"                          \
    LINE("adds %[k], #2")             \
    LINE("beq 3f")                    \
    REST                              \
    "3:\n\t"

/* Two k of each row of a to s16, s17; s18, s19; ...; one k to s16; s18; ... */
#define LOAD_A_2x2 LOAD(a0, "s16, s17") LOAD(a1, "s18, s19")
#define LOAD_A_3x2 LOAD_A_2x2 LOAD(a2, "s20, s21")
#define LOAD_A_4x2 LOAD_A_3x2 LOAD(a3, "s22, s23")
#define LOAD_A_2x1 LOAD(a0, "s16") LOAD(a1, "s18")
#define LOAD_A_3x1 LOAD_A_2x1 LOAD(a2, "s20")
#define LOAD_A_4x1 LOAD_A_3x1 LOAD(a3, "s22")

#endif
