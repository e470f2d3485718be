/*
 * Sums over windows of int8 or int16 where each group has one input and one output, and groups are
 * neighbours: a lane has a group, and two taps are a pair.
 */
#ifndef GM_SIMD_DEPTHWISE_S16_H
#define GM_SIMD_DEPTHWISE_S16_H

#include "window_product_s16.h"

#if GM_ARCH_SIMD_S8

/* Neighbouring pixels that share a load of weights. */
#define GM_S16_PIXELS 4u

/* Returns pairs of the source's numbers at two offsets, of GM_LANES groups. */
typedef gm_pairs gm_s16_read_pairs(const void *kernel, size_t first, size_t second);

/* Weights of some neighbouring groups, [tap][group], and of one region and GM_LANES of them. */
typedef struct gm_s16_depthwise {
    const gm_s16_windows *windows;
    uint32_t group, groups, width;
    gm_region region;
    int16_t weights[GM_S16_PANEL + GM_LANES];
    int16_t pairs[GM_TAP_LIMIT / 2][2 * GM_LANES];
} gm_s16_depthwise;

/* The groups that one panel has room for. */
static inline uint32_t gm_s16_groups_at_once(const gm_s16_windows *w)
{
    return GM_S16_PANEL / (w->rows.kernel * w->columns.kernel) / GM_LANES * GM_LANES;
}

GM_SIMD_INLINE void gm_s16_pack_depthwise(gm_s16_depthwise *d, uint32_t w_group)
{
    const gm_s16_windows *w = d->windows;
    for (uint32_t t = 0; t < w->rows.kernel * w->columns.kernel; t++) {
        uint32_t k = t / w->columns.kernel, l = t % w->columns.kernel;
        gm_s16_widen(d->weights + (size_t)t * d->width,
                     w->w + (size_t)d->group * w_group + (size_t)k * w->w_h + (size_t)l * w->w_w, d->groups, w_group,
                     w->w_zero);
    }
}

/* Pairs the weights of the region's taps, from this one of the packed groups on. */
GM_SIMD_INLINE void gm_s16_pair_weights(gm_s16_depthwise *d, uint32_t group)
{
    static const int16_t none[GM_LANES];
    for (uint32_t t = 0; t < d->region.taps; t += 2) {
        const int16_t *first = d->weights + (size_t)d->region.number[t] * d->width + group, *second = none;
        if (t + 1 < d->region.taps) {
            second = d->weights + (size_t)d->region.number[t + 1] * d->width + group;
        }
        gm_pairs_store(d->pairs[t / 2], gm_pairs_of_numbers(first, second));
    }
}

/* So many neighbouring pixels of GM_LANES groups. source: of the first; step: to the next. pixels: a constant. */
GM_SIMD_INLINE void gm_s16_sum_pixels(const gm_s16_depthwise *d, size_t source, size_t step, uint32_t pixels,
                                      uint32_t (*sums)[GM_LANES], const void *kernel, gm_s16_read_pairs *read)
{
    static const uint32_t zeros[GM_LANES];
    gm_words sum[GM_S16_PIXELS];
    GM_UNROLL
    for (uint32_t r = 0; r < pixels; r++) {
        sum[r] = gm_words_load(zeros);
    }
    for (uint32_t t = 0; t < d->region.taps; t += 2) {
        gm_pairs weights = gm_pairs_load(d->pairs[t / 2]);
        size_t first = source + d->region.source[t];
        size_t second = t + 1 < d->region.taps ? source + d->region.source[t + 1] : first;
        GM_UNROLL
        for (uint32_t r = 0; r < pixels; r++) {
            sum[r] = gm_pairs_mac(sum[r], read(kernel, first + r * step, second + r * step), weights);
        }
    }
    GM_UNROLL
    for (uint32_t r = 0; r < pixels; r++) {
        gm_words_store(sums[r], sum[r]);
    }
}

/* A row of the region, of GM_LANES groups, the first of which has this number; the last `count` of them are wanted. */
GM_SIMD_INLINE void gm_s16_depthwise_row(const gm_s16_depthwise *d, gm_s16_pixel pixel, uint32_t group, uint32_t count,
                                         void *kernel, gm_s16_read_pairs *read, gm_s16_finish *finish)
{
    const gm_s16_windows *w = d->windows;
    size_t step = (size_t)w->columns.advance * w->source.w;
    size_t source = (size_t)pixel.batch * w->source.batch + group + (size_t)pixel.row * w->rows.advance * w->source.h;
    uint32_t sums[GM_S16_PIXELS][GM_LANES], skipped = GM_LANES - count;
    for (uint32_t left = d->region.columns.count, done; left > 0; left -= done, source += done * step) {
        done = left < GM_S16_PIXELS ? 1 : GM_S16_PIXELS;
        if (done == 1) {
            gm_s16_sum_pixels(d, source, step, 1, sums, kernel, read);
        } else {
            gm_s16_sum_pixels(d, source, step, GM_S16_PIXELS, sums, kernel, read);
        }
        for (uint32_t r = 0; r < done; r++, pixel.column++) {
            finish(kernel, &pixel, group + skipped, count, sums[r] + skipped);
        }
    }
}

/* A region with all packed groups, of which there are at least GM_LANES. The last vector begins among the groups of the
 * one before. */
GM_SIMD_INLINE void gm_s16_depthwise_region(gm_s16_depthwise *d, void *kernel, gm_s16_read_pairs *read,
                                            gm_s16_finish *finish)
{
    const gm_s16_windows *w = d->windows;
    for (uint32_t g = 0; g < d->groups; g += GM_LANES) {
        uint32_t count = d->groups - g < GM_LANES ? d->groups - g : GM_LANES, first = g + count - GM_LANES;
        gm_s16_pair_weights(d, first);
        for (uint32_t b = 0; b < w->batch; b++) {
            for (uint32_t row = 0; row < d->region.rows.count; row++) {
                gm_s16_depthwise_row(d, (gm_s16_pixel){b, row, 0}, d->group + first, count, kernel, read, finish);
            }
        }
    }
}

/* All groups, at least GM_LANES, whose weights lie w_group apart. The phase of `windows` becomes that of each region. */
GM_SIMD_INLINE void gm_s16_depthwise_groups(gm_s16_windows *windows, uint32_t groups, uint32_t w_group, void *kernel,
                                            gm_s16_read_pairs *read, gm_s16_finish *finish)
{
    gm_s16_depthwise d = {.windows = windows};
    uint32_t most = gm_s16_groups_at_once(windows);
    for (d.group = 0; d.group < groups; d.group += d.groups) {
        uint32_t left = groups - d.group;
        d.groups = left < most ? left : left - most < GM_LANES && left > most ? most - GM_LANES : most;
        d.width = (d.groups + GM_LANES - 1) / GM_LANES * GM_LANES;
        gm_s16_pack_depthwise(&d, w_group);
        gm_first_region(&d.region, &windows->rows, &windows->columns, &windows->source);
        do {
            windows->row_taps.first = d.region.rows.first;
            windows->column_taps.first = d.region.columns.first;
            gm_s16_depthwise_region(&d, kernel, read, finish);
        } while (gm_next_region(&d.region, &windows->rows, &windows->columns, &windows->source));
    }
}

#endif
#endif
