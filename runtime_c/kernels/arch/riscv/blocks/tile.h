/*
 * Tiles of rows by 4 columns of sums, which stay in registers over a whole sum of products:
 *
 *     y[r,c] = start[r,c] + sum over rows of taps, taps, and i in 0..k, of a[r,i] b[i,c]
 *
 * A matrix product has one tap. A convolution sums over channels in the taps of its kernel; the gradient of its weights
 * sums over pixels, in as many taps as the picture has rows. Each sum takes its products in that order.
 */
#ifndef GM_RISCV_TILE_H
#define GM_RISCV_TILE_H

#include "../../../../src/gm_internal.h"
#include "../../../../src/numerics.h"
#include "../../arch.h"

#if GM_ARCH_RISCV

/* Loops over sums must go, or these do not stay in registers. clang takes gcc's words for a loop of any length, of which it
 * would write 32 turns, and as many of each loop in it. At -Os it leaves some as they are, and would warn of it. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define GM_UNROLLED _Pragma("clang loop unroll(full)")
#else
#define GM_UNROLLED _Pragma("GCC unroll 32")
#endif
#define GM_INLINED static inline __attribute__((always_inline))

/* Where few bytes are asked for, the general form serves all tiles, and a turn of a row has one product of each sum. */
#if defined(__OPTIMIZE_SIZE__)
#define GM_RISCV_SMALL 1
#else
#define GM_RISCV_SMALL 0
#endif

/* Nothing comes before this that stands behind it. gcc would else load so far ahead that sums leave their registers. */
#define GM_IN_ORDER() __asm__ volatile("")

/* An address that gcc does not compute anew from where it began. */
#define GM_HIDE(address) __asm__("" : "+r"(address))

/* Returns GM_MAC(sum, a, b). Of a number of sums that nearly fills the registers, gcc moves some to the stack where it may
 * choose the register of the result. */
GM_INLINED float gm_riscv_mac(float sum, float a, float b)
{
#if GM_FUSED
    __asm__("fmadd.s %0, %1, %2, %0" : "+f"(sum) : "f"(a), "f"(b));
#else
    float product;
    __asm__("fmul.s %0, %1, %2" : "=f"(product) : "f"(a), "f"(b));
    __asm__("fadd.s %0, %0, %1" : "+f"(sum) : "f"(product));
#endif
    return sum;
}

/* Returns GM_MAC(start, a, b) where `start` stays in its register: this begins a sum. */
GM_INLINED float gm_riscv_mac_from(float start, float a, float b)
{
    float sum;
#if GM_FUSED
    __asm__("fmadd.s %0, %1, %2, %3" : "=f"(sum) : "f"(a), "f"(b), "f"(start));
#else
    float product;
    __asm__("fmul.s %0, %1, %2" : "=f"(product) : "f"(a), "f"(b));
    __asm__("fadd.s %0, %1, %2" : "=f"(sum) : "f"(start), "f"(product));
#endif
    return sum;
}

/* Returns GM_MAC(GM_EMPTY_SUM, a, b). */
GM_INLINED float gm_riscv_first_product(float a, float b)
{
    float product;
    __asm__("fmul.s %0, %1, %2" : "=f"(product) : "f"(a), "f"(b));
    return product;
}

/* The most rows. These sums, a number of each column and two of rows take 30 of 32 registers. */
#define GM_RISCV_ROWS 6u
#if GM_ARCH_ZVE32F
#define GM_RISCV_COLUMNS 1u /* any number of them: they are lanes of vectors */
#else
#define GM_RISCV_COLUMNS 4u
#endif

/* How a and b lie: what the compiler knows of their steps. */
typedef enum gm_riscv_form {
    GM_FORM_ALONG,     /* the k of rows of a are neighbours, and those of columns of b */
    GM_FORM_ALONG_9,   /* the same; those of b are 9 elements apart, as weights of 3x3 taps */
    GM_FORM_ACROSS,    /* the k of rows of a are neighbours, and so are columns of b */
    GM_FORM_ACROSS_9,  /* the same; columns of b are 9 elements apart */
    GM_FORM_OUTER,     /* rows of a are neighbours, and columns of b */
    GM_FORM_PLANES, /* 6 neighbouring pixels of 3 channels in planes, a[0] to a[2], under 3x3 taps: k is those of a row */
    GM_FORM_PLANES_2, /* the same, by a stride of 2 */
    GM_FORM_GENERAL,
} gm_riscv_form;

/* What becomes of the sums. */
typedef enum gm_riscv_finish {
    GM_FINISH_STORE,
    GM_FINISH_ADD_ZERO, /* a sum that nothing was added to becomes +0 */
    GM_FINISH_SGD, /* y += minus_lr sum */
} gm_riscv_finish;

/* Steps are in elements. There is at least one tap; k may be 0. */
typedef struct gm_riscv_tile {
    const float *a[GM_RISCV_ROWS]; /* rows may be the same, a and y */
    float *y[GM_RISCV_ROWS];
    size_t y_column; /* 1, but for sums of outer and general form */
    const float *b;
    const float *start; /* of all rows; NULL: y */
    size_t start_step; /* to the next 4 columns */
    size_t a_k, b_k, b_column;
    uint32_t k, taps, rows;
    size_t a_tap, b_tap, a_row, b_row;
    gm_riscv_finish finish;
    float minus_lr;
} gm_riscv_tile;

/* What sums of 4 columns start from where nothing else is said. */
extern const float gm_riscv_empty_sums[GM_RISCV_COLUMNS];

/* Returns the form for these steps: from a's row to the next, to the next k of a and of b, and from b's column to the
 * next. */
gm_riscv_form gm_riscv_form_of(size_t a_row, size_t a_k, size_t b_k, size_t b_column);

/* How many rows to take where so many are left: 6, 4 or 1. Of 3 and 5 rows the last has to be repeated. */
static inline uint32_t gm_riscv_rows(uint32_t left)
{
    return left <= 2 ? 1 : left <= 4 || left == 8 ? 4 : GM_RISCV_ROWS;
}

/* Sets the rows, of which there are `count`: those behind them repeat the last one. */
static inline void gm_riscv_set_rows(gm_riscv_tile *tile, const float *a, size_t a_row, float *y, size_t y_row,
                                     uint32_t count)
{
    for (uint32_t r = 0; r < GM_RISCV_ROWS; r++) {
        tile->a[r] = a;
        tile->y[r] = y;
        a += r + 1 < count ? a_row : 0;
        y += r + 1 < count ? y_row : 0;
    }
}

/* Sums of 6, 4 or 1 rows by 4 times `blocks` columns. */
void gm_riscv_sum(const gm_riscv_tile *tile, gm_riscv_form form, uint32_t rows, uint32_t blocks);

#endif
#endif
