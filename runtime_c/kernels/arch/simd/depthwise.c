#include "panel.h"
#include "pixels.h"
#include "simd.h"

#if GM_ARCH_SIMD && (GM_WITH_CONV || GM_WITH_CONV_TRANSPOSE)

/* The most kernel cells that are taken. */
#define CELLS 128u

/* Where a pixel's window lies on the source, in the order of the sum. */
typedef struct met {
    size_t source[CELLS], weights[CELLS]; /* offsets */
    uint32_t count;
} met;

GM_SIMD_INLINE void meet(met *m, const gm_window_sum *sum, const gm_place *at, uint32_t width)
{
    uint32_t phase_h, phase_w;
    uint32_t base_h = gm_axis_base(&sum->rows, at->row, sum->transposed, &phase_h);
    uint32_t base_w = gm_axis_base(&sum->columns, at->column, sum->transposed, &phase_w);
    m->count = 0;
    for (uint32_t k = 0; k < sum->rows.kernel; k++) {
        uint32_t i = gm_axis_index(&sum->rows, base_h, phase_h, k);
        for (uint32_t l = 0; l < sum->columns.kernel && i < sum->rows.source; l++) {
            uint32_t j = gm_axis_index(&sum->columns, base_w, phase_w, l);
            if (j < sum->columns.source) {
                m->source[m->count] = (size_t)i * sum->source.h + (size_t)j * sum->source.w;
                m->weights[m->count++] = (size_t)(k * sum->columns.kernel + l) * width;
            }
        }
    }
}

/* Neighbouring groups of one pixel; x, w, bias and y: of the first */
GM_SIMD_INLINE void sum_groups(const gm_window_sum *sum, const met *m, const float *x, const float *w, const float *bias,
                               float *y, uint32_t vectors, uint32_t columns)
{
    gm_vec sums[GM_LINE_VECTORS], value;
    GM_UNROLL
    for (uint32_t v = 0; v < vectors; v++) {
        sums[v] = gm_vec_splat(GM_EMPTY_SUM);
    }
    if (sum->accumulate || bias) {
        gm_tile_load(sums, sum->accumulate ? y : bias, columns, vectors);
    }
    for (uint32_t i = 0; i < m->count; i++) {
        GM_UNROLL
        for (uint32_t v = 0; v < vectors; v++) {
            gm_tile_load(&value, x + m->source[i] + v * GM_LANES, columns - v * GM_LANES, 1);
            sums[v] = gm_vec_mac(sums[v], value, gm_vec_load(w + m->weights[i] + v * GM_LANES));
        }
    }
    GM_UNROLL
    for (uint32_t v = 0; v < vectors; v++) {
        sums[v] = sum->transposed ? gm_vec_add(sums[v], gm_vec_splat(0.0f)) : sums[v];
        sums[v] = sum->relu ? gm_vec_relu(sums[v]) : sums[v];
    }
    gm_tile_store(y, sums, columns, vectors);
}

/* All `groups` of one pixel */
GM_SIMD_INLINE void sum_pixel(const gm_window_sum *sum, const met *m, const float *x, const float *w, const float *bias,
                              float *y, uint32_t groups)
{
    uint32_t g = 0;
    for (; groups - g >= GM_TILE_ROWS * GM_LANES; g += GM_TILE_ROWS * GM_LANES) {
        sum_groups(sum, m, x + g, w + g, bias ? bias + g : NULL, y + g, GM_TILE_ROWS, GM_TILE_ROWS * GM_LANES);
    }
    for (; groups - g >= GM_LANES; g += GM_LANES) {
        sum_groups(sum, m, x + g, w + g, bias ? bias + g : NULL, y + g, 1, GM_LANES);
    }
    if (g < groups) {
        sum_groups(sum, m, x + g, w + g, bias ? bias + g : NULL, y + g, 1, groups - g);
    }
}

/* Groups first to first + groups of all pixels */
static GM_SIMD_TARGET void sum_range(const gm_window_sum *sum, uint32_t first, uint32_t groups)
{
    float panel[GM_PANEL_FLOATS];
    uint32_t width = (groups + GM_LANES - 1) / GM_LANES * GM_LANES;
    for (uint32_t k = 0; k < sum->rows.kernel; k++) {
        gm_pack(panel + (size_t)k * sum->columns.kernel * width, sum->w + first * sum->w_group + (size_t)k * sum->w_h,
                sum->w_w, sum->w_group, sum->columns.kernel, groups, width);
    }
    const float *bias = sum->bias ? sum->bias + first : NULL;
    gm_place at = {0, 0, 0};
    for (uint32_t left = sum->batch * sum->rows.pixels * sum->columns.pixels; left > 0; left--) {
        met m;
        meet(&m, sum, &at, width);
        float *y = sum->y + at.batch * (size_t)sum->dest.batch + at.row * (size_t)sum->dest.h +
                   at.column * (size_t)sum->dest.w + first;
        sum_pixel(sum, &m, sum->x + at.batch * (size_t)sum->source.batch + first, panel, bias, y, groups);
        gm_place_next(&at, &sum->rows, &sum->columns);
    }
}

int gm_simd_depthwise(const gm_window_sum *sum)
{
    uint32_t cells = sum->rows.kernel * sum->columns.kernel;
    if (sum->source.group != 1 || sum->dest.group != 1 || cells > CELLS || sum->groups < GM_LANES / 2) {
        return 0;
    }
    uint32_t most = GM_PANEL_FLOATS / cells / GM_LANES * GM_LANES;
    for (uint32_t first = 0; first < sum->groups; first += most) {
        sum_range(sum, first, sum->groups - first < most ? sum->groups - first : most);
    }
    return 1;
}

#endif
