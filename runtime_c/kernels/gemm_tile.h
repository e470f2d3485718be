/* A row or a block of a matrix product: several outputs at once, each with one accumulator that
 * takes its products in ascending k. */
#ifndef GM_GEMM_TILE_H
#define GM_GEMM_TILE_H

#include "../src/gm_internal.h"
#include "../src/numerics.h"

/* a[m,k] is a[m * a_row + k * a_col]; b[k,n] is b[k * b_row + n * b_col]. Strides in elements. */
typedef struct gm_gemm_strides {
    uint32_t a_row, a_col, b_row, b_col;
    uint32_t k;
} gm_gemm_strides;

/* y[i] += sum over k of a[0,k] b[k,i] for i in 0..n. */
void gm_gemm_row(const float *a, const float *b, float *y, uint32_t n, const gm_gemm_strides *s);

/* The same for m rows of y, which are y_row elements apart. */
void gm_gemm_matrix(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                    const gm_gemm_strides *s);

#endif
