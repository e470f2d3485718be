/* AVERAGE_POOL and AVERAGE_POOL_GRAD for adjacent channels: each lane holds one, and takes the
 * elements of its window in order. */
#include "../../../generated/instructions/average_pool.h"
#include "../../../generated/instructions/average_pool_grad.h"
#include "../../window.h"
#include "blocks/tile.h"
#include "simd.h"

#if GM_ARCH_AVERAGES && GM_WITH_AVERAGE_POOL

/* The averages of `vectors` vectors of channels, from x and y on, at output (row, column). Elements
 * outside the input would add +0, which changes no sum that starts from +0. vectors: a constant. */
GM_SIMD_INLINE void average_vectors(const gm_insn_average_pool *insn, const float *x, uint32_t row, uint32_t column,
                                    float count, float *y, uint32_t vectors)
{
    gm_vec sums[GM_ROW_VECTORS];
    GM_UNROLL
    for (uint32_t v = 0; v < vectors; v++) {
        sums[v] = gm_vec_splat(0.0f);
    }
    for (uint32_t k = 0; k < insn->kernel_h; k++) {
        uint32_t i = gm_input_index(row, k, insn->stride_h, insn->dilation_h, insn->pad_h);
        for (uint32_t l = 0; l < insn->kernel_w && i < insn->in_h; l++) {
            uint32_t j = gm_input_index(column, l, insn->stride_w, insn->dilation_w, insn->pad_w);
            if (j >= insn->in_w) {
                continue;
            }
            const float *from = x + (size_t)i * insn->x_h + (size_t)j * insn->x_w;
            GM_UNROLL
            for (uint32_t v = 0; v < vectors; v++) {
                sums[v] = gm_vec_add(sums[v], gm_vec_load(from + v * GM_LANES));
            }
        }
    }
    GM_UNROLL
    for (uint32_t v = 0; v < vectors; v++) {
        gm_vec_store(y + v * GM_LANES, gm_vec_div(sums[v], gm_vec_splat(count)));
    }
}

static GM_SIMD_TARGET uint32_t average(const gm_insn_average_pool *insn, const float *x, uint32_t row, uint32_t column,
                                       float count, float *y)
{
    uint32_t c = 0;
    for (; insn->channels - c >= GM_ROW_VECTORS * GM_LANES; c += GM_ROW_VECTORS * GM_LANES) {
        average_vectors(insn, x + c, row, column, count, y + c, GM_ROW_VECTORS);
    }
    for (; insn->channels - c >= GM_LANES; c += GM_LANES) {
        average_vectors(insn, x + c, row, column, count, y + c, 1);
    }
    return c;
}

uint32_t gm_simd_average(const gm_insn_average_pool *insn, const float *x, uint32_t row, uint32_t column, float count,
                         float *y)
{
    int are_neighbours = insn->x_channel == 1 && insn->y_channel == 1;
    return are_neighbours && gm_simd_runs() ? average(insn, x, row, column, count, y) : 0;
}

#endif

#if GM_ARCH_AVERAGES && GM_WITH_AVERAGE_POOL_GRAD

static GM_SIMD_TARGET uint32_t average_grad(const float *dy, float count, float *dx, uint32_t channels)
{
    uint32_t c = 0;
    for (; channels - c >= GM_LANES; c += GM_LANES) {
        gm_vec gradient = gm_vec_div(gm_vec_load(dy + c), gm_vec_splat(count));
        gm_vec_store(dx + c, gm_vec_add(gm_vec_load(dx + c), gradient));
    }
    return c;
}

uint32_t gm_simd_average_grad(const gm_insn_average_pool_grad *insn, const float *dy, float count, float *dx)
{
    int are_neighbours = insn->x_channel == 1 && insn->y_channel == 1;
    return are_neighbours && gm_simd_runs() ? average_grad(dy, count, dx, insn->channels) : 0;
}

#endif
