/*
 * The gradient of a convolution's weights: which form it is computed in, and the sums of some
 * output channels and channels, which all pixels pass by in blocks that stay in the cache.
 */
#ifndef GM_SIMD_WEIGHT_GRADIENT_H
#define GM_SIMD_WEIGHT_GRADIENT_H

#include "../../../conv_gradient.h"
#include "../simd.h"
#include "../vector.h"

#if GM_ARCH_SIMD

#define GM_GRADIENT_MOST_TAPS 128u /* the most kernel taps that are taken */
#define GM_GRADIENT_SUMS (GM_PANEL_FLOATS / 16u * 9u)

/* Output channels, or groups of one channel and one output channel, that a block's slopes are
 * packed for. */
#define GM_GRADIENT_OUT_CHANNELS (GM_PANEL_FLOATS / 256u)

typedef enum gm_gradient_form {
    GM_GRADIENT_PLAIN, /* plain C does it */
    GM_GRADIENT_TILES, /* vectors of channels, by output channels */
    GM_GRADIENT_STRIPS, /* vectors of channels, by output channels and neighbouring kernel taps */
    GM_GRADIENT_LINES, /* vectors of many output channels or groups, by one kernel tap */
    GM_GRADIENT_TAPS   /* a vector of output channels or groups, by kernel taps */
} gm_gradient_form;

typedef struct gm_weight_gradient {
    gm_conv_gradient g;
    gm_gradient_form form;
    int grouped;                /* output channels are groups, each with one channel of its own */
    uint32_t out_channels, taps;
    gm_span rows[GM_GRADIENT_MOST_TAPS], columns[GM_GRADIENT_MOST_TAPS]; /* outputs that have that kernel row, column */
} gm_weight_gradient;

/* values[tap tap_step + output channel out_channel_step + channel in_channel_step]: sums of
 * `out_channels` output channels and `in_channels` channels. Steps leave room for whole tiles. */
typedef struct gm_gradient_sums {
    uint32_t out_channels, in_channels, out_channel_step, in_channel_step, tap_step;
    float values[GM_GRADIENT_SUMS];
} gm_gradient_sums;

/* Adds the products of all pixels to the sums; x and dy: of their first channel and output channel. */
void gm_gradient_tiles(const gm_weight_gradient *w, const float *x, const float *dy, gm_gradient_sums *sums);
void gm_gradient_strips(const gm_weight_gradient *w, const float *x, const float *dy, gm_gradient_sums *sums);
void gm_gradient_lines(const gm_weight_gradient *w, const float *x, const float *dy, gm_gradient_sums *sums);
void gm_gradient_taps(const gm_weight_gradient *w, const float *x, const float *dy, gm_gradient_sums *sums);

/* Rows and columns of the narrower of two tiles; the other has half the rows, and twice the
 * columns. */
#define GM_NARROW_ROWS (2u * GM_TILE_ROWS)
#define GM_NARROW_VECTORS (GM_TILE_VECTORS / 2u)
#define GM_NARROW_COLUMNS (GM_NARROW_VECTORS * GM_LANES)

/* Output channels that strips take at once. */
#define GM_STRIP_OUT_CHANNELS 4u

/* The outputs that are in both. */
static inline gm_span gm_both(gm_span a, gm_span b)
{
    gm_span s = {a.first > b.first ? a.first : b.first, a.end < b.end ? a.end : b.end};
    s.end = s.end > s.first ? s.end : s.first;
    return s;
}

static inline int gm_inside(gm_span s, uint32_t i)
{
    return i - s.first < s.end - s.first;
}

static inline uint32_t gm_round_up(uint32_t n, uint32_t unit)
{
    return (n + unit - 1) / unit * unit;
}

#endif
#endif
