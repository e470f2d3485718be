#include "gemm_tile.h"

#if GM_WITH_GEMM || GM_WITH_GEMM_UPDATE

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

static void tile_1x4(const float *a, const float *b, float *y, const gm_gemm_strides *s)
{
    const float *b0 = b, *b1 = b0 + s->b_col, *b2 = b1 + s->b_col, *b3 = b2 + s->b_col;
    float c0 = y[0], c1 = y[1], c2 = y[2], c3 = y[3];
    for (uint32_t k = s->k; k > 0; k--) {
        float ak = *a;
        c0 = GM_MAC(c0, ak, *b0);
        c1 = GM_MAC(c1, ak, *b1);
        c2 = GM_MAC(c2, ak, *b2);
        c3 = GM_MAC(c3, ak, *b3);
        a += s->a_col;
        b0 += s->b_row;
        b1 += s->b_row;
        b2 += s->b_row;
        b3 += s->b_row;
    }
    y[0] = c0;
    y[1] = c1;
    y[2] = c2;
    y[3] = c3;
}

void gm_gemm_row(const float *a, const float *b, float *y, uint32_t n, const gm_gemm_strides *s)
{
    for (; n >= 4; n -= 4) {
        tile_1x4(a, b, y, s);
        b += 4 * s->b_col;
        y += 4;
    }
    for (; n > 0; n--) {
        tile_1x1(a, b, y, s);
        b += s->b_col;
        y++;
    }
}

#endif
