/*
 * The gradient of a convolution's weights, for output channel m, input channel c and tap (k,l):
 *
 *   dw[m,c,k,l] = sum over samples b and outputs (o,p) of dy[b,o,p,m] x[b,i,j,c]
 *
 * (i,j) is the input under tap (k,l) of output (o,p). The sums of some output and input channels
 * and of all taps stay in the cache, and the outputs stream through in the order of the sum.
 * Methods differ in what the lanes of a vector represent, and in which sums share the registers.
 */
#ifndef GM_SIMD_WEIGHT_GRADIENT_H
#define GM_SIMD_WEIGHT_GRADIENT_H

#include "../../../conv_gradient.h"
#include "../simd.h"
#include "../vector.h"

#if GM_ARCH_TILES

/* ---- What entry points call -------------------------------------------------------------------------- */

#define GM_GRADIENT_MOST_TAPS 128u
#define GM_GRADIENT_SUMS (GM_PANEL_FLOATS / 16u * 9u)

/* Floats between the sums of two taps that would otherwise be a multiple of GM_GRADIENT_ALIAS
 * apart: the taps of a weight, which are gathered in the end, would share lines of the L1 cache. */
#define GM_GRADIENT_GAP (GM_BYTES_COUNT ? 0u : 16u)
#define GM_GRADIENT_ALIAS 512u

struct gm_gradient_sums;
struct gm_weight_gradient;

/* Adds the products of all outputs to the sums. x and dy: at the first of their channels. */
typedef void gm_gradient_method(const struct gm_weight_gradient *w, const float *x, const float *dy,
                                struct gm_gradient_sums *sums);

typedef struct gm_weight_gradient {
    gm_conv_gradient g;
    gm_gradient_method *method;
    int grouped;                  /* each group has one input and one output channel */
    int vectors_of_out_channels;  /* else vectors hold input channels */
    uint32_t out_channels, taps;  /* grouped: out_channels is the number of groups */
    gm_span rows[GM_GRADIENT_MOST_TAPS];    /* the output rows for which kernel row k is inside the input */
    gm_span columns[GM_GRADIENT_MOST_TAPS]; /* the output columns for which kernel column l is */
} gm_weight_gradient;

/* The destination of the gradients of adjacent weights: y, or the parameters through
 * an optimizer's rule. */
typedef struct gm_gradient_destination {
    float *y;
    int accumulate;             /* the sums start from y */
    const gm_rule_args *update; /* of the first weight; NULL: gradients go to y */
} gm_gradient_destination;

/* Completes w, in which g is set, and chooses a method. Returns 0 if plain C should do it.
 * out_channels: of one group. */
int gm_weight_gradient_start(gm_weight_gradient *w, uint32_t groups, uint32_t out_channels);

/* All gradients of one group, or, grouped, of all groups. x and dy: of the first. */
void gm_weight_gradient_of_group(const gm_weight_gradient *w, const float *x, const float *dy,
                                 const gm_gradient_destination *to);

/* ---- What methods have in common --------------------------------------------------------------------- */

/* values[tap tap_step + m out_channel_step + c in_channel_step]: the sums of `out_channels` output
 * channels m and `in_channels` input channels c. Steps leave room for whole tiles. */
typedef struct gm_gradient_sums {
    uint32_t out_channels, in_channels, out_channel_step, in_channel_step, tap_step;
    int empty; /* values are not set: the tiles' method starts from GM_EMPTY_SUM instead, and clears this */
    GM_SIMD_ALIGNED float values[GM_GRADIENT_SUMS + GM_GRADIENT_GAP * GM_GRADIENT_MOST_TAPS];
} gm_gradient_sums;

/* Output channels, or groups, whose output gradients the tiles' method packs for a block. */
#define GM_GRADIENT_OUT_CHANNELS (GM_PANEL_FLOATS / 256u)

/* Rows and columns of the narrower of two tiles. The other has half the rows, twice the columns.
 * Scalars have one tile. */
#define GM_NARROW_ROWS (GM_LANES > 1 ? 2u * GM_TILE_ROWS : GM_TILE_ROWS)
#define GM_NARROW_VECTORS (GM_LANES > 1 ? GM_TILE_VECTORS / 2u : GM_TILE_VECTORS)
#define GM_NARROW_COLUMNS (GM_NARROW_VECTORS * GM_LANES)

/* The outputs in both spans. */
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
