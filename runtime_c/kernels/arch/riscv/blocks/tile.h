/*
 * Tiles of rows by 4 columns of sums, which stay in registers over a whole sum of products:
 *
 *     y[r,c] = start[r,c] + sum over rows of taps, taps, and i in 0..k, of a[r,i] b[i,c]
 *
 * A matrix product has one tap. A convolution sums over channels in the taps of its kernel; the
 * gradient of its weights sums over pixels, in as many taps as the image has rows. Each sum takes
 * its products in that order.
 */
#ifndef GM_RISCV_TILE_H
#define GM_RISCV_TILE_H

#include "../../../../src/gm_internal.h"
#include "../../../../src/numerics.h"
#include "../../arch.h"

#if GM_ARCH_RISCV

/* Loops over sums must be unrolled, or these do not stay in registers. clang would apply gcc's
 * pragma to a loop of any length, and unroll it 32 times, and as often each loop in it. At -Os it
 * leaves some loops as they are, and would warn about them. */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define GM_UNROLLED _Pragma("clang loop unroll(full)")
#else
#define GM_UNROLLED _Pragma("GCC unroll 32")
#endif
#define GM_INLINED static inline __attribute__((always_inline))

/* In builds that must be small, the general form serves all tiles, and an iteration of a row has
 * one product of each sum. */
#if defined(__OPTIMIZE_SIZE__)
#define GM_RISCV_SMALL 1
#else
#define GM_RISCV_SMALL 0
#endif

/* A barrier: nothing after it moves before it. Otherwise gcc loads so far ahead that sums
 * leave their registers. */
#define GM_IN_ORDER() __asm__ volatile("")

/* An address that gcc does not recompute from its origin. */
#define GM_HIDE(address) __asm__("" : "+r"(address))

/* Returns GM_MAC(sum, a, b). If sums nearly fill the registers, gcc would spill some to the stack
 * if it could choose the register of the result. */
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

/* Returns GM_MAC(start, a, b) and keeps `start` in its register: this starts a sum. */
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

/* The most rows. These sums, a value of each column and of two rows take 30 of 32 registers. */
#define GM_RISCV_ROWS 6u
#if GM_ARCH_ZVE32F
#define GM_RISCV_COLUMNS 1u /* any number of them: they are lanes of vectors */
#else
#define GM_RISCV_COLUMNS 4u
#endif

/* The layouts of a and b: what the compiler knows of their steps. */
typedef enum gm_riscv_form {
    GM_FORM_ALONG,     /* rows of a and columns of b are contiguous in k */
    GM_FORM_ALONG_9,   /* the same; b's k are 9 elements apart, as in 3x3 weights */
    GM_FORM_ACROSS,    /* rows of a are contiguous in k, and columns of b are adjacent */
    GM_FORM_ACROSS_9,  /* the same; columns of b are 9 elements apart */
    GM_FORM_OUTER,     /* rows of a are adjacent, and so are columns of b */
    GM_FORM_PLANES, /* 6 adjacent pixels of 3 channels in planes, a[0] to a[2], under 3x3 taps: k counts those of a
                     * row */
    GM_FORM_PLANES_2, /* the same, with a stride of 2 */
    GM_FORM_GENERAL,
} gm_riscv_form;

/* What happens to the sums. */
typedef enum gm_riscv_finish {
    GM_FINISH_STORE,
    GM_FINISH_ADD_ZERO, /* a sum without terms becomes +0 */
    GM_FINISH_SGD, /* y += minus_lr sum */
} gm_riscv_finish;

/* Steps are in elements. There is at least one tap; k may be 0. */
typedef struct gm_riscv_tile {
    const float *a[GM_RISCV_ROWS]; /* rows of a and y may be the same */
    float *y[GM_RISCV_ROWS];
    size_t y_column; /* 1, except for sums in outer and general form */
    const float *b;
    const float *start; /* for all rows; NULL: y */
    size_t start_step; /* to the next 4 columns */
    size_t a_k, b_k, b_column;
    uint32_t k, taps, rows;
    size_t a_tap, b_tap, a_row, b_row;
    gm_riscv_finish finish;
    float minus_lr;
} gm_riscv_tile;

/* The starting value of 4 columns of sums by default. */
extern const float gm_riscv_empty_sums[GM_RISCV_COLUMNS];

/* Returns the form for these steps: from a's row to the next, to the next k of a and of b, and from
 * b's column to the next. */
gm_riscv_form gm_riscv_form_of(size_t a_row, size_t a_k, size_t b_k, size_t b_column);

/* The number of rows to do if so many are left: 6, 4 or 1. For 3 and 5 rows the last one
 * has to be repeated. */
static inline uint32_t gm_riscv_rows(uint32_t left)
{
    return left <= 2 ? 1 : left <= 4 || left == 8 ? 4 : GM_RISCV_ROWS;
}

/* Sets the rows; `count` exist, and further ones repeat the last one. */
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
