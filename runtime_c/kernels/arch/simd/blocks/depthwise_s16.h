/*
 * Sums over windows of int8 or int16 if each group has one input and one output, and groups are
 * adjacent: a lane holds a group, and two adjacent taps of a row make a pair. Each value of the
 * source is paired once, in lines; the lines of all rows of a window are kept.
 */
#ifndef GM_SIMD_DEPTHWISE_S16_H
#define GM_SIMD_DEPTHWISE_S16_H

#include "window_product_s16.h"

#if GM_ARCH_SIMD_S8

/* Adjacent pixels that share a load of weights, and the number finished at once. */
#define GM_S16_PIXELS 4u
#define GM_S16_FINISHED 16u

/* Pairs of all lines. */
#define GM_S16_LINES 768u

/* An offset outside the source. */
#define GM_S16_OUTSIDE SIZE_MAX

/* Returns pairs of the source's values at two offsets, of GM_LANES groups; zeros
 * for those outside. */
typedef gm_pairs gm_s16_read_pairs(const void *kernel, size_t first, size_t second);

/* GM_LANES groups, and some columns of pixels. */
typedef struct gm_s16_depthwise {
    const gm_s16_windows *windows;
    uint32_t group, skipped;                        /* skipped: groups before the wanted ones */
    uint32_t first, pixels;                         /* columns of pixels of the phase */
    uint32_t columns, dilation, across, height;     /* of a line; from tap to tap; pairs of taps in a row; number of
                                                     * lines */
    uint32_t rows;                                  /* rows of a window inside the source */
    const int16_t (*line_of[GM_KERNEL_LIMIT])[2 * GM_LANES];
    const int16_t (*weights_of[GM_KERNEL_LIMIT])[2 * GM_LANES];
    int16_t weights[GM_TAP_LIMIT][2 * GM_LANES];
    int16_t lines[GM_S16_LINES][2 * GM_LANES];
} gm_s16_depthwise;

/* Returns how many of the source's rows or columns the taps of a pixel span; deltas ascend. */
static inline uint32_t gm_s16_span_of(const gm_s16_taps *taps)
{
    return taps->count > 0 ? taps->delta[taps->count - 1] - taps->delta[0] + 1 : 0;
}

/* Returns the longest of all phases' spans. */
static inline uint32_t gm_s16_longest_span(const gm_axis *axis)
{
    uint32_t first = axis->delta[0], last = axis->delta[axis->kernel - 1];
    return ((int32_t)(last - first) < 0 ? first - last : last - first) + 1;
}

/* Returns whether there is room for the lines of one pixel. */
static inline int gm_s16_suits_depthwise(const gm_s16_windows *w)
{
    uint32_t height = gm_s16_longest_span(&w->rows), width = gm_s16_longest_span(&w->columns);
    return height <= GM_S16_LINES && width <= GM_S16_LINES / height;
}

/* Pairs the weights of the phase's taps, row by row. w_group: from one group's to the next. */
static inline void gm_s16_pair_weights(gm_s16_depthwise *d, uint32_t w_group)
{
    const gm_s16_windows *w = d->windows;
    const int8_t *from = w->w + (size_t)d->group * w_group;
    for (uint32_t k = 0; k < w->row_taps.count; k++) {
        for (uint32_t l = 0; l < 2 * d->across; l++) {
            int16_t *to = d->weights[k * d->across + l / 2] + l % 2;
            size_t tap = (size_t)w->row_taps.tap[k] * w->w_h;
            tap += l < w->column_taps.count ? (size_t)w->column_taps.tap[l] * w->w_w : 0;
            for (uint32_t i = 0; i < GM_LANES; i++) {
                to[2 * i] = l < w->column_taps.count ? (int16_t)(from[i * (size_t)w_group + tap] - w->w_zero) : 0;
            }
        }
    }
}

/* Writes the line of row i of the source. sample: offset of the sample's groups. */
GM_SIMD_INLINE void gm_s16_pair_line(gm_s16_depthwise *d, size_t sample, uint32_t i, const void *kernel,
                                     gm_s16_read_pairs *read)
{
    const gm_s16_windows *w = d->windows;
    int16_t (*to)[2 * GM_LANES] = d->lines + i % d->height * d->columns;
    uint32_t j = d->first * w->columns.advance + w->column_taps.delta[0], next = j + d->dilation;
    uint32_t source = w->columns.source, columns = d->columns;
    size_t at = sample + (size_t)i * w->source.h, step = w->source.w;
    for (uint32_t c = 0; c < columns; c++, j++, next++) {
        size_t first = j < source ? at + j * step : GM_S16_OUTSIDE;
        size_t second = next < source ? at + next * step : GM_S16_OUTSIDE;
        gm_pairs_store(to[c], read(kernel, first, second));
    }
}

/* Lists the lines of a row of pixels, after writing those from row `made` of the source on. Returns
 * the row after the last. */
GM_SIMD_INLINE uint32_t gm_s16_list_lines(gm_s16_depthwise *d, size_t sample, uint32_t row, uint32_t made,
                                          const void *kernel, gm_s16_read_pairs *read)
{
    const gm_s16_windows *w = d->windows;
    uint32_t first = row * w->rows.advance + (w->row_taps.count > 0 ? w->row_taps.delta[0] : 0);
    made = first < w->rows.source && first > made ? first : made; /* no later window reaches above it */
    d->rows = 0;
    for (uint32_t k = 0; k < w->row_taps.count && w->column_taps.count > 0; k++) {
        uint32_t i = row * w->rows.advance + w->row_taps.delta[k];
        if (i >= w->rows.source) {
            continue;
        }
        for (; made <= i; made++) {
            gm_s16_pair_line(d, sample, made, kernel, read);
        }
        d->line_of[d->rows] = (const int16_t (*)[2 * GM_LANES])(d->lines + i % d->height * d->columns);
        d->weights_of[d->rows++] = (const int16_t (*)[2 * GM_LANES])(d->weights + k * d->across);
    }
    return made;
}

/* So many adjacent pixels from this column of the lines on. pixels: a constant. */
GM_SIMD_INLINE void gm_s16_sum_pixels(const gm_s16_depthwise *d, uint32_t column, uint32_t pixels,
                                      uint32_t (*sums)[GM_LANES])
{
    static const uint32_t zeros[GM_LANES];
    uint32_t step = d->windows->columns.advance, across = d->across, two_taps = 2 * d->dilation;
    gm_words sum[GM_S16_PIXELS];
    GM_UNROLL
    for (uint32_t r = 0; r < pixels; r++) {
        sum[r] = gm_words_load(zeros);
    }
    for (uint32_t k = 0; k < d->rows; k++) {
        const int16_t (*line)[2 * GM_LANES] = d->line_of[k] + column, (*w)[2 * GM_LANES] = d->weights_of[k];
        for (uint32_t p = 0; p < across; p++, line += two_taps) {
            gm_pairs weights = gm_pairs_load(w[p]);
            GM_UNROLL
            for (uint32_t r = 0; r < pixels; r++) {
                sum[r] = gm_pairs_mac(sum[r], gm_pairs_load(line[r * step]), weights);
            }
        }
    }
    GM_UNROLL
    for (uint32_t r = 0; r < pixels; r++) {
        gm_words_store(sums[r], sum[r]);
    }
}

/* A row of pixels; its lines are listed. */
GM_SIMD_INLINE void gm_s16_depthwise_row(const gm_s16_depthwise *d, gm_s16_pixel pixel, void *kernel,
                                         gm_s16_finish *finish)
{
    const gm_s16_windows *w = d->windows;
    uint32_t sums[GM_S16_FINISHED][GM_LANES], step = w->columns.advance;
    size_t at[GM_S16_FINISHED], target = gm_s16_target_of(w, &pixel), next = (size_t)w->columns.phases * w->target.w;
    for (uint32_t done = 0, count; done < d->pixels; done += count) {
        count = d->pixels - done < GM_S16_FINISHED ? d->pixels - done : GM_S16_FINISHED;
        uint32_t p = 0;
        for (; count - p >= GM_S16_PIXELS; p += GM_S16_PIXELS) {
            gm_s16_sum_pixels(d, (done + p) * step, GM_S16_PIXELS, sums + p);
        }
        for (; p < count; p++) {
            gm_s16_sum_pixels(d, (done + p) * step, 1, sums + p);
        }
        for (p = 0; p < count; p++, target += next) {
            at[p] = target;
        }
        finish(kernel, at, count, d->group + d->skipped, GM_LANES - d->skipped, sums[0] + d->skipped, GM_LANES);
    }
}

/* The columns of pixels from d->first on, in all rows of the phase and all samples. */
GM_SIMD_INLINE void gm_s16_depthwise_columns(gm_s16_depthwise *d, void *kernel, gm_s16_read_pairs *read,
                                             gm_s16_finish *finish)
{
    const gm_s16_windows *w = d->windows;
    d->columns = (d->pixels - 1) * w->columns.advance + gm_s16_span_of(&w->column_taps);
    for (uint32_t b = 0; b < w->batch; b++) {
        size_t sample = (size_t)b * w->source.batch + d->group;
        for (uint32_t row = 0, made = 0; row < w->row_taps.pixels; row++) {
            made = gm_s16_list_lines(d, sample, row, made, kernel, read);
            gm_s16_depthwise_row(d, (gm_s16_pixel){b, row, d->first}, kernel, finish);
        }
    }
}

/* A phase, with the groups of a vector. */
GM_SIMD_INLINE void gm_s16_depthwise_phase(gm_s16_depthwise *d, uint32_t w_group, void *kernel, gm_s16_read_pairs *read,
                                           gm_s16_finish *finish)
{
    const gm_s16_windows *w = d->windows;
    uint32_t span = gm_s16_span_of(&w->column_taps), pixels = w->column_taps.pixels;
    d->across = (w->column_taps.count + 1) / 2;
    d->dilation = w->column_taps.count > 1 ? w->column_taps.delta[1] - w->column_taps.delta[0] : 0;
    d->height = gm_s16_span_of(&w->row_taps);
    uint32_t most = d->height > 0 && span > 0 ? (GM_S16_LINES / d->height - span) / w->columns.advance + 1 : pixels;
    gm_s16_pair_weights(d, w_group);
    for (d->first = 0; d->first < pixels; d->first += d->pixels) {
        d->pixels = pixels - d->first < most ? pixels - d->first : most;
        gm_s16_depthwise_columns(d, kernel, read, finish);
    }
}

/* All groups, at least GM_LANES; their weights are w_group apart. The last vector begins among the
 * groups of the one before. */
GM_SIMD_INLINE void gm_s16_depthwise_groups(gm_s16_windows *windows, uint32_t groups, uint32_t w_group, void *kernel,
                                            gm_s16_read_pairs *read, gm_s16_finish *finish)
{
    gm_s16_depthwise d;
    d.windows = windows;
    for (uint32_t row = 0; row < windows->rows.phases && row < windows->rows.pixels; row++) {
        gm_s16_list_taps(&windows->rows, row, &windows->row_taps);
        for (uint32_t column = 0; column < windows->columns.phases && column < windows->columns.pixels; column++) {
            gm_s16_list_taps(&windows->columns, column, &windows->column_taps);
            for (uint32_t g = 0; g < groups; g += GM_LANES) {
                d.skipped = groups - g < GM_LANES ? g + GM_LANES - groups : 0;
                d.group = g - d.skipped;
                gm_s16_depthwise_phase(&d, w_group, kernel, read, finish);
            }
        }
    }
}

#endif
#endif
