/*
 * Sums over windows, for each pixel, which is an output of CONV or an input of CONV_TRANSPOSE:
 *
 *   dest[pixel,group,output] = sum over taps and inputs of source[at the tap,group,input] w
 */
#ifndef GM_SIMD_WINDOW_SUM_H
#define GM_SIMD_WINDOW_SUM_H

#include "window_regions.h"
#include "../simd.h"
#include "tile.h"

#if GM_ARCH_TILES

/* dest[b,row,column,group,output] from source[b,i,j,group,input] and weights,
 * over taps and inputs. */
typedef struct gm_window_sum {
    gm_axis rows, columns;
    gm_layout source, dest;
    uint32_t batch, groups, inputs, outputs;
    uint32_t w_group, w_output, w_input, w_h, w_w;
    const float *x, *w, *bias;
    float *y;
    int accumulate; /* sums start from dest */
    int relu;       /* negative results become 0 */
    int transposed; /* CONV_TRANSPOSE, which adds +0 so that an empty sum is not -0 */
} gm_window_sum;

/* The first has vectors of a group's outputs, the second vectors of groups with one input and one
 * output. They return 1 if they did the work, 0 if too few of these are adjacent. */
int gm_simd_dense_sum(const gm_window_sum *sum);
int gm_simd_depthwise_sum(const gm_window_sum *sum);

/* Whichever of the two suits; the axes are set. */
static inline int gm_simd_window_sum(const gm_window_sum *sum)
{
    return sum->inputs == 1 && sum->outputs == 1 ? gm_simd_depthwise_sum(sum) : gm_simd_dense_sum(sum);
}

/* Turns complete sums into outputs. */
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

/* The most pixels of a tile. */
#define GM_MOST_PIXELS (GM_BYTES_COUNT ? 8u : 12u)

/* The addresses of some pixels of a region. If fewer are left, the last one is repeated. Those
 * before `first` are done, and are not stored again. */
typedef struct gm_window_pixels {
    const float *source[GM_MOST_PIXELS];
    float *dest[GM_MOST_PIXELS];
    uint32_t first, count;
} gm_window_pixels;

/* The position of an iteration over the pixels of a region, in all samples. */
typedef struct gm_pixel_cursor {
    uint32_t batch, row, column;
    const float *source;
    float *dest;
    size_t source_step, dest_step; /* to the next pixel of the row */
} gm_pixel_cursor;

/* Moves to the first pixel of the row. */
static inline void gm_begin_row(gm_pixel_cursor *at, const gm_window_sum *sum, const gm_region *region)
{
    size_t row = region->rows.first + at->row * sum->rows.phases;
    at->column = 0;
    at->source = sum->x + at->batch * (size_t)sum->source.batch + at->row * (size_t)(sum->rows.advance * sum->source.h);
    at->dest =
        sum->y + at->batch * (size_t)sum->dest.batch + row * sum->dest.h + region->columns.first * (size_t)sum->dest.w;
}

static inline gm_pixel_cursor gm_first_pixel(const gm_window_sum *sum, const gm_region *region)
{
    gm_pixel_cursor at = {.source_step = (size_t)sum->columns.advance * sum->source.w,
                          .dest_step = (size_t)sum->columns.phases * sum->dest.w};
    gm_begin_row(&at, sum, region);
    return at;
}

/* Advances by `count` pixels, which the row must still have. */
static inline void gm_advance_pixels(gm_pixel_cursor *at, uint32_t count, const gm_window_sum *sum,
                                     const gm_region *region)
{
    at->column += count;
    at->source += count * at->source_step;
    at->dest += count * at->dest_step;
    if (at->column == region->columns.count) {
        at->row = at->row + 1 < region->rows.count ? at->row + 1 : 0;
        at->batch += at->row == 0;
        gm_begin_row(at, sum, region);
    }
}

/* Takes the next pixels, `rows` of them or as many as are left. rows: a constant. */
GM_SIMD_LONG void gm_next_pixels(gm_window_pixels *p, gm_pixel_cursor *at, const gm_window_sum *sum,
                                 const gm_region *region, uint32_t left, uint32_t rows)
{
    p->first = 0;
    p->count = left < rows ? left : rows;
    if (region->columns.count - at->column >= rows) {
        GM_UNROLL
        for (uint32_t r = 0; r < rows; r++) {
            p->source[r] = at->source + r * at->source_step;
            p->dest[r] = at->dest + r * at->dest_step;
        }
        gm_advance_pixels(at, rows, sum, region);
        return;
    }
    for (uint32_t r = 0; r < rows; r++) {
        p->source[r] = at->source;
        p->dest[r] = at->dest;
        if (r + 1 < p->count) {
            gm_advance_pixels(at, 1, sum, region);
        }
    }
    gm_advance_pixels(at, 1, sum, region);
}

#endif
#endif
