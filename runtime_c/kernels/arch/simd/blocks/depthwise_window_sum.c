/* Window sums with adjacent groups of one input and one output each in vectors. */
#include "../../../../generated/instructions/conv.h"
#include "../../../../generated/instructions/conv_transpose.h"
#include "depthwise_rows.h"
#include "panel.h"
#include "window_sum.h"

#if GM_ARCH_TILES && (GM_WITH_CONV || GM_WITH_CONV_TRANSPOSE)

/* Pixels that share a load of weights. */
#define DEPTHWISE_PIXELS 4u

/* [tap][group] for several adjacent groups */
typedef struct depthwise_weights {
    GM_SIMD_ALIGNED float panel[GM_PANEL_FLOATS];
    uint32_t width;
} depthwise_weights;

GM_SIMD_INLINE void pack_depthwise_weights(depthwise_weights *own, const gm_window_sum *sum, const float *w,
                                           uint32_t groups)
{
    uint32_t taps = sum->columns.kernel, rows = sum->rows.kernel;
    if (sum->w_h == taps * sum->w_w) {
        taps *= rows, rows = 1;
    }
    own->width = (groups + GM_LANES - 1) / GM_LANES * GM_LANES;
    for (uint32_t k = 0; k < rows; k++) {
        gm_pack(own->panel + (size_t)k * taps * own->width, w + (size_t)k * sum->w_h, sum->w_w, sum->w_group, taps,
                groups, own->width);
    }
}

/* `columns` adjacent groups, from `group` on, of a tile of pixels; bias: NULL or that of the
 * first group packed. */
GM_SIMD_INLINE void sum_groups(const gm_window_sum *sum, const gm_region *region, const gm_window_pixels *p,
                               const depthwise_weights *w, const float *bias, uint32_t group, uint32_t columns,
                               uint32_t pixels)
{
    gm_vec sums[DEPTHWISE_PIXELS], weight, value;
    GM_UNROLL
    for (uint32_t r = 0; r < pixels; r++) {
        sums[r] = gm_vec_splat(GM_EMPTY_SUM);
        if (sum->accumulate || bias) {
            gm_tile_load(&sums[r], (sum->accumulate ? p->dest[r] : bias) + group, columns, 1);
        }
    }
    for (uint32_t i = 0; i < region->taps; i++) {
        weight = gm_vec_load(w->panel + (size_t)region->number[i] * w->width + group);
        GM_UNROLL
        for (uint32_t r = 0; r < pixels; r++) {
            gm_tile_load(&value, p->source[r] + region->source[i] + group, columns, 1);
            sums[r] = gm_vec_mac(sums[r], value, weight);
        }
    }
    gm_window_finish(sums, sum, pixels);
    GM_UNROLL
    for (uint32_t r = 0; r < pixels; r++) {
        gm_tile_store(p->dest[r] + group, &sums[r], columns, 1);
    }
}

/* The groups from g on, for some pixels of a region. pixels: a constant. */
GM_SIMD_INLINE void sum_pixels(const gm_window_sum *sum, const gm_region *region, const gm_window_pixels *p,
                               const depthwise_weights *w, const float *bias, uint32_t g, uint32_t groups,
                               uint32_t pixels)
{
    for (; groups - g >= GM_LANES; g += GM_LANES) {
        sum_groups(sum, region, p, w, bias, g, GM_LANES, pixels);
    }
    if (g < groups) {
        sum_groups(sum, region, p, w, bias, g, groups - g, pixels);
    }
}

/* `groups` adjacent groups, beginning with that of sum->x and sum->y, for all pixels */
static GM_SIMD_TARGET void sum_range(const gm_window_sum *sum, const float *w, const float *bias, uint32_t groups)
{
    depthwise_weights own;
    gm_region region;
    uint32_t done = 0;
    pack_depthwise_weights(&own, sum, w, groups);
#if GM_DEPTHWISE_ROWS
    const gm_depthwise_operands operands = {own.panel, bias, own.width, groups};
    done = gm_simd_depthwise_rows(sum, &operands);
    if (done == groups) {
        return;
    }
#endif
    gm_first_region(&region, &sum->rows, &sum->columns, &sum->source);
    do {
        gm_pixel_cursor at = gm_first_pixel(sum, &region);
        for (uint32_t left = sum->batch * region.rows.count * region.columns.count; left > 0;) {
            gm_window_pixels p;
            gm_next_pixels(&p, &at, sum, &region, left, DEPTHWISE_PIXELS);
            sum_pixels(sum, &region, &p, &own, bias, done, groups, DEPTHWISE_PIXELS);
            left -= p.count;
        }
    } while (gm_next_region(&region, &sum->rows, &sum->columns, &sum->source));
}

int gm_simd_depthwise_sum(const gm_window_sum *sum)
{
    uint32_t taps = sum->rows.kernel * sum->columns.kernel;
    if (sum->source.group != 1 || sum->dest.group != 1 || sum->groups < GM_LANES / 2) {
        return 0;
    }
    uint32_t most = GM_PANEL_FLOATS / taps / GM_LANES * GM_LANES;
    gm_window_sum own = *sum;
    for (uint32_t first = 0; first < sum->groups; first += most, own.x += most, own.y += most) {
        sum_range(&own, sum->w + (size_t)first * sum->w_group, sum->bias ? sum->bias + first : NULL,
                  sum->groups - first < most ? sum->groups - first : most);
    }
    return 1;
}

#endif
