/* Weight gradients by tiles: output channels by vectors of input channels, one
 * tap after another. */
#include "../../../../generated/instructions/conv_grad_w.h"
#include "../../../../generated/instructions/conv_update.h"
#include "../avx512.h"
#include "output_blocks.h"
#include "panel.h"
#include "weight_gradient_methods.h"

#if GM_ARCH_TILES && (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE)

/* Inputs further apart, in floats, are packed: with a power of two between them, they share
 * a few cache lines. */
#define FAR_APART 64u

#define MOST_ROWS (GM_NARROW_ROWS > GM_TILE_PIXELS ? GM_NARROW_ROWS : GM_TILE_PIXELS)

/* Keeps the compiler from holding the address of every row, which would need too many registers. */
#define ONE_ADDRESS(p) __asm__("" : "+r"(p))

/* The operands of a tile for a block of outputs: the gradients of all, packed, and the inputs of
 * the outputs that have one tap, listed and, if they are apart, packed. */
typedef struct tile_operands {
    GM_SIMD_ALIGNED float gradients[GM_BLOCK_OUTPUTS * GM_GRADIENT_OUT_CHANNELS];
    GM_SIMD_ALIGNED float inputs[GM_BLOCK_OUTPUTS * GM_TILE_COLUMNS];
    gm_output_offsets listed[GM_BLOCK_OUTPUTS], packed[GM_BLOCK_OUTPUTS];
    uint32_t count;
    gm_layout layout; /* of packed gradients, as if for all outputs */
} tile_operands;

/* sums[m,c] += gradients[m] inputs[c] over the listed outputs, for a tile of m and c. empty: the
 * sums are not set yet. */
GM_SIMD_INLINE void add_listed_outputs(float *sums, uint32_t out_channel_step, int empty, const float *gradients,
                                       const float *inputs, const gm_output_offsets *list, uint32_t count,
                                       uint32_t rows, uint32_t vectors)
{
    gm_vec tile[MOST_ROWS * GM_TILE_VECTORS], column[GM_TILE_VECTORS];
    if (!GM_BYTES_COUNT && empty) {
        GM_UNROLL
        for (uint32_t i = 0; i < rows * vectors; i++) {
            tile[i] = gm_vec_splat(GM_EMPTY_SUM);
        }
    } else {
        GM_UNROLL
        for (uint32_t r = 0; r < rows; r++) {
            gm_tile_load(tile + r * vectors, sums + r * out_channel_step, vectors * GM_LANES, vectors);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const float *gradient = gradients + list[i].dy;
        ONE_ADDRESS(gradient);
        gm_tile_load(column, inputs + list[i].x, vectors * GM_LANES, vectors);
        GM_UNROLL
        for (uint32_t r = 0; r < rows; r++) {
            gm_vec value = gm_vec_splat(gradient[r]);
            GM_UNROLL
            for (uint32_t v = 0; v < vectors; v++) {
                tile[r * vectors + v] = gm_vec_mac(tile[r * vectors + v], value, column[v]);
            }
        }
    }
    GM_UNROLL
    for (uint32_t r = 0; r < rows; r++) {
        gm_tile_store(sums + r * out_channel_step, tile + r * vectors, vectors * GM_LANES, vectors);
    }
}

#if GM_ARCH_AVX512

/* add_listed_outputs() for wide rows, GM_TILE_ROWS_512 of `out_channels` at a time. */
static GM_SIMD_TARGET_512 void add_listed_outputs_512(float *sums, uint32_t out_channel_step, int empty,
                                                      const float *gradients, const float *inputs,
                                                      const gm_output_offsets *list, uint32_t count,
                                                      uint32_t out_channels)
{
    for (uint32_t m = 0; m < out_channels; m += GM_TILE_ROWS_512) {
        float *own = sums + (size_t)m * out_channel_step;
        gm_wide tile[GM_TILE_ROWS_512];
        GM_UNROLL
        for (uint32_t r = 0; r < GM_TILE_ROWS_512; r++) {
            tile[r] = empty ? gm_wide_splat(GM_EMPTY_SUM) : gm_wide_load(own + r * out_channel_step);
        }
        for (uint32_t i = 0; i < count; i++) {
            const float *gradient = gradients + m + list[i].dy;
            gm_wide column = gm_wide_load(inputs + list[i].x);
            GM_UNROLL
            for (uint32_t r = 0; r < GM_TILE_ROWS_512; r++) {
                tile[r] = gm_wide_mac(tile[r], gm_wide_splat(gradient[r]), column);
            }
        }
        GM_UNROLL
        for (uint32_t r = 0; r < GM_TILE_ROWS_512; r++) {
            gm_wide_store(own + r * out_channel_step, tile[r]);
        }
    }
}

#endif

/* inputs[i,c] of the listed outputs i, for `columns` input channels c, then 0 up to the width. */
GM_SIMD_INLINE void pack_inputs(tile_operands *p, const float *x, uint32_t channel, uint32_t columns, uint32_t width)
{
    for (uint32_t i = 0; i < p->count; i++) {
        const float *from = x + p->listed[i].x;
        float *to = p->inputs + (size_t)i * width;
        p->packed[i] = (gm_output_offsets){i * width, p->listed[i].dy};
        gm_pack(to, from, 0, channel, 1, columns, width);
    }
}

/* Packs the inputs if tiles cannot read them in place. width: of a tile. Returns whether it did. */
GM_SIMD_INLINE int pack_inputs_apart(const gm_weight_gradient *w, tile_operands *p, const float *x, uint32_t columns,
                                     uint32_t width)
{
    uint32_t apart = w->g.window.stride_w * w->g.x.w;
    if (w->g.x.channel == 1 && columns >= width && apart <= FAR_APART) {
        return 0;
    }
    pack_inputs(p, x, w->g.x.channel, columns < width ? columns : width, width);
    return 1;
}

/* One tap of all output channels by a tile's width of input channels. x: of the first of these. */
GM_SIMD_INLINE void add_wide_columns(const gm_weight_gradient *w, tile_operands *p, const float *x, uint32_t columns,
                                     float *values, const gm_gradient_sums *sums)
{
    int packed = pack_inputs_apart(w, p, x, columns, GM_TILE_COLUMNS);
    const float *inputs = packed ? p->inputs : x;
    const gm_output_offsets *list = packed ? p->packed : p->listed;
#if GM_ARCH_AVX512
    if (gm_simd_runs_512()) {
        add_listed_outputs_512(values, sums->out_channel_step, sums->empty, p->gradients, inputs, list, p->count,
                               sums->out_channels);
        return;
    }
#endif
    uint32_t all = gm_round_up(sums->out_channels, GM_TILE_ROWS);
    for (uint32_t m = 0, rows; m < all; m += rows) {
        float *own = values + (size_t)m * sums->out_channel_step;
        rows = gm_next_rows(all - m);
        if (rows == GM_TILE_ROWS) {
            add_listed_outputs(own, sums->out_channel_step, sums->empty, p->gradients + m, inputs, list, p->count,
                               GM_TILE_ROWS, GM_TILE_VECTORS);
        } else {
            add_listed_outputs(own, sums->out_channel_step, sums->empty, p->gradients + m, inputs, list, p->count,
                               GM_TILE_PIXELS, GM_TILE_VECTORS);
        }
    }
}

/* The same for the width of the narrower tile. */
GM_SIMD_INLINE void add_narrow_columns(const gm_weight_gradient *w, tile_operands *p, const float *x, uint32_t columns,
                                       float *values, const gm_gradient_sums *sums)
{
    int packed = pack_inputs_apart(w, p, x, columns, GM_NARROW_COLUMNS);
    for (uint32_t m = 0; m < sums->out_channels; m += GM_NARROW_ROWS) {
        add_listed_outputs(values + (size_t)m * sums->out_channel_step, sums->out_channel_step, sums->empty,
                           p->gradients + m, packed ? p->inputs : x, packed ? p->packed : p->listed, p->count,
                           GM_NARROW_ROWS, GM_NARROW_VECTORS);
    }
}

static GM_SIMD_TARGET void add_tile_tap(const gm_weight_gradient *w, tile_operands *p, const float *x, float *values,
                                        const gm_gradient_sums *sums)
{
    uint32_t c = 0, channel = w->g.x.channel;
    for (; GM_LANES > 1 && sums->in_channels - c > GM_NARROW_COLUMNS && c < sums->in_channels; c += GM_TILE_COLUMNS) {
        add_wide_columns(w, p, x + (size_t)c * channel, sums->in_channels - c, values + c, sums);
    }
    for (; c < sums->in_channels; c += GM_NARROW_COLUMNS) {
        add_narrow_columns(w, p, x + (size_t)c * channel, sums->in_channels - c, values + c, sums);
    }
}

/* gradients[i,m] of the outputs i of a block. */
static GM_SIMD_TARGET void pack_gradients(tile_operands *p, const gm_conv_gradient *g, const float *dy,
                                          gm_output_block block, uint32_t out_channels)
{
    float *to = p->gradients;
    for (; block.count > 0; gm_skip_row(&block, &g->window)) {
        uint32_t run = gm_outputs_in_row(&block, &g->window);
        gm_pack(to, dy + gm_offset(&g->dy, block.batch, block.row, block.column), g->dy.w, g->dy.channel, run,
                out_channels, p->layout.w);
        to += (size_t)run * p->layout.w;
    }
}

void gm_gradient_tiles(const gm_weight_gradient *w, const float *x, const float *dy, gm_gradient_sums *sums)
{
    const gm_window *window = &w->g.window;
    uint32_t left = w->g.batch * window->out_h * window->out_w, width = gm_round_up(sums->out_channels, GM_NARROW_ROWS);
    gm_output_block block = {0};
    tile_operands p;
    p.layout = (gm_layout){window->out_h * window->out_w * width, window->out_w * width, width, 0, 1};
    while (left > 0) {
        gm_next_block(&block, window, left);
        pack_gradients(&p, &w->g, dy, block, sums->out_channels);
        uint32_t origin = gm_offset(&p.layout, block.batch, block.row, block.column);
        for (uint32_t tap = 0; tap < w->taps; tap++) {
            p.count =
                gm_list_outputs(p.listed, w, block, tap / window->kernel_w, tap % window->kernel_w, &p.layout, origin);
            add_tile_tap(w, &p, x, sums->values + tap * sums->tap_step, sums);
        }
        left -= block.count;
        if (!GM_BYTES_COUNT) {
            sums->empty = 0;
        }
    }
}

#endif
