#include "output_pixels.h"
#include "panel.h"

#if GM_ARCH_SIMD && (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE)

/* Inputs further apart than so many floats are packed: those a power of two apart share a few cache
 * lines. */
#define FAR 64u

/* The compiler would hold the address of every row, for which it has too few registers. */
#define ONE_ADDRESS(p) __asm__("" : "+r"(p))

/* The slopes of a block, packed, and the pixels that have one kernel tap. */
typedef struct piece {
    float slopes[GM_BLOCK_PIXELS * GM_GRADIENT_OUT_CHANNELS], inputs[GM_BLOCK_PIXELS * GM_TILE_COLUMNS];
    gm_pixel listed[GM_BLOCK_PIXELS], packed[GM_BLOCK_PIXELS];
    uint32_t count;
    gm_layout layout; /* of the slopes, if they were of all pixels */
} piece;

/* sums[m,c] += slopes[m] inputs[c] of all pixels of the list; a tile */
GM_SIMD_INLINE void add_pixels(float *sums, uint32_t out_channel_step, const float *slopes, const float *inputs,
                               const gm_pixel *list, uint32_t count, uint32_t rows, uint32_t vectors)
{
    gm_vec tile[GM_NARROW_ROWS * GM_TILE_VECTORS], column[GM_TILE_VECTORS];
    GM_UNROLL
    for (uint32_t r = 0; r < rows; r++) {
        gm_tile_load(tile + r * vectors, sums + r * out_channel_step, vectors * GM_LANES, vectors);
    }
    for (uint32_t i = 0; i < count; i++) {
        const float *slope = slopes + list[i].dy;
        ONE_ADDRESS(slope);
        gm_tile_load(column, inputs + list[i].x, vectors * GM_LANES, vectors);
        GM_UNROLL
        for (uint32_t r = 0; r < rows; r++) {
            gm_vec value = gm_vec_splat(slope[r]);
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

/* inputs[i,c] of the listed pixels: `columns` channels, 0 up to the width */
GM_SIMD_INLINE void pack_inputs(piece *p, const float *x, uint32_t channel, uint32_t columns, uint32_t width)
{
    for (uint32_t i = 0; i < p->count; i++) {
        const float *from = x + p->listed[i].x;
        float *to = p->inputs + (size_t)i * width;
        p->packed[i] = (gm_pixel){i * width, p->listed[i].dy};
        gm_pack(to, from, 0, channel, 1, columns, width);
    }
}

/* All output channels by a tile's width of channels of one kernel tap; x: of the first */
GM_SIMD_INLINE void add_columns(const gm_weight_gradient *w, piece *p, const float *x, uint32_t columns, float *values,
                                const gm_gradient_sums *sums, uint32_t rows, uint32_t vectors)
{
    uint32_t width = vectors * GM_LANES, apart = w->g.window.stride_w * w->g.x.w;
    int direct = w->g.x.channel == 1 && columns >= width && apart <= FAR;
    if (!direct) {
        pack_inputs(p, x, w->g.x.channel, columns < width ? columns : width, width);
    }
    for (uint32_t m = 0; m < sums->out_channels; m += rows) {
        add_pixels(values + (size_t)m * sums->out_channel_step, sums->out_channel_step, p->slopes + m,
                   direct ? x : p->inputs,
                   direct ? p->listed : p->packed, p->count, rows, vectors);
    }
}

static GM_SIMD_TARGET void add_tile_tap(const gm_weight_gradient *w, piece *p, const float *x, float *values,
                                        const gm_gradient_sums *sums)
{
    uint32_t c = 0, channel = w->g.x.channel;
    for (; sums->in_channels - c > GM_NARROW_COLUMNS && c < sums->in_channels; c += GM_TILE_COLUMNS) {
        add_columns(w, p, x + (size_t)c * channel, sums->in_channels - c, values + c, sums, GM_TILE_ROWS,
                    GM_TILE_VECTORS);
    }
    if (c < sums->in_channels) {
        add_columns(w, p, x + (size_t)c * channel, sums->in_channels - c, values + c, sums, GM_NARROW_ROWS,
                    GM_NARROW_VECTORS);
    }
}

/* slopes[i,m] of the pixels of a block */
static GM_SIMD_TARGET void pack_slopes(piece *p, const gm_conv_gradient *g, const float *dy, gm_pixel_block block,
                                       uint32_t out_channels)
{
    float *to = p->slopes;
    for (; block.count > 0; gm_block_pass(&block, &g->window)) {
        uint32_t run = gm_block_run(&block, &g->window);
        gm_pack(to, dy + gm_offset(&g->dy, block.batch, block.row, block.column), g->dy.w, g->dy.channel, run,
                out_channels,
                p->layout.w);
        to += (size_t)run * p->layout.w;
    }
}

void gm_gradient_tiles(const gm_weight_gradient *w, const float *x, const float *dy, gm_gradient_sums *sums)
{
    const gm_window *window = &w->g.window;
    uint32_t left = w->g.batch * window->out_h * window->out_w, width = gm_round_up(sums->out_channels, GM_NARROW_ROWS);
    gm_pixel_block block = {0};
    piece p;
    p.layout = (gm_layout){window->out_h * window->out_w * width, window->out_w * width, width, 0, 1};
    while (left > 0) {
        gm_block_next(&block, window, left);
        pack_slopes(&p, &w->g, dy, block, sums->out_channels);
        uint32_t origin = gm_offset(&p.layout, block.batch, block.row, block.column);
        for (uint32_t tap = 0; tap < w->taps; tap++) {
            p.count = gm_list_pixels(p.listed, w, block, tap / window->kernel_w, tap % window->kernel_w, &p.layout,
                                     origin);
            add_tile_tap(w, &p, x, sums->values + tap * sums->tap_step, sums);
        }
        left -= block.count;
    }
}

#endif
