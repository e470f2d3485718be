#include "output_pixels.h"
#include "tile.h"

#if GM_ARCH_SIMD && (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE)

/* sums[m] += dy[m] x[m], or x of all, of the listed pixels; `columns` output channels or groups m */
GM_SIMD_INLINE void add_line(float *sums, const float *x, const float *dy, const gm_pixel *list, uint32_t count,
                             uint32_t columns, uint32_t vectors, int grouped)
{
    gm_vec line[GM_LINE_VECTORS], slope, value;
    gm_tile_load(line, sums, columns, vectors);
    for (uint32_t i = 0; i < count; i++) {
        const float *slopes = dy + list[i].dy, *inputs = x + list[i].x;
        GM_UNROLL
        for (uint32_t v = 0; v < vectors; v++) {
            gm_tile_load(&slope, slopes + v * GM_LANES, columns - v * GM_LANES, 1);
            if (grouped) {
                gm_tile_load(&value, inputs + v * GM_LANES, columns - v * GM_LANES, 1);
            }
            line[v] = gm_vec_mac(line[v], slope, grouped ? value : gm_vec_splat(*inputs));
        }
    }
    gm_tile_store(sums, line, columns, vectors);
}

/* One kernel tap of one channel, or of each group's. */
GM_SIMD_INLINE void add_lines(float *sums, const float *x, const float *dy, const gm_pixel *list, uint32_t count,
                              uint32_t out_channels, int grouped)
{
    const uint32_t widest = GM_LINE_VECTORS * GM_LANES;
    uint32_t m = 0;
    for (; out_channels - m >= widest; m += widest) {
        add_line(sums + m, x + (grouped ? m : 0), dy + m, list, count, widest, GM_LINE_VECTORS, grouped);
    }
    for (; out_channels - m >= widest / 2; m += widest / 2) {
        add_line(sums + m, x + (grouped ? m : 0), dy + m, list, count, widest / 2, GM_LINE_VECTORS / 2, grouped);
    }
    for (; out_channels - m >= GM_LANES; m += GM_LANES) {
        add_line(sums + m, x + (grouped ? m : 0), dy + m, list, count, GM_LANES, 1, grouped);
    }
    if (m < out_channels) {
        add_line(sums + m, x + (grouped ? m : 0), dy + m, list, count, out_channels - m, 1, grouped);
    }
}

static GM_SIMD_TARGET void add_row_tap(const gm_weight_gradient *w, const float *x, const float *dy,
                                       const gm_pixel *list, uint32_t count, float *values,
                                       const gm_gradient_sums *sums)
{
    if (w->grouped) {
        add_lines(values, x, dy, list, count, sums->out_channels, 1);
        return;
    }
    for (uint32_t c = 0; c < sums->in_channels; c++) {
        add_lines(values + c * sums->in_channel_step, x + (size_t)c * w->g.x.channel, dy, list, count,
                  sums->out_channels, 0);
    }
}

void gm_gradient_lines(const gm_weight_gradient *w, const float *x, const float *dy, gm_gradient_sums *sums)
{
    const gm_window *window = &w->g.window;
    uint32_t left = w->g.batch * window->out_h * window->out_w;
    gm_pixel_block block = {0};
    gm_pixel list[GM_BLOCK_PIXELS];
    while (left > 0) {
        gm_block_next(&block, window, left);
        for (uint32_t tap = 0; tap < w->taps; tap++) {
            uint32_t count = gm_list_pixels(list, w, block, tap / window->kernel_w, tap % window->kernel_w, &w->g.dy,
                                            0);
            add_row_tap(w, x, dy, list, count, sums->values + tap * sums->tap_step, sums);
        }
        left -= block.count;
    }
}

#endif
