/* Sums over windows: CONV, whose pixels are its outputs, and CONV_TRANSPOSE, whose pixels are its
 * inputs. */
#ifndef GM_SIMD_WINDOW_SUM_H
#define GM_SIMD_WINDOW_SUM_H

#include "window_regions.h"
#include "../simd.h"
#include "tile.h"

#if GM_ARCH_SIMD

/* dest[b,row,column,group,output] from source[b,i,j,group,input] and weights, over taps and inputs. */
typedef struct gm_window_sum {
    gm_axis rows, columns;
    gm_layout source, dest;
    uint32_t batch, groups, inputs, outputs;
    uint32_t w_group, w_output, w_input, w_h, w_w;
    const float *x, *w, *bias;
    float *y;
    int accumulate; /* start from dest */
    int relu;       /* cut at 0 */
    int transposed; /* of CONV_TRANSPOSE, which adds +0 so that an empty sum is no -0 */
} gm_window_sum;

/* With vectors along the outputs of a group; along groups of one input and one output: 1 where they
 * are done. */
int gm_simd_dense_sum(const gm_window_sum *sum);
int gm_simd_depthwise_sum(const gm_window_sum *sum);

/* Whichever of the two suits; the axes are set. */
static inline int gm_simd_window_sum(const gm_window_sum *sum)
{
    return sum->inputs == 1 && sum->outputs == 1 ? gm_simd_depthwise_sum(sum) : gm_simd_dense_sum(sum);
}

/* What an output becomes after its last product. */
GM_SIMD_INLINE void gm_window_finish(gm_vec *v, const gm_window_sum *sum, uint32_t vectors)
{
    GM_UNROLL
    for (uint32_t i = 0; i < vectors; i++) {
        v[i] = sum->transposed ? gm_vec_add(v[i], gm_vec_splat(0.0f)) : v[i];
    }
    GM_UNROLL
    for (uint32_t i = 0; i < vectors; i++) {
        v[i] = sum->relu ? gm_vec_relu(v[i]) : v[i];
    }
}

/* Pixels of a tile, at most. */
#define GM_MOST_PIXELS 8u

/* Some pixels of a region. Those behind the last repeat it. */
typedef struct gm_window_pixels {
    const float *source[GM_MOST_PIXELS];
    float *dest[GM_MOST_PIXELS];
    uint32_t count;
} gm_window_pixels;

/* A place among a region's pixels, all of a batch. */
typedef struct gm_place {
    uint32_t batch, row, column;
    const float *source;
    float *dest;
    size_t source_step, dest_step; /* to the next pixel of the row */
} gm_place;

/* The first pixel of a row. */
static inline void gm_place_row(gm_place *at, const gm_window_sum *sum, const gm_region *region)
{
    size_t row = region->rows.first + at->row * sum->rows.phases;
    at->column = 0;
    at->source = sum->x + at->batch * (size_t)sum->source.batch + at->row * (size_t)(sum->rows.advance * sum->source.h);
    at->dest = sum->y + at->batch * (size_t)sum->dest.batch + row * sum->dest.h +
               region->columns.first * (size_t)sum->dest.w;
}

static inline gm_place gm_place_first(const gm_window_sum *sum, const gm_region *region)
{
    gm_place at = {.source_step = (size_t)sum->columns.advance * sum->source.w,
                   .dest_step = (size_t)sum->columns.phases * sum->dest.w};
    gm_place_row(&at, sum, region);
    return at;
}

/* `count` pixels on, at most to the end of the row. */
static inline void gm_place_move(gm_place *at, uint32_t count, const gm_window_sum *sum, const gm_region *region)
{
    at->column += count;
    at->source += count * at->source_step;
    at->dest += count * at->dest_step;
    if (at->column == region->columns.count) {
        at->row = at->row + 1 < region->rows.count ? at->row + 1 : 0;
        at->batch += at->row == 0;
        gm_place_row(at, sum, region);
    }
}

/* The next pixels from a place, of `left`; rows: a constant. */
GM_SIMD_INLINE void gm_next_pixels(gm_window_pixels *p, gm_place *at, const gm_window_sum *sum, const gm_region *region,
                                   uint32_t left, uint32_t rows)
{
    p->count = left < rows ? left : rows;
    if (region->columns.count - at->column >= rows) {
        GM_UNROLL
        for (uint32_t r = 0; r < rows; r++) {
            p->source[r] = at->source + r * at->source_step;
            p->dest[r] = at->dest + r * at->dest_step;
        }
        gm_place_move(at, rows, sum, region);
        return;
    }
    for (uint32_t r = 0; r < rows; r++) {
        p->source[r] = at->source;
        p->dest[r] = at->dest;
        if (r + 1 < p->count) {
            gm_place_move(at, 1, sum, region);
        }
    }
    gm_place_move(at, 1, sum, region);
}

#endif
#endif
