/* Matrix products with vectors: y[i,j] += sum over k of a[i,k] b[k,j], k in ascending order. */
#include "../../gemm_tile.h"
#include "avx512.h"
#include "blocks/panel.h"
#include "simd.h"

#if GM_ARCH_SIMD

/* ---- One row ------------------------------------------------------------------------------------------------- */

/* `vectors` vectors of outputs of one row; b_col is 1. */
GM_SIMD_INLINE void row_block_across(const float *a, const float *b, float *y, const gm_gemm_strides *s,
                                     uint32_t vectors)
{
    gm_vec sums[GM_ROW_VECTORS];
    gm_tile_load(sums, y, vectors * GM_LANES, vectors);
    gm_tile_mac(sums, &a, s->a_col, b, s->b_row, s->k, 1, vectors);
    gm_tile_store(y, sums, vectors * GM_LANES, vectors);
}

/* The remaining outputs of the row, less than a vector. */
GM_SIMD_INLINE void row_end_across(const float *a, const float *b, float *y, uint32_t n, const gm_gemm_strides *s)
{
    gm_vec sum = gm_vec_load_part(y, n);
    for (uint32_t k = 0; k < s->k; k++) {
        sum = gm_vec_mac(sum, gm_vec_splat(a[(size_t)k * s->a_col]), gm_vec_load_part(b + (size_t)k * s->b_row, n));
    }
    gm_vec_store_part(y, sum, n);
}

static GM_SIMD_TARGET void gemm_row_across(const float *a, const float *b, float *y, uint32_t n,
                                           const gm_gemm_strides *s)
{
    for (; n >= GM_ROW_VECTORS * GM_LANES; n -= GM_ROW_VECTORS * GM_LANES) {
        row_block_across(a, b, y, s, GM_ROW_VECTORS);
        b += GM_ROW_VECTORS * GM_LANES;
        y += GM_ROW_VECTORS * GM_LANES;
    }
    for (; n >= GM_TILE_COLUMNS; n -= GM_TILE_COLUMNS) {
        row_block_across(a, b, y, s, GM_TILE_VECTORS);
        b += GM_TILE_COLUMNS;
        y += GM_TILE_COLUMNS;
    }
    for (; n >= GM_LANES; n -= GM_LANES) {
        row_block_across(a, b, y, s, 1);
        b += GM_LANES;
        y += GM_LANES;
    }
    if (n > 0) {
        row_end_across(a, b, y, n, s);
    }
}

/* t[i][c] = b[i + c b_col] for i below `count`: missing columns repeat the last of `columns`. */
GM_SIMD_INLINE void load_transposed(gm_vec *t, const float *b, size_t b_col, uint32_t columns, uint32_t count)
{
#ifdef GM_VEC_LOADS_TRANSPOSED
    const float *rows[GM_LANES];
    if (count == GM_LANES) {
        GM_UNROLL
        for (uint32_t c = 0; c < GM_LANES; c++) {
            rows[c] = b + (c < columns ? c : columns - 1) * b_col;
        }
        gm_vec_load_transposed(t, rows);
        return;
    }
#endif
    GM_UNROLL
    for (uint32_t c = 0; c < GM_LANES; c++) {
        gm_tile_load(&t[c], b + (c < columns ? c : columns - 1) * b_col, count, 1);
    }
    gm_vec_transpose(t);
}

/* sum += a b over the first `count` of GM_LANES values of k, with elements from `a` and b on. */
GM_SIMD_INLINE gm_vec add_block_along(gm_vec sum, const float *a, size_t a_col, const float *b, size_t b_col,
                                      uint32_t columns, uint32_t count)
{
    gm_vec t[GM_LANES];
    load_transposed(t, b, b_col, columns, count);
    GM_UNROLL
    for (uint32_t i = 0; i < GM_LANES; i++) {
        sum = i < count ? gm_vec_mac(sum, gm_vec_splat(a[i * a_col]), t[i]) : sum;
    }
    return sum;
}

/* The same for the remaining values of k. */
GM_SIMD_LONG gm_vec add_rest_along(gm_vec sum, const float *a, size_t a_col, const float *b, size_t b_col,
                                   uint32_t columns, uint32_t count)
{
    return add_block_along(sum, a, a_col, b, b_col, columns, count);
}

/* `vectors` vectors of outputs of one row; b_row is 1. The last vector has `last` outputs. */
GM_SIMD_INLINE void row_block_along(const float *a, const float *b, float *y, const gm_gemm_strides *s,
                                    uint32_t vectors, uint32_t last)
{
    size_t b_col = s->b_col, a_col = s->a_col;
    uint32_t columns = (vectors - 1) * GM_LANES + last, k = s->k;
    gm_vec sums[GM_TILE_ROWS];
    gm_tile_load(sums, y, columns, vectors);
    for (; k >= GM_LANES; k -= GM_LANES) {
        GM_UNROLL
        for (uint32_t v = 0; v < vectors; v++) {
            sums[v] = add_block_along(sums[v], a, a_col, b + v * GM_LANES * b_col, b_col,
                                      v + 1 < vectors ? GM_LANES : last, GM_LANES);
        }
        a += GM_LANES * a_col;
        b += GM_LANES;
    }
    if (k > 0) {
        GM_UNROLL
        for (uint32_t v = 0; v < vectors; v++) {
            sums[v] = add_rest_along(sums[v], a, a_col, b + v * GM_LANES * b_col, b_col,
                                     v + 1 < vectors ? GM_LANES : last, k);
        }
    }
    gm_tile_store(y, sums, columns, vectors);
}

static GM_SIMD_TARGET void gemm_row_along(const float *a, const float *b, float *y, uint32_t n,
                                          const gm_gemm_strides *s)
{
    for (; n >= GM_TILE_ROWS * GM_LANES; n -= GM_TILE_ROWS * GM_LANES) {
        row_block_along(a, b, y, s, GM_TILE_ROWS, GM_LANES);
        b += (size_t)GM_TILE_ROWS * GM_LANES * s->b_col;
        y += GM_TILE_ROWS * GM_LANES;
    }
    uint32_t last = (n + GM_LANES - 1) % GM_LANES + 1;
    switch ((n + GM_LANES - 1) / GM_LANES) {
    case 4: row_block_along(a, b, y, s, 4, last); break;
    case 3: row_block_along(a, b, y, s, 3, last); break;
    case 2: row_block_along(a, b, y, s, 2, last); break;
    case 1: row_block_along(a, b, y, s, 1, last); break;
    default: break;
    }
}

/* ---- Tiles --------------------------------------------------------------------------------------------------- */

/* y (m rows) += a b; b is a panel or as wide as one. In the last tile, rows past m
 * repeat the last row. */
GM_SIMD_INLINE void multiply_panel(const float *a, size_t a_row, size_t a_col, const float *b, size_t b_row, float *y,
                                   size_t y_row, uint32_t m, uint32_t columns, uint32_t k, uint32_t vectors)
{
    for (uint32_t row = 0; row < m; row += GM_TILE_ROWS) {
        gm_vec sums[GM_TILE_ROWS * GM_TILE_VECTORS];
        const float *rows[GM_TILE_ROWS];
        GM_UNROLL
        for (uint32_t r = 0; r < GM_TILE_ROWS; r++) {
            uint32_t own = row + r < m ? row + r : m - 1;
            rows[r] = a + own * a_row;
            gm_tile_load(sums + r * vectors, y + own * y_row, columns, vectors);
        }
        gm_tile_mac(sums, rows, a_col, b, b_row, k, GM_TILE_ROWS, vectors);
        GM_UNROLL
        for (uint32_t r = 0; r < GM_TILE_ROWS; r++) {
            if (row + r < m) {
                gm_tile_store(y + (row + r) * y_row, sums + r * vectors, columns, vectors);
            }
        }
    }
}

#if GM_ARCH_AVX512

/* multiply_panel() with one wide row for each row of y. */
static GM_SIMD_TARGET_512 void multiply_panel_512(const float *a, size_t a_row, size_t a_col, const float *b,
                                                  size_t b_row, float *y, size_t y_row, uint32_t m, uint32_t k)
{
    for (uint32_t row = 0; row < m; row += GM_TILE_ROWS_512) {
        gm_wide sums[GM_TILE_ROWS_512];
        const float *rows[GM_TILE_ROWS_512];
        GM_UNROLL
        for (uint32_t r = 0; r < GM_TILE_ROWS_512; r++) {
            uint32_t own = row + r < m ? row + r : m - 1;
            rows[r] = a + own * a_row;
            sums[r] = gm_wide_load(y + own * y_row);
        }
        gm_wide_tile_mac_at(sums, rows, 0, a_col, b, b_row, k, GM_TILE_ROWS_512);
        GM_UNROLL
        for (uint32_t r = 0; r < GM_TILE_ROWS_512; r++) {
            if (row + r < m) {
                gm_wide_store(y + (row + r) * y_row, sums[r]);
            }
        }
    }
}

#endif

/* A right-hand matrix of so many floats stays in the L1 cache without packing. */
#define SMALL_MATRIX 4096u

/* All rows of up to a panel's width of columns. Without a panel, b is read again for each
 * GM_TILE_ROWS rows, and with a power of two between its rows, they share a few cache lines. */
GM_SIMD_INLINE void multiply_columns(const float *a, const float *b, float *y, uint32_t m, uint32_t columns,
                                     uint32_t y_row, const gm_gemm_strides *s, uint32_t vectors)
{
    GM_SIMD_ALIGNED float panel[GM_PANEL_FLOATS];
    uint32_t width = vectors * GM_LANES, longest = GM_PANEL_FLOATS / width;
    int few = m <= 2 * GM_TILE_ROWS || (size_t)s->k * s->b_row <= SMALL_MATRIX;
    int direct = s->b_col == 1 && columns == width && few;
    for (uint32_t first = 0; first < s->k; first += longest) {
        uint32_t k = s->k - first < longest ? s->k - first : longest;
        const float *from = b + (size_t)first * s->b_row;
        if (!direct) {
            gm_pack(panel, from, s->b_row, s->b_col, k, columns, width);
        }
        const float *own_a = a + (size_t)first * s->a_col, *own_b = direct ? from : panel;
        size_t b_row = direct ? s->b_row : width;
#if GM_ARCH_AVX512
        if (vectors == GM_TILE_VECTORS && columns == width && m > GM_TILE_ROWS && gm_simd_runs_512()) {
            multiply_panel_512(own_a, s->a_row, s->a_col, own_b, b_row, y, y_row, m, k);
            continue;
        }
#endif
        multiply_panel(own_a, s->a_row, s->a_col, own_b, b_row, y, y_row, m, columns, k, vectors);
    }
}

static GM_SIMD_TARGET void wide_columns(const float *a, const float *b, float *y, uint32_t m, uint32_t columns,
                                        uint32_t y_row, const gm_gemm_strides *s)
{
    multiply_columns(a, b, y, m, columns, y_row, s, GM_TILE_VECTORS);
}

static GM_SIMD_TARGET void narrow_columns(const float *a, const float *b, float *y, uint32_t m, uint32_t columns,
                                          uint32_t y_row, const gm_gemm_strides *s)
{
    multiply_columns(a, b, y, m, columns, y_row, s, 1);
}

void gm_simd_gemm(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                  const gm_gemm_strides *s)
{
    if (m == 1 && s->b_col == 1) {
        gemm_row_across(a, b, y, n, s);
        return;
    }
    if (m == 1 && s->b_row == 1) {
        gemm_row_along(a, b, y, n, s);
        return;
    }
    for (uint32_t first = 0; first < n; first += GM_TILE_COLUMNS) {
        uint32_t columns = n - first < GM_TILE_COLUMNS ? n - first : GM_TILE_COLUMNS;
        const float *own_b = b + (size_t)first * s->b_col;
        (columns > GM_LANES ? wide_columns : narrow_columns)(a, own_b, y + first, m, columns, y_row, s);
    }
}

/* ---- Products of one term ------------------------------------------------------------------------------------- */

#if GM_ARCH_OUTER_PRODUCT

static GM_SIMD_TARGET void outer_product(const gm_outer_product *product, const float *a, const float *b, float *y)
{
    gm_vec start = gm_vec_splat(product->start);
    uint32_t n = product->n;
    for (uint32_t i = 0; i < product->m; i++, y += n) {
        gm_vec factor = gm_vec_splat(a[(size_t)i * product->a_row]);
        uint32_t j = 0;
        for (; n - j >= GM_LANES; j += GM_LANES) {
            gm_vec_store(y + j, gm_vec_mac(start, factor, gm_vec_load(b + j)));
        }
        if (j < n) {
            gm_vec_store_part(y + j, gm_vec_mac(start, factor, gm_vec_load_part(b + j, n - j)), n - j);
        }
    }
}

int gm_simd_outer_product(const gm_outer_product *product, const float *a, const float *b, float *y)
{
    if (!gm_simd_runs()) {
        return 0;
    }
    outer_product(product, a, b, y);
    return 1;
}

#endif

/* ---- Weights of steps ---------------------------------------------------------------------------------------- */

#if GM_ARCH_FUNCTIONS

static GM_SIMD_TARGET void transpose_weights(float *panel, const float *w, uint32_t n, uint32_t hidden, uint32_t width)
{
    gm_pack(panel, w, 1, hidden, hidden, n, width);
}

uint32_t gm_simd_transpose(float *panel, uint32_t room, const float *w, uint32_t n, uint32_t hidden)
{
    uint32_t width = (n + GM_LANES - 1) / GM_LANES * GM_LANES;
    if (!gm_simd_runs() || (uint64_t)width * hidden > room) {
        return 0;
    }
    transpose_weights(panel, w, n, hidden, width);
    return width;
}

#endif

#endif
