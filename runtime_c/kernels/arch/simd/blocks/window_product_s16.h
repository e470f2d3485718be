/*
 * Sums over windows of int8 or int16 times int8 weights, for each pixel, which is an output of
 * CONV_S8 or an input of CONV_GRAD_X_S16:
 *
 *   sum[pixel,output] = sum over taps and inputs of source[at the tap,input] (w - w_zero)
 *
 * in one group. The pixels of a phase meet the source in the same taps. Outside the
 * source there are zeros.
 */
#ifndef GM_SIMD_WINDOW_PRODUCT_S16_H
#define GM_SIMD_WINDOW_PRODUCT_S16_H

#include "lanes.h"
#include "s16.h"
#include "window_regions.h"

#if GM_ARCH_SIMD_S8

/* Blocks of pixels whose partial sums are kept until the last part of a long sum. */
#define GM_S16_WAITING 8u

/* Values of a window that are listed one by one. */
#define GM_S16_SCATTERED 64u

/* One axis of the taps of a phase: tap k of the kernel meets base + delta. Deltas ascend. */
typedef struct gm_s16_taps {
    uint32_t first, pixels;      /* pixels: of the phase; `first` is the first of them */
    uint32_t count, tap[GM_KERNEL_LIMIT], delta[GM_KERNEL_LIMIT];
} gm_s16_taps;

typedef struct gm_s16_windows {
    gm_axis rows, columns;
    gm_layout source, target;    /* target: of the pixels' sums */
    uint32_t batch, inputs, outputs;
    const int8_t *w;
    int32_t w_zero;
    uint32_t w_output, w_input, w_h, w_w;
    gm_s16_taps row_taps, column_taps; /* of the phase */
} gm_s16_windows;

/* The windows of any convolution instruction; axes, source and strides of weights are set later. */
#define GM_S16_WINDOWS(session, insn, in, out)     \
    {                                              \
        .batch = (insn)->batch,                    \
        .inputs = (in),                            \
        .outputs = (out),                          \
        .w = gm_i8((session), (insn)->w),          \
        .w_zero = gm_nearest_int8((insn)->w_zero), \
        .w_h = (insn)->w_h,                        \
        .w_w = (insn)->w_w,                        \
    }

/* A part of the sum: some taps with all inputs, or one tap with some of them. */
typedef struct gm_s16_part {
    uint32_t tap, taps, input, inputs;
} gm_s16_part;

/* A pixel; it also determines the start of its window in the source. */
typedef struct gm_s16_pixel {
    uint32_t batch, row, column; /* of the phase */
} gm_s16_pixel;

static inline void gm_s16_list_taps(const gm_axis *axis, uint32_t phase_pixel, gm_s16_taps *taps)
{
    uint32_t phase = (phase_pixel * axis->advance + axis->shift) % axis->phases;
    uint32_t base = (phase_pixel * axis->advance + axis->shift) / axis->phases;
    taps->first = phase_pixel, taps->count = 0;
    taps->pixels = (axis->pixels - phase_pixel - 1) / axis->phases + 1;
    int descends = axis->kernel > 1 && (int32_t)(axis->delta[axis->kernel - 1] - axis->delta[0]) < 0;
    for (uint32_t i = 0; i < axis->kernel; i++) {
        uint32_t k = descends ? axis->kernel - 1 - i : i;
        if (axis->phases == 1 || axis->phase[k] == phase) {
            taps->tap[taps->count] = k;
            taps->delta[taps->count++] = (axis->phases == 1 ? axis->shift : base) + axis->delta[k];
        }
    }
}

/* Returns the part of the sum that begins with this tap and input. */
static inline gm_s16_part gm_s16_part_from(const gm_s16_windows *w, uint32_t tap, uint32_t input)
{
    uint32_t left = w->row_taps.count * w->column_taps.count - tap;
    uint32_t most = w->inputs < GM_S16_LONGEST ? GM_S16_LONGEST / w->inputs : 1;
    uint32_t rest = w->inputs - input, inputs = rest < GM_S16_LONGEST || left == 0 ? rest : GM_S16_LONGEST;
    return (gm_s16_part){tap, left < most ? left : most, input, inputs};
}

/* Advances to the next part of the sum; there is one. */
static inline gm_s16_part gm_s16_next_part(const gm_s16_windows *w, const gm_s16_part *part)
{
    uint32_t input = part->input + part->inputs;
    return input < w->inputs ? gm_s16_part_from(w, part->tap, input) : gm_s16_part_from(w, part->tap + part->taps, 0);
}

static inline int gm_s16_is_last(const gm_s16_windows *w, const gm_s16_part *part)
{
    return part->tap + part->taps == w->row_taps.count * w->column_taps.count &&
           part->input + part->inputs == w->inputs;
}

static inline uint32_t gm_s16_pairs_of(const gm_s16_part *part)
{
    return (part->taps * part->inputs + 1) / 2;
}

/* Returns the elements of a tile of outputs in the panel. */
static inline uint32_t gm_s16_numbers_of_tile(const gm_s16_part *part)
{
    return gm_s16_pairs_of(part) * 2 * GM_S16_COLUMNS;
}

/* Packs a tile of outputs from index `output` on. */
static inline void gm_s16_pack_weights(const gm_s16_windows *w, const gm_s16_part *part, uint32_t output,
                                       int16_t *panel)
{
    gm_s16_matrix m = {.numbers = part->inputs,
                       .number_step = part->inputs > 1 ? w->w_input : 1,
                       .column_step = w->w_output,
                       .zero = w->w_zero};
    m.columns = w->outputs - output < GM_S16_COLUMNS ? w->outputs - output : GM_S16_COLUMNS;
    for (uint32_t t = 0; t < part->taps; t++) {
        uint32_t k = (part->tap + t) / w->column_taps.count, l = (part->tap + t) % w->column_taps.count;
        m.at = w->w + (size_t)output * w->w_output + (size_t)part->input * w->w_input +
               (size_t)w->row_taps.tap[k] * w->w_h + (size_t)w->column_taps.tap[l] * w->w_w;
        gm_s16_pack(panel, t * part->inputs, &m);
    }
}

static inline void gm_s16_next_pixel(const gm_s16_windows *w, gm_s16_pixel *at)
{
    if (++at->column == w->column_taps.pixels) {
        at->column = 0;
        if (++at->row == w->row_taps.pixels) {
            at->row = 0;
            at->batch++;
        }
    }
}

/* What a kernel does with windows: `read` returns a run of values of the source, which it may write
 * to `room`, and `finish` takes the sums of some outputs of some pixels from index `output` on. at:
 * the pixels' offsets in the target; step: from one pixel's sums to the next. */
typedef const int16_t *gm_s16_read(const void *kernel, int16_t *room, size_t offset, uint32_t numbers, uint32_t step);
typedef void gm_s16_finish(void *kernel, const size_t *at, uint32_t count, uint32_t output, uint32_t outputs,
                           const uint32_t *sums, uint32_t step);

/* Returns the offset of a pixel in the target. */
static inline size_t gm_s16_target_of(const gm_s16_windows *w, const gm_s16_pixel *pixel)
{
    return (size_t)pixel->batch * w->target.batch +
           (w->row_taps.first + (size_t)pixel->row * w->rows.phases) * w->target.h +
           (w->column_taps.first + (size_t)pixel->column * w->columns.phases) * w->target.w;
}

/* Some outputs with weights in the panel, and what takes their sums. */
typedef struct gm_s16_packed {
    const gm_s16_windows *windows;
    gm_s16_part part;
    uint32_t output, tiles;
    const int16_t *panel;
    int is_first, is_last;       /* of the parts */
    uint32_t run;                /* taps with contiguous values */
    int is_scattered; /* the part's values have gaps, and use `offsets` from the first source value that they meet */
    size_t offsets[GM_S16_SCATTERED];
} gm_s16_packed;

/* Lists the offsets if the source's values have gaps, and are few. */
static inline void gm_s16_list_offsets(gm_s16_packed *p)
{
    const gm_s16_windows *w = p->windows;
    uint32_t across = w->column_taps.count, inputs = p->part.inputs, numbers = p->part.taps * inputs;
    p->is_scattered =
        p->run == 1 && (inputs == 1 || w->source.channel != 1) && numbers > 1 && numbers <= GM_S16_SCATTERED;
    for (uint32_t i = 0; i < numbers && p->is_scattered; i++) {
        uint32_t tap = p->part.tap + i / inputs, k = tap / across, l = tap % across;
        p->offsets[i] = (size_t)(w->row_taps.delta[k] - w->row_taps.delta[0]) * w->source.h +
                        (size_t)(w->column_taps.delta[l] - w->column_taps.delta[0]) * w->source.w +
                        (size_t)(i % inputs) * w->source.channel;
    }
}

/* Returns how many taps are contiguous in the source: a row of them, or 1. */
static inline uint32_t gm_s16_run_of(const gm_s16_windows *w, const gm_s16_part *part)
{
    uint32_t across = w->column_taps.count;
    if (part->taps == 0 || part->taps % across != 0 || part->inputs != w->inputs || w->source.w != w->inputs ||
        (w->inputs > 1 && w->source.channel != 1)) {
        return 1;
    }
    for (uint32_t l = 1; l < across; l++) {
        if (w->column_taps.delta[l] != w->column_taps.delta[l - 1] + 1) {
            return 1;
        }
    }
    return across;
}

/* Returns whether all taps are inside the source. */
static inline int gm_s16_is_inside(const gm_s16_taps *taps, uint32_t at, uint32_t source)
{
    for (uint32_t k = 0; k < taps->count; k++) {
        if (at + taps->delta[k] >= source) {
            return 0;
        }
    }
    return 1;
}

/* Writes the values of a part of a pixel's window one by one, and returns 1; 0
 * if some are outside. */
GM_SIMD_INLINE int gm_s16_gather(const gm_s16_packed *p, const gm_s16_pixel *pixel, const void *kernel,
                                 gm_s16_read *read, int16_t *to)
{
    const gm_s16_windows *w = p->windows;
    uint32_t row = pixel->row * w->rows.advance, column = pixel->column * w->columns.advance;
    uint32_t numbers = p->part.taps * p->part.inputs;
    if (!gm_s16_is_inside(&w->row_taps, row, w->rows.source) ||
        !gm_s16_is_inside(&w->column_taps, column, w->columns.source)) {
        return 0;
    }
    size_t first = (size_t)pixel->batch * w->source.batch + (size_t)p->part.input * w->source.channel +
                   (size_t)(row + w->row_taps.delta[0]) * w->source.h +
                   (size_t)(column + w->column_taps.delta[0]) * w->source.w;
    for (uint32_t i = 0; i < numbers; i++) {
        to[i] = *read(kernel, to + i, first + p->offsets[i], 1, 1);
    }
    to[numbers] = 0;
    return 1;
}

/* Copies n contiguous values. */
GM_SIMD_INLINE void gm_s16_copy(int16_t *to, const int16_t *from, uint32_t n)
{
    uint32_t i = 0;
    for (; n - i >= 2 * GM_LANES; i += 2 * GM_LANES) {
        memcpy(to + i, from + i, 4 * GM_LANES);
    }
    for (; n - i >= GM_LANES; i += GM_LANES) {
        memcpy(to + i, from + i, 2 * GM_LANES);
    }
    for (; i < n; i++) {
        to[i] = from[i];
    }
}

/* Returns a part of a pixel's window: in place, or written to `room`. */
GM_SIMD_INLINE const int16_t *gm_s16_window_row(const gm_s16_packed *p, const gm_s16_pixel *pixel, const void *kernel,
                                                gm_s16_read *read, int16_t *room)
{
    const gm_s16_windows *w = p->windows;
    const gm_s16_part *part = &p->part;
    if (p->is_scattered && gm_s16_gather(p, pixel, kernel, read, room)) {
        return room;
    }
    size_t sample = (size_t)pixel->batch * w->source.batch + (size_t)part->input * w->source.channel;
    uint32_t row = pixel->row * w->rows.advance, column = pixel->column * w->columns.advance, inputs = part->inputs;
    uint32_t across = part->taps > 0 ? w->column_taps.count : 1, k = part->tap / across, l = part->tap % across;
    uint32_t run = p->run, numbers = run * inputs;
    if (run > 1 && (column + w->column_taps.delta[0] >= w->columns.source ||
                    column + w->column_taps.delta[run - 1] >= w->columns.source)) {
        run = 1, numbers = inputs;
    }
    int16_t *to = room;
    for (uint32_t t = 0; t < part->taps; t += run, to += numbers) {
        uint32_t i = row + w->row_taps.delta[k], j = column + w->column_taps.delta[l];
        if (i < w->rows.source && j < w->columns.source) {
            size_t at = sample + (size_t)i * w->source.h + (size_t)j * w->source.w;
            const int16_t *from = read(kernel, to, at, numbers, inputs > 1 ? w->source.channel : 1);
            if (part->taps == 1 && inputs % 2 == 0) {
                return from;
            }
            if (from != to) {
                gm_s16_copy(to, from, numbers);
            }
        } else {
            memset(to, 0, 2 * (size_t)numbers);
        }
        l += run;
        k += l == across;
        l = l == across ? 0 : l;
    }
    *to = 0; /* the second value of the last pair */
    return room;
}

/* A block of pixels with all packed outputs. sums: of a tile; they stay there for the next part. */
GM_SIMD_INLINE void gm_s16_block(const gm_s16_packed *p, const gm_s16_pixel *pixels, uint32_t count, uint32_t *sums,
                                 void *kernel, gm_s16_read *read, gm_s16_finish *finish)
{
    int16_t rows[GM_S16_ROWS][GM_S16_LONGEST + 2];
    size_t at[GM_S16_ROWS];
    gm_s16_tile tile = {.rows = count,
                        .step = 2,
                        .pairs = gm_s16_pairs_of(&p->part),
                        .panel = p->panel,
                        .continues = !p->is_first,
                        .sums = sums};
    for (uint32_t r = 0; r < GM_S16_ROWS; r++) {
        tile.row[r] = r < count ? gm_s16_window_row(p, &pixels[r], kernel, read, rows[r]) : tile.row[0];
    }
    for (uint32_t r = 0; r < count && p->is_last; r++) {
        at[r] = gm_s16_target_of(p->windows, &pixels[r]);
    }
    for (uint32_t t = 0; t < p->tiles; t++, tile.panel += gm_s16_numbers_of_tile(&p->part)) {
        uint32_t output = p->output + t * GM_S16_COLUMNS, left = p->windows->outputs - output;
        gm_s16_multiply(&tile);
        if (p->is_last) {
            finish(kernel, at, count, output, left < GM_S16_COLUMNS ? left : GM_S16_COLUMNS, sums, GM_S16_COLUMNS);
        }
    }
}

/* So many pixels from this one on, a block at a time. waiting: sums of each block, or of one. */
GM_SIMD_INLINE void gm_s16_blocks(const gm_s16_packed *p, gm_s16_pixel pixel, uint32_t pixels, uint32_t *waiting,
                                  void *kernel, gm_s16_read *read, gm_s16_finish *finish)
{
    int is_whole = p->is_first && p->is_last;
    for (uint32_t done = 0; done < pixels; done += GM_S16_ROWS) {
        uint32_t count = pixels - done < GM_S16_ROWS ? pixels - done : GM_S16_ROWS;
        gm_s16_pixel block[GM_S16_ROWS];
        for (uint32_t r = 0; r < count; r++) {
            block[r] = pixel;
            gm_s16_next_pixel(p->windows, &pixel);
        }
        gm_s16_block(p, block, count, waiting + (is_whole ? 0 : done * GM_S16_COLUMNS), kernel, read, finish);
    }
}

/* Returns a part with as many tiles of outputs as fit in the panel, packed. */
static inline gm_s16_packed gm_s16_pack_tiles(const gm_s16_windows *w, const gm_s16_part *part, uint32_t output,
                                              int16_t *panel)
{
    gm_s16_packed p = {.windows = w, .part = *part, .output = output, .panel = panel};
    uint32_t size = gm_s16_numbers_of_tile(part), left = (w->outputs - output - 1) / GM_S16_COLUMNS + 1;
    p.is_first = part->tap == 0 && part->input == 0;
    p.is_last = gm_s16_is_last(w, part);
    p.tiles = size > 0 ? GM_S16_PANEL / size : left;
    p.tiles = p.is_first && p.is_last ? p.tiles : 1;
    p.tiles = left < p.tiles ? left : p.tiles;
    for (uint32_t t = 0; t < p.tiles; t++) {
        gm_s16_pack_weights(w, part, output + t * GM_S16_COLUMNS, panel + t * size);
    }
    p.run = gm_s16_run_of(w, part);
    gm_s16_list_offsets(&p);
    return p;
}

/* All pixels of a phase that has taps, or none. */
GM_SIMD_INLINE void gm_s16_phase(const gm_s16_windows *w, void *kernel, gm_s16_read *read, gm_s16_finish *finish)
{
    int16_t panel[GM_S16_PANEL + 2 * GM_LANES * GM_S16_COLUMNS];
    uint32_t waiting[GM_S16_WAITING * GM_S16_ROWS * GM_S16_COLUMNS];
    uint32_t pixels = w->batch * w->row_taps.pixels * w->column_taps.pixels;
    gm_s16_packed p = {.tiles = 1};
    for (uint32_t output = 0; output < w->outputs; output += p.tiles * GM_S16_COLUMNS) {
        gm_s16_pixel pixel = {0};
        for (uint32_t done = 0, count; done < pixels; done += count) {
            gm_s16_part part = gm_s16_part_from(w, 0, 0);
            p = gm_s16_pack_tiles(w, &part, output, panel);
            count = p.is_last ? pixels : GM_S16_WAITING * GM_S16_ROWS;
            count = pixels - done < count ? pixels - done : count;
            gm_s16_blocks(&p, pixel, count, waiting, kernel, read, finish);
            while (!p.is_last) {
                part = gm_s16_next_part(w, &part);
                p = gm_s16_pack_tiles(w, &part, output, panel);
                gm_s16_blocks(&p, pixel, count, waiting, kernel, read, finish);
            }
            for (uint32_t i = 0; i < count; i++) {
                gm_s16_next_pixel(w, &pixel);
            }
        }
    }
}

/* All pixels of a group. */
GM_SIMD_INLINE void gm_s16_all_phases(gm_s16_windows *w, void *kernel, gm_s16_read *read, gm_s16_finish *finish)
{
    for (uint32_t row = 0; row < w->rows.phases && row < w->rows.pixels; row++) {
        gm_s16_list_taps(&w->rows, row, &w->row_taps);
        for (uint32_t column = 0; column < w->columns.phases && column < w->columns.pixels; column++) {
            gm_s16_list_taps(&w->columns, column, &w->column_taps);
            gm_s16_phase(w, kernel, read, finish);
        }
    }
}

#endif
#endif
