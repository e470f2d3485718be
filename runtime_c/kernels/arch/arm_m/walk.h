/* Loops over rows and columns of two arrays at once, which several kernels for Cortex-M with FPU are made of. */
#ifndef GM_ARM_M_WALK_H
#define GM_ARM_M_WALK_H

#include <stdint.h>

/* Steps in elements: a_row and b_row lie between the beginnings of rows. There is at least one row and one column. */
typedef struct gm_walk {
    uint32_t rows, columns;
    uint32_t a_row, a_column, b_row, b_column;
} gm_walk;

/* y[i] += sum over rows and columns of a[0] b[i], i in 0..n. */
void gm_walk_across(const gm_walk *walk, const float *a, const float *b, float *y, uint32_t n);

/* The same of a[i] b[i]. */
void gm_walk_products(const gm_walk *walk, const float *a, const float *b, float *y, uint32_t n);

/* b[i] += a[i] w[i w_step] in each row and column, i in 0..n; the same of a[0] w[i w_step]. */
void gm_walk_scaled(const gm_walk *walk, const float *a, float *b, uint32_t n, const float *w, uint32_t w_step);
void gm_walk_outer(const gm_walk *walk, const float *a, float *b, uint32_t n, const float *w, uint32_t w_step);

#endif
