/* Packs the weights of a window sum into a panel, in the order in which tiles read them. */
#ifndef GM_SIMD_WINDOW_WEIGHTS_H
#define GM_SIMD_WINDOW_WEIGHTS_H

#include "panel.h"
#include "window_sum.h"

#if GM_ARCH_TILES

/* [tap][input][output] for several adjacent outputs, from step `first` to `end` of the sum; a step
 * is one input of one tap. */
typedef struct gm_weight_block {
    float *panel;
    uint32_t first, end, width;
    uint32_t gap; /* floats between taps that would otherwise share lines of the L1 cache */
} gm_weight_block;

/* Taps that are a multiple of this many floats apart share cache lines. */
#define GM_CACHE_ALIAS 1024u

/* Packs all taps of `inputs` contiguous inputs, and transposes them in registers. w and panel: of
 * the first of these inputs. */
GM_SIMD_INLINE void gm_pack_transposed(float *panel, const gm_window_sum *sum, const float *w, uint32_t inputs,
                                       uint32_t columns, uint32_t width, size_t tap_step)
{
    uint32_t taps = sum->rows.kernel * sum->columns.kernel, tap = 0, count = inputs * taps;
    float *input = panel, *to = panel;
    for (uint32_t i = 0; i < count; i += GM_LANES) {
        uint32_t left = count - i < GM_LANES ? count - i : GM_LANES;
        gm_vec t[GM_LANES];
        gm_load_transposed(t, w + i, sum->w_output, left, columns);
        GM_UNROLL
        for (uint32_t r = 0; r < GM_LANES; r++) {
            if (r < left) {
                gm_vec_store(to, t[r]);
                to += tap_step;
                if (++tap == taps) {
                    tap = 0;
                    input += width;
                    to = input;
                }
            }
        }
    }
}

GM_SIMD_INLINE void gm_pack_whole(gm_weight_block *b, const gm_window_sum *sum, const float *w, uint32_t columns)
{
    uint32_t taps = sum->rows.kernel * sum->columns.kernel;
    uint32_t at_once = sum->w_input == taps ? sum->inputs : 1;
    size_t tap_step = (size_t)sum->inputs * b->width + b->gap;
    for (uint32_t i = 0; i < sum->inputs; i += at_once) {
        for (uint32_t c = 0; c < columns; c += GM_LANES) {
            gm_pack_transposed(b->panel + (size_t)i * b->width + c, sum,
                               w + (size_t)i * sum->w_input + (size_t)c * sum->w_output, at_once, columns - c, b->width,
                               tap_step);
        }
    }
}

/* Packs one tap after another, with any strides. */
GM_SIMD_INLINE void gm_pack_taps(gm_weight_block *b, const gm_window_sum *sum, const float *w, uint32_t columns)
{
    float *panel = b->panel;
    for (uint32_t step = b->first; step < b->end;) {
        uint32_t tap = step / sum->inputs, input = step % sum->inputs;
        uint32_t k = tap / sum->columns.kernel, l = tap % sum->columns.kernel;
        uint32_t count = sum->inputs - input < b->end - step ? sum->inputs - input : b->end - step;
        const float *from = w + (size_t)k * sum->w_h + (size_t)l * sum->w_w + (size_t)input * sum->w_input;
        gm_pack(panel, from, sum->w_input, sum->w_output, count, columns, b->width);
        panel += (size_t)count * b->width;
        step += count;
    }
}

/* Whether all taps are packed at once, from b->first = 0 on. */
GM_SIMD_INLINE int gm_packs_whole(const gm_weight_block *b, const gm_window_sum *sum)
{
    uint32_t taps = sum->rows.kernel * sum->columns.kernel;
    return GM_LANES > 1 && b->first == 0 && b->end == taps * sum->inputs && taps > 1 && sum->w_w == 1 &&
           sum->w_h == sum->columns.kernel;
}

/* Makes b the block of as much of the sum from b->first on as `room` floats hold. Returns how
 * many floats it takes. */
GM_SIMD_INLINE uint32_t gm_fit_weights(gm_weight_block *b, const gm_window_sum *sum, uint32_t room)
{
    uint32_t taps = sum->rows.kernel * sum->columns.kernel, steps = taps * sum->inputs, most = room / b->width;
    b->end = steps - b->first < most ? steps : b->first + most;
    b->gap = gm_packs_whole(b, sum) && sum->inputs * b->width % GM_CACHE_ALIAS == 0 ? b->width : 0;
    b->gap = steps * b->width + taps * b->gap <= room ? b->gap : 0;
    return (b->end - b->first) * b->width + taps * b->gap;
}

/* Packs the block. w: of `columns` adjacent outputs, at most b->width */
GM_SIMD_INLINE void gm_pack_weights(gm_weight_block *b, const gm_window_sum *sum, const float *w, uint32_t columns)
{
    if (gm_packs_whole(b, sum)) {
        gm_pack_whole(b, sum, w, columns);
    } else {
        gm_pack_taps(b, sum, w, columns);
    }
}

#endif
#endif
