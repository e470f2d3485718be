/* Weight gradients in vectors of many output channels or groups, one tap after another. */
#include "../../../../generated/instructions/conv_grad_w.h"
#include "../../../../generated/instructions/conv_update.h"
#include "output_blocks.h"
#include "tile.h"
#include "weight_gradient_methods.h"

#if GM_ARCH_TILES && (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE)

/* sums[m] += dy[m] x over the listed outputs, for `columns` output channels m;
 * grouped: += dy[m] x[m]. */
GM_SIMD_INLINE void add_vectors(float *sums, const float *x, const float *dy, const gm_output_offsets *list,
                                uint32_t count, uint32_t columns, uint32_t vectors, int grouped)
{
    gm_vec sum[GM_ROW_VECTORS], gradient, value;
    gm_tile_load(sum, sums, columns, vectors);
    for (uint32_t i = 0; i < count; i++) {
        const float *gradients = dy + list[i].dy, *inputs = x + list[i].x;
        GM_UNROLL
        for (uint32_t v = 0; v < vectors; v++) {
            gm_tile_load(&gradient, gradients + v * GM_LANES, columns - v * GM_LANES, 1);
            if (grouped) {
                gm_tile_load(&value, inputs + v * GM_LANES, columns - v * GM_LANES, 1);
            }
            sum[v] = gm_vec_mac(sum[v], gradient, grouped ? value : gm_vec_splat(*inputs));
        }
    }
    gm_tile_store(sums, sum, columns, vectors);
}

/* One tap of one input channel, or of each group's single one. */
GM_SIMD_INLINE void add_tap_of_channel(float *sums, const float *x, const float *dy, const gm_output_offsets *list,
                                       uint32_t count, uint32_t out_channels, int grouped)
{
    const uint32_t widest = GM_ROW_VECTORS * GM_LANES;
    uint32_t m = 0;
    for (; out_channels - m >= widest; m += widest) {
        add_vectors(sums + m, x + (grouped ? m : 0), dy + m, list, count, widest, GM_ROW_VECTORS, grouped);
    }
    for (; GM_LANES > 1 && out_channels - m >= widest / 2; m += widest / 2) {
        add_vectors(sums + m, x + (grouped ? m : 0), dy + m, list, count, widest / 2, GM_ROW_VECTORS / 2, grouped);
    }
    for (; out_channels - m >= GM_LANES; m += GM_LANES) {
        add_vectors(sums + m, x + (grouped ? m : 0), dy + m, list, count, GM_LANES, 1, grouped);
    }
    if (m < out_channels) {
        add_vectors(sums + m, x + (grouped ? m : 0), dy + m, list, count, out_channels - m, 1, grouped);
    }
}

static GM_SIMD_TARGET void add_tap_of_channels(const gm_weight_gradient *w, const float *x, const float *dy,
                                               const gm_output_offsets *list, uint32_t count, float *values,
                                               const gm_gradient_sums *sums)
{
    if (w->grouped) {
        add_tap_of_channel(values, x, dy, list, count, sums->out_channels, 1);
        return;
    }
    for (uint32_t c = 0; c < sums->in_channels; c++) {
        add_tap_of_channel(values + c * sums->in_channel_step, x + (size_t)c * w->g.x.channel, dy, list, count,
                           sums->out_channels, 0);
    }
}

void gm_gradient_out_channels(const gm_weight_gradient *w, const float *x, const float *dy, gm_gradient_sums *sums)
{
    const gm_window *window = &w->g.window;
    uint32_t left = w->g.batch * window->out_h * window->out_w;
    gm_output_block block = {0};
    gm_output_offsets list[GM_BLOCK_OUTPUTS];
    while (left > 0) {
        gm_next_block(&block, window, left);
        for (uint32_t tap = 0; tap < w->taps; tap++) {
            uint32_t count =
                gm_list_outputs(list, w, block, tap / window->kernel_w, tap % window->kernel_w, &w->g.dy, 0);
            add_tap_of_channels(w, x, dy, list, count, sums->values + tap * sums->tap_step, sums);
        }
        left -= block.count;
    }
}

#endif
