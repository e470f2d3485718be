/*
 * Sums over windows, for each pixel, which is an output of CONV or an input of CONV_TRANSPOSE:
 *
 *     dest[pixel,group,output] = start + sum over taps and inputs of source[under the tap,group,input] w
 *
 * Pixels that see the same taps form a region: those in the interior of an image, those at an edge,
 * and those in a corner.
 */
#ifndef GM_RISCV_WINDOW_SUM_H
#define GM_RISCV_WINDOW_SUM_H

#include "../../../window.h"
#include "tile.h"

#if GM_ARCH_RISCV

/* Rows or columns of a window. For CONV_TRANSPOSE, stride or dilation is 1. */
typedef struct gm_riscv_axis {
    uint32_t pixels, source, kernel, stride, dilation, pad;
    int transposed;
    uint32_t pixel_step;  /* between pixels that may see the same taps */
    uint32_t source_step; /* between what such pixels see under the same tap */
    uint32_t tap_step;    /* between the taps that a pixel sees */
    size_t source_tap;    /* between what it sees under them; an address wraps with it */
} gm_riscv_axis;

/* The first of the taps that a pixel sees, their number, and what it sees under the first. */
typedef struct gm_riscv_taps {
    uint32_t first, count, source;
} gm_riscv_taps;

/* Pixels that see the same taps. source: what the first of them sees. */
typedef struct gm_riscv_stretch {
    uint32_t first, count;
    gm_riscv_taps taps;
} gm_riscv_stretch;

typedef struct gm_riscv_window_sum {
    gm_riscv_axis rows, columns;
    gm_layout source, dest;
    uint32_t batch, groups, inputs, outputs;
    size_t w_group, w_output, w_input, w_h, w_w;
    const float *x, *w, *bias;
    float *y;
    int accumulate; /* sums start from dest */
    int relu;
    int transposed; /* CONV_TRANSPOSE, which adds +0 so that an empty sum is not -0 */
} gm_riscv_window_sum;

typedef struct gm_riscv_region {
    gm_riscv_stretch rows, columns;
} gm_riscv_region;

/* Does all of it. Returns 0, and does nothing, if plain C is better. */
int gm_riscv_sum_windows(const gm_riscv_window_sum *sum);

/* The axes of CONV and of CONV_TRANSPOSE. */
gm_riscv_axis gm_riscv_conv_axis(uint32_t in, uint32_t out, uint32_t kernel, uint32_t stride, uint32_t dilation,
                                 uint32_t pad);
gm_riscv_axis gm_riscv_transposed_axis(uint32_t in, uint32_t out, uint32_t kernel, uint32_t stride, uint32_t dilation,
                                       uint32_t pad);

/* Sets what a tile needs to know about the window: taps and the steps between them, for k products
 * in each, and the weights of the first tap. */
void gm_riscv_set_taps(gm_riscv_tile *tile, const gm_riscv_window_sum *sum, const gm_riscv_region *region,
                       const float *w);

/* Returns the tile of a region of a depthwise window sum, still without pixels. */
gm_riscv_tile gm_riscv_depthwise_tile(const gm_riscv_window_sum *sum, const gm_riscv_region *region);

/* A position in a region. x: the first tap's source; y: of the pixel. Steps are in elements: to the
 * next pixel, and from the end of a row to the first pixel of the next row. */
typedef struct gm_riscv_cursor {
    const float *x;
    float *y;
    uint32_t column, columns, left; /* left: remaining pixels of the region */
    size_t x_step, y_step, x_row, y_row;
} gm_riscv_cursor;

gm_riscv_cursor gm_riscv_first_pixel(const gm_riscv_window_sum *sum, const gm_riscv_region *region, const float *x,
                                     float *y);

/* Advances by one pixel. */
static inline void gm_riscv_move_cursor(gm_riscv_cursor *at)
{
    at->x += at->x_step, at->y += at->y_step;
    if (++at->column == at->columns) {
        at->column = 0;
        at->x += at->x_row, at->y += at->y_row;
    }
}

/* Sets the rows of a tile to the next pixels, and may repeat the last one. Returns
 * how many there are. */
uint32_t gm_riscv_take_pixels(gm_riscv_tile *tile, gm_riscv_cursor *at, uint32_t rows);

/* The sums of a region of one sample, for one group or, depthwise, for all. */
void gm_riscv_sum_dense(const gm_riscv_window_sum *sum, const gm_riscv_region *region, const float *x, const float *w,
                        const float *bias, float *y);
void gm_riscv_sum_depthwise(const gm_riscv_window_sum *sum, const gm_riscv_region *region, const float *x, float *y);

#if GM_ARCH_ZVE32F
/* With vectors, lanes of groups are better. */
#define gm_riscv_is_walk(sum, columns) 0
#define gm_riscv_is_narrow_walk(sum) 0
#define gm_riscv_walk(sum, region, x, y) (void)(region)
#else
/* Whether these columns have 3 rows of 3 or 2 columns of taps, which advance by one with each
 * pixel, and at most one row of taps is outside the image at each end: such columns are walked
 * from top to bottom. */
int gm_riscv_is_walk(const gm_riscv_window_sum *sum, const gm_riscv_stretch *columns);

/* Whether the image has such columns and is so narrow that all of them are walked at once. */
int gm_riscv_is_narrow_walk(const gm_riscv_window_sum *sum);

/* The sums of all groups of a region that has all rows and, in a narrow image, all columns. */
void gm_riscv_walk(const gm_riscv_window_sum *sum, const gm_riscv_region *region, const float *x, float *y);
#endif

#endif
#endif
