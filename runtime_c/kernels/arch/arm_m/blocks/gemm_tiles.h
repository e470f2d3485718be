/* The tiles of matrix products for Cortex-M with FPU: several rows by 4 columns. */
#ifndef GM_ARM_M_GEMM_TILES_H
#define GM_ARM_M_GEMM_TILES_H

#include "../../../gemm_tile.h"
#include "../../arch.h"
#include "registers.h"
#include "strided_loop.h"

/* Whether there are tiles of 5 rows. With separate multiply and add, 20 sums leave room for 8
 * elements of b, 2 of a and 2 products at a time; a single multiply-add instruction is better
 * off with all operands loaded. Linear layers omit these tiles, and outer's two k at a time,
 * to save code size. */
#define GM_LARGE_TILES (GM_APART && WITH_ANY_STRIDES)

/* Whether tiles of 4 rows with single-instruction products are scheduled for a Cortex-M7. After a
 * multiply-add it loads a single register at once, but several only three cycles later; and an
 * address addition is free next to an instruction on one register. Linear layers omit this too. */
#define GM_TILES_OF_M7 (!GM_APART && WITH_ANY_STRIDES)

/* A tile of so many rows by 4 columns; gm_outer_4x4 does n columns, a multiple of 4,
 * and with GM_TILES_OF_M7 so do gm_along_4x4 and gm_across_4x4. gemm.c says which
 * operands are contiguous. */
typedef void gm_gemm_tile(const float *a, const float *b, float *y, uint32_t n, uint32_t y_row, const gm_gemm_strides *s);
gm_gemm_tile gm_along_4x4, gm_across_4x4, gm_outer_4x4;
gm_gemm_tile gm_along_5x4, gm_across_5x4; /* if GM_LARGE_TILES */
gm_gemm_tile gm_strided_4x4, gm_strided_3x4, gm_strided_2x4;
gm_gemm_tile gm_columns_4x4, gm_columns_3x4, gm_columns_2x4;
gm_gemm_tile gm_general_4x4;

/* Begins the definition of gm_<name>. With link-time optimization, the compiler
 * must not inline it. */
#define GEMM_TILE(name)                                                                                         \
    __attribute__((noinline)) void gm_##name(const float *a, const float *b, float *y, uint32_t n, uint32_t y_row, \
                                             const gm_gemm_strides *s)

/* The last k if k is odd, for 4 rows or 5: sums from s0 on += a in s24 to s28, by rows, times b in
 * s20 to s23. Tiles call it within their assembly, through LAST_K, to share its code. It does not
 * touch the core's registers. */
void gm_last_k_4(void);
void gm_last_k_5(void);
#define LAST_K(rows) LINE("bl gm_last_k_" #rows)
/* Lets the compiler know of the call, if it accepts the function's address as a constant. */
#if defined(__PIC__)
#define CALLS_LAST_K(rows) [last_k] "i"(rows)
#else
#define CALLS_LAST_K(rows) [last_k] "i"(gm_last_k_##rows)
#endif

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

/* Runs BODY for 2 k at a time, then REST if one is left. */
#define TWO_AT_A_TIME(BODY, REST)     \
    LINE("subs %[k], #2")             \
    LINE("blo 2f")                    \
    LOOP_LABEL(1)                     \
    BODY                              \
    LINE("subs %[k], #2")             \
    LINE("bhs 1b")                    \
    "2:\n\t"                          \
    LINE("adds %[k], #2")             \
    LINE("beq 3f")                    \
    REST                              \
    "3:\n\t"

#endif
