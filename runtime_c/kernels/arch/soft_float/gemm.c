/* Matrix products on a processor without floats: output by output. */
#include "../../gemm_tile.h"
#include "../arch.h"
#include "soft_products.h"

#if GM_ARCH_SOFT_FLOAT

void gm_gemm_row(const float *a, const float *b, float *y, uint32_t n, const gm_gemm_strides *s)
{
    const soft_loop loops[2] = {{1, 0, 0}, {s->k, s->a_col, s->b_row}};
    for (; n > 0; n--, b += s->b_col, y++) {
        *y = soft_value(gm_soft_add_products(soft_sum_of(*y), a, b, loops));
    }
}

void gm_gemm_matrix(const float *a, const float *b, float *y, uint32_t m, uint32_t n, uint32_t y_row,
                    const gm_gemm_strides *s)
{
    for (; m > 0; m--, a += s->a_row, y += y_row) {
        gm_gemm_row(a, b, y, n, s);
    }
}

#endif
