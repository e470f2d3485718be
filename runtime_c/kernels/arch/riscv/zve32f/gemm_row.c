/*
 * One row of a matrix product; its outputs are lanes. Machine instructions for each
 * multiply-accumulate of a long sum, with 32 columns, as many as fit at once in
 * 128-bit vectors: 0.19.
 */
#include "../../../gemm_tile.h"
#include "lanes.h"

#if GM_ARCH_ZVE32F

/* Registers. */
#define V_ROW_SUMS 0
#define V_ROW_NUMBERS 8
#define V_ROW_PRODUCTS 16

GM_INLINED void sum_row_of_lanes(const float *a, const float *b, const gm_gemm_strides *s, int is_unit)
{
    const size_t a_col = s->a_col, b_row = s->b_row, b_col = s->b_col;
    uint32_t k = s->k;
    for (; k >= 2; k -= 2, a += a_col, b += b_row) {
        gm_lanes_load_either(V_ROW_NUMBERS, b, b_col, is_unit);
        gm_lanes_mac_number(V_ROW_SUMS, V_ROW_NUMBERS, *a, V_ROW_PRODUCTS);
        a += a_col, b += b_row;
        gm_lanes_load_either(V_ROW_NUMBERS, b, b_col, is_unit);
        gm_lanes_mac_number(V_ROW_SUMS, V_ROW_NUMBERS, *a, V_ROW_PRODUCTS);
    }
    if (k > 0) {
        gm_lanes_load_either(V_ROW_NUMBERS, b, b_col, is_unit);
        gm_lanes_mac_number(V_ROW_SUMS, V_ROW_NUMBERS, *a, V_ROW_PRODUCTS);
    }
}

void gm_gemm_row(const float *a, const float *b, float *y, uint32_t n, const gm_gemm_strides *s)
{
    for (uint32_t lanes; n > 0; n -= lanes, b += lanes * (size_t)s->b_col, y += lanes) {
        lanes = gm_lanes_8(n);
        gm_lanes_load(V_ROW_SUMS, y);
        if (s->b_col == 1) {
            sum_row_of_lanes(a, b, s, 1);
        } else {
            sum_row_of_lanes(a, b, s, 0);
        }
        gm_lanes_store(V_ROW_SUMS, y);
    }
}

#endif
