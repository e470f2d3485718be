/* Loops over rows and columns of two arrays at once, which several kernels for Cortex-M with FPU
 * are made of. */
#ifndef GM_ARM_M_STRIDED_LOOP_H
#define GM_ARM_M_STRIDED_LOOP_H

#include <stdint.h>

/* Steps in elements: a_row and b_row lie between the beginnings of rows. There is at least one row
 * and one column. */
typedef struct gm_loop {
    uint32_t rows, columns;
    uint32_t a_row, a_column, b_row, b_column;
} gm_loop;

/* y[i] += sum over rows and columns of a[0] b[i], i in 0..n. */
void gm_loop_across(const gm_loop *loop, const float *a, const float *b, float *y, uint32_t n);

/* The same of a[i] b[i]. */
void gm_loop_products(const gm_loop *loop, const float *a, const float *b, float *y, uint32_t n);

/* b[i] += a[i] w[i w_step] in each row and column, i in 0..n. */
void gm_loop_scaled(const gm_loop *loop, const float *a, float *b, uint32_t n, const float *w, uint32_t w_step);

#endif
