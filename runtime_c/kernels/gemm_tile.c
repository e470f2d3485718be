/* Matrix products in plain C: y[i,j] += sum over k, ascending, of a[i,k] b[k,j],
 * in register tiles. */
#include "../generated/instructions/gemm.h"
#include "../generated/instructions/gemm_update.h"
#include "../generated/instructions/gru_cells.h"
#include "../generated/instructions/gru_cells_grad.h"
#include "../generated/instructions/lstm_cells.h"
#include "../generated/instructions/lstm_cells_grad.h"
#include "../generated/instructions/matmul.h"
#include "../generated/instructions/rnn_cells.h"
#include "../generated/instructions/rnn_cells_grad.h"
#include "gemm_tile.h"
#include "arch/arch.h"
#include "arch/simd/simd.h"

#define WITH_RECURRENT                                                                               \
    (GM_WITH_LSTM_CELLS || GM_WITH_LSTM_CELLS_GRAD || GM_WITH_GRU_CELLS || GM_WITH_GRU_CELLS_GRAD || \
     GM_WITH_RNN_CELLS || GM_WITH_RNN_CELLS_GRAD)

#if !GM_ARCH_GEMM && (GM_WITH_GEMM || GM_WITH_GEMM_UPDATE || GM_WITH_MATMUL || WITH_RECURRENT)

/* ---- One row ----------------------------------------------------------------------------------------------- */

static void tile_1x1(const float *a, const float *b, float *y, const gm_gemm_strides *s)
{
    float c = y[0];
    for (uint32_t k = s->k; k > 0; k--) {
        c = GM_MAC(c, *a, *b);
        a += s->a_col;
        b += s->b_row;
    }
    y[0] = c;
}

/* 8 adjacent outputs; b_col is 1. */
static void tile_1x8_across(const float *a, const float *b, float *y, const gm_gemm_strides *s)
{
    uint32_t a_col = s->a_col, b_row = s->b_row;
    float c0 = y[0], c1 = y[1], c2 = y[2], c3 = y[3], c4 = y[4], c5 = y[5], c6 = y[6], c7 = y[7];
    for (uint32_t k = s->k; k > 0; k--) {
        float ak = *a;
        c0 = GM_MAC(c0, ak, b[0]);
        c1 = GM_MAC(c1, ak, b[1]);
        c2 = GM_MAC(c2, ak, b[2]);
        c3 = GM_MAC(c3, ak, b[3]);
        c4 = GM_MAC(c4, ak, b[4]);
        c5 = GM_MAC(c5, ak, b[5]);
        c6 = GM_MAC(c6, ak, b[6]);
        c7 = GM_MAC(c7, ak, b[7]);
        a += a_col;
        b += b_row;
    }
    y[0] = c0, y[1] = c1, y[2] = c2, y[3] = c3, y[4] = c4, y[5] = c5, y[6] = c6, y[7] = c7;
}

/* 8 outputs; a_col and b_row are 1: each output is a dot product of two contiguous rows. */
static void tile_1x8_along(const float *a, const float *b, float *y, const gm_gemm_strides *s)
{
    uint32_t b_col = s->b_col;
    const float *b0 = b, *b1 = b0 + b_col, *b2 = b1 + b_col, *b3 = b2 + b_col;
    const float *b4 = b3 + b_col, *b5 = b4 + b_col, *b6 = b5 + b_col, *b7 = b6 + b_col;
    float c0 = y[0], c1 = y[1], c2 = y[2], c3 = y[3], c4 = y[4], c5 = y[5], c6 = y[6], c7 = y[7];
    for (const float *end = a + s->k; a != end;) {
        float ak = *a++;
        c0 = GM_MAC(c0, ak, *b0++);
        c1 = GM_MAC(c1, ak, *b1++);
        c2 = GM_MAC(c2, ak, *b2++);
        c3 = GM_MAC(c3, ak, *b3++);
        c4 = GM_MAC(c4, ak, *b4++);
        c5 = GM_MAC(c5, ak, *b5++);
        c6 = GM_MAC(c6, ak, *b6++);
        c7 = GM_MAC(c7, ak, *b7++);
    }
    y[0] = c0, y[1] = c1, y[2] = c2, y[3] = c3, y[4] = c4, y[5] = c5, y[6] = c6, y[7] = c7;
}

void gm_gemm_row(const float *a, const float *b, float *y, uint32_t n, const gm_gemm_strides *s)
{
#if GM_ARCH_SIMD
    if (gm_simd_runs()) {
        gm_simd_gemm(a, b, y, 1, n, n, s);
        return;
    }
#endif
    int across = s->b_col == 1, along = s->b_row == 1 && s->a_col == 1;
    for (; n >= 8 && (across || along); n -= 8) {
        (across ? tile_1x8_across : tile_1x8_along)(a, b, y, s);
        b += 8 * s->b_col;
        y += 8;
    }
    for (; n > 0; n--) {
        tile_1x1(a, b, y, s);
        b += s->b_col;
        y++;
    }
}

/* ---- Four rows --------------------------------------------------------------------------------------------- */

#define TILE_ROWS 4

/* A tile of 4 rows by 4 columns of y. */
static void tile_4x4(const float *a, const float *b, float *y, uint32_t y_row, const gm_gemm_strides *s)
{
    uint32_t a_col = s->a_col, b_row = s->b_row;
    const float *a0 = a, *a1 = a0 + s->a_row, *a2 = a1 + s->a_row, *a3 = a2 + s->a_row;
    const float *b0 = b, *b1 = b0 + s->b_col, *b2 = b1 + s->b_col, *b3 = b2 + s->b_col;
    float *y1 = y + y_row, *y2 = y1 + y_row, *y3 = y2 + y_row;
    float c00 = y[0], c01 = y[1], c02 = y[2], c03 = y[3];
    float c10 = y1[0], c11 = y1[1], c12 = y1[2], c13 = y1[3];
    float c20 = y2[0], c21 = y2[1], c22 = y2[2], c23 = y2[3];
    float c30 = y3[0], c31 = y3[1], c32 = y3[2], c33 = y3[3];
    for (uint32_t k = s->k; k > 0; k--) {
        float u0 = *a0, u1 = *a1, u2 = *a2, u3 = *a3;
        float v0 = *b0, v1 = *b1, v2 = *b2, v3 = *b3;
        c00 = GM_MAC(c00, u0, v0), c01 = GM_MAC(c01, u0, v1), c02 = GM_MAC(c02, u0, v2), c03 = GM_MAC(c03, u0, v3);
        c10 = GM_MAC(c10, u1, v0), c11 = GM_MAC(c11, u1, v1), c12 = GM_MAC(c12, u1, v2), c13 = GM_MAC(c13, u1, v3);
        c20 = GM_MAC(c20, u2, v0), c21 = GM_MAC(c21, u2, v1), c22 = GM_MAC(c22, u2, v2), c23 = GM_MAC(c23, u2, v3);
        c30 = GM_MAC(c30, u3, v0), c31 = GM_MAC(c31, u3, v1), c32 = GM_MAC(c32, u3, v2), c33 = GM_MAC(c33, u3, v3);
        a0 += a_col, a1 += a_col, a2 += a_col, a3 += a_col;
        b0 += b_row, b1 += b_row, b2 += b_row, b3 += b_row;
    }
    y[0] = c00, y[1] = c01, y[2] = c02, y[3] = c03;
    y1[0] = c10, y1[1] = c11, y1[2] = c12, y1[3] = c13;
    y2[0] = c20, y2[1] = c21, y2[2] = c22, y2[3] = c23;
    y3[0] = c30, y3[1] = c31, y3[2] = c32, y3[3] = c33;
}

static void four_rows(const float *a, const float *b, float *y, uint32_t n, uint32_t y_row, const gm_gemm_strides *s)
{
    uint32_t column = 0;
    for (; n - column >= 4; column += 4) {
        tile_4x4(a, b + column * s->b_col, y + column, y_row, s);
    }
    for (uint32_t row = 0; row < TILE_ROWS && column < n; row++) {
        gm_gemm_row(a + row * s->a_row, b + column * s->b_col, y + row * y_row + column, n - column, s);
    }
}

void gm_gemm_matrix(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                    const gm_gemm_strides *s)
{
#if GM_ARCH_SIMD
    if (gm_simd_runs()) {
        gm_simd_gemm(a, b, y, m, n, y_row, s);
        return;
    }
#endif
    for (; m >= TILE_ROWS; m -= TILE_ROWS) {
        four_rows(a, b, y, n, y_row, s);
        a += TILE_ROWS * s->a_row;
        y += TILE_ROWS * y_row;
    }
    for (; m > 0; m--) {
        gm_gemm_row(a, b, y, n, s);
        a += s->a_row;
        y += y_row;
    }
}

#endif
