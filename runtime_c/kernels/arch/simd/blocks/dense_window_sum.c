/* Window sums with adjacent outputs of one group in vectors: tiles of pixels by vectors. */
#include "../../../../generated/instructions/conv.h"
#include "../../../../generated/instructions/conv_transpose.h"
#include "../avx512.h"
#include "window_weights.h"

#if GM_ARCH_TILES && (GM_WITH_CONV || GM_WITH_CONV_TRANSPOSE)

/* Pixels of a tile of some vectors of outputs: as many accumulators as hide the latency
 * of a multiply-add. */
#define DENSE_PIXELS(vectors) ((vectors) == 1 ? 8u : GM_TILE_PIXELS)

/* If so few pixels are left, there is a smaller tile, except in builds that must be small. */
#if defined(__wasm__)
#define FEW_PIXELS(vectors) 0u
#else
#define FEW_PIXELS(vectors) (DENSE_PIXELS(vectors) / 2)
#endif

/* Blocks of outputs with weights packed together, so that they share the analysis of regions. */
#define MOST_BLOCKS 8u

/* Steps with sources a constant apart, and contiguous weights: a tap, or adjacent taps. */
typedef struct tap_run {
    size_t source, panel; /* offsets of the first step */
    uint32_t count;
} tap_run;

typedef struct tap_runs {
    tap_run at[GM_TAP_LIMIT];
    uint32_t count;
    size_t step; /* of the source */
} tap_runs;

static void append_run(tap_runs *found, tap_run next, uint32_t width)
{
    tap_run *last = found->count > 0 ? &found->at[found->count - 1] : NULL;
    if (last && next.source == last->source + last->count * found->step &&
        next.panel == last->panel + (size_t)last->count * width) {
        last->count += next.count;
    } else {
        found->at[found->count++] = next;
    }
}

/* Lists the steps of a block that apply to the pixels of a region. */
static void find_tap_runs(tap_runs *found, const gm_region *region, const gm_window_sum *sum, const gm_weight_block *b)
{
    found->count = 0;
    found->step = sum->inputs > 1 ? sum->source.channel : region->taps > 1 ? region->source[1] - region->source[0] : 0;
    for (uint32_t i = 0; i < region->taps; i++) {
        uint32_t tap = region->number[i] * sum->inputs;
        uint32_t first = tap > b->first ? tap : b->first;
        uint32_t end = tap + sum->inputs < b->end ? tap + sum->inputs : b->end;
        if (first < end) {
            size_t gaps = (size_t)region->number[i] * b->gap;
            tap_run next = {region->source[i] + (first - tap) * found->step,
                            (size_t)(first - b->first) * b->width + gaps, end - first};
            append_run(found, next, b->width);
        }
    }
}

/* `columns` adjacent outputs of a group. offset: from a pixel's to the first output's. */
typedef struct output_columns {
    float start[GM_TILE_COLUMNS]; /* bias, or the empty sum */
    size_t offset, stride;
    uint32_t columns;
} output_columns;

#if GM_ARCH_SCALAR

GM_SIMD_INLINE void load_sums(gm_vec *sums, const gm_window_pixels *p, const output_columns *o, int go_on, int whole,
                              uint32_t rows, uint32_t vectors)
{
    (void)whole;
    GM_UNROLL
    for (uint32_t i = 0; i < rows * vectors; i++) {
        uint32_t c = i % vectors < o->columns ? i % vectors : 0;
        sums[i] = go_on ? p->dest[i / vectors][o->offset + c * o->stride] : o->start[c];
    }
}

GM_SIMD_INLINE void store_sums(const gm_vec *sums, const gm_window_pixels *p, const output_columns *o, int whole,
                               uint32_t rows, uint32_t vectors)
{
    (void)whole;
    GM_UNROLL
    for (uint32_t i = 0; i < rows * vectors; i++) {
        if (i % vectors < o->columns) {
            p->dest[i / vectors][o->offset + i % vectors * o->stride] = sums[i];
        }
    }
}

#else

/* Outputs that do not fill whole vectors go through a buffer, in rows of `width`. */
static void load_strided(float *buffer, const gm_window_pixels *p, const output_columns *o, uint32_t width)
{
    for (uint32_t r = 0; r < p->count; r++) {
        for (uint32_t c = 0; c < o->columns; c++) {
            buffer[r * width + c] = p->dest[r][o->offset + c * o->stride];
        }
    }
}

static void store_strided(const float *buffer, const gm_window_pixels *p, const output_columns *o, uint32_t width)
{
    for (uint32_t r = p->first; r < p->count; r++) {
        for (uint32_t c = 0; c < o->columns; c++) {
            p->dest[r][o->offset + c * o->stride] = buffer[r * width + c];
        }
    }
}

/* go_on: start from the current outputs; whole: outputs are whole vectors. */
GM_SIMD_INLINE void load_sums(gm_vec *sums, const gm_window_pixels *p, const output_columns *o, int go_on, int whole,
                              uint32_t rows, uint32_t vectors)
{
    const uint32_t width = vectors * GM_LANES;
    float buffer[GM_MOST_PIXELS * GM_TILE_COLUMNS];
    if (go_on && !whole) {
        memset(buffer, 0, sizeof buffer);
        load_strided(buffer, p, o, width);
    }
    GM_UNROLL
    for (uint32_t r = 0; r < rows; r++) {
        const float *from = !go_on ? o->start : whole ? p->dest[r] + o->offset : buffer + r * width;
        gm_tile_load(sums + r * vectors, from, width, vectors);
    }
}

GM_SIMD_INLINE void store_sums(const gm_vec *sums, const gm_window_pixels *p, const output_columns *o, int whole,
                               uint32_t rows, uint32_t vectors)
{
    const uint32_t width = vectors * GM_LANES;
    float buffer[GM_MOST_PIXELS * GM_TILE_COLUMNS];
    GM_UNROLL
    for (uint32_t r = 0; r < rows; r++) {
        if (r >= p->first) {
            gm_tile_store(whole ? p->dest[r] + o->offset : buffer + r * width, sums + r * vectors, width, vectors);
        }
    }
    if (!whole) {
        store_strided(buffer, p, o, width);
    }
}

#endif

/* The steps of one block, for one tile of `rows` pixels. */
GM_SIMD_INLINE void sum_tile(const gm_window_sum *sum, const gm_weight_block *b, const tap_runs *steps,
                             const gm_window_pixels *p, const output_columns *o, uint32_t rows, uint32_t vectors)
{
    int last = b->end == sum->rows.kernel * sum->columns.kernel * sum->inputs;
    int whole = o->stride == 1 && o->columns == vectors * GM_LANES;
    gm_vec sums[GM_MOST_PIXELS * GM_TILE_VECTORS];
    load_sums(sums, p, o, b->first > 0 || sum->accumulate, whole, rows, vectors);
    for (const tap_run *at = steps->at, *end = at + steps->count; at != end; at++) {
        gm_tile_mac_at(sums, p->source, at->source, steps->step, b->panel + at->panel, vectors * GM_LANES, at->count,
                       rows, vectors);
    }
    if (last) {
        gm_window_finish(sums, sum, rows * vectors);
    }
    store_sums(sums, p, o, whole, rows, vectors);
}

#if !GM_BYTES_COUNT

/* ---- Evenly spaced pixels
 * ------------------------------------------------------------------------------------ */

/* Evenly spaced pixels: of a row, of a column, or the same pixel of all samples. */
typedef struct pixel_line {
    uint32_t count;
    size_t source_step, dest_step;
} pixel_line;

/* For so many vectors there are tiles of EVEN_PIXELS, and smaller ones; a line needs at least one
 * smaller tile. Both hide the latency of a multiply-add. */
#define EVEN_PIXELS(vectors) ((vectors) == 1 ? 2 * GM_TILE_PIXELS : GM_TILE_PIXELS)
#define LEAST_EVEN_PIXELS(vectors) ((vectors) == 1 ? 2 * GM_TILE_ROWS : GM_TILE_ROWS)

/* Returns the number of pixels in the next tile of a line if `left` are left. */
static inline uint32_t next_even_pixels(uint32_t left, uint32_t vectors)
{
    return vectors == 1 ? 2 * gm_next_rows((left + 1) / 2) : gm_next_rows(left);
}

/* Whether the tiles of a line are full, or nearly so. */
static inline int fills_tiles(uint32_t count, uint32_t vectors)
{
    return count >= EVEN_PIXELS(vectors) || count == LEAST_EVEN_PIXELS(vectors);
}

/* sum_tile() for `rows` pixels of a line; it does not store the first `done` of them. */
GM_SIMD_INLINE void sum_even_tile(const gm_window_sum *sum, const gm_weight_block *b, const tap_runs *steps,
                                  const pixel_line *line, const float *source, float *dest, uint32_t done,
                                  const output_columns *o, uint32_t rows, uint32_t vectors)
{
    int last = b->end == sum->rows.kernel * sum->columns.kernel * sum->inputs;
    int whole = o->stride == 1 && o->columns == vectors * GM_LANES;
    gm_vec sums[GM_MOST_PIXELS * GM_TILE_VECTORS];
    gm_window_pixels p;
    p.first = done, p.count = rows;
    GM_UNROLL
    for (uint32_t r = 0; r < rows; r++) {
        p.dest[r] = dest + r * line->dest_step;
    }
    load_sums(sums, &p, o, b->first > 0 || sum->accumulate, whole, rows, vectors);
    for (const tap_run *at = steps->at, *end = at + steps->count; at != end; at++) {
        gm_tile_mac_even(sums, source + at->source, line->source_step, steps->step, b->panel + at->panel,
                         vectors * GM_LANES, at->count, rows, vectors);
    }
    if (last) {
        gm_window_finish(sums, sum, rows * vectors);
    }
    store_sums(sums, &p, o, whole, rows, vectors);
}

/* The number of steps of a short sum, the taps of 3x3 windows of one channel, whose weights
 * stay in registers. */
#define FEW_STEPS 9u

/* Whether a block is all of such a sum, for one whole vector of outputs. */
static int has_few_steps(const gm_window_sum *sum, const tap_runs *steps, const output_columns *o, uint32_t vectors)
{
    const tap_run *run = steps->at;
    return vectors == 1 && !sum->accumulate && !sum->transposed && sum->inputs == 1 && sum->rows.kernel == 3 &&
           sum->columns.kernel == 3 && o->stride == 1 && o->columns == GM_LANES && steps->count == 3 &&
           run[0].count == 3 && run[1].count == 3 && run[2].count == 3;
}

/* sum_line() for FEW_STEPS: one pixel at a time, since its neighbours' sums need not wait for its
 * own. dest: the first of these outputs. */
GM_SIMD_INLINE void sum_few_steps(const gm_weight_block *b, const tap_runs *steps, const pixel_line *line,
                                  const float *source, float *dest, const output_columns *o, int relu)
{
    gm_vec w[FEW_STEPS], start = gm_vec_load(o->start);
    const float *rows[3];
    size_t step = steps->step, source_step = line->source_step, dest_step = line->dest_step;
    GM_UNROLL
    for (uint32_t i = 0; i < FEW_STEPS; i++) {
        w[i] = gm_vec_load(b->panel + steps->at[i / 3].panel + i % 3 * GM_LANES);
        rows[i / 3] = source + steps->at[i / 3].source;
    }
    for (uint32_t left = line->count; left > 0; left--, dest += dest_step) {
        gm_vec value = start;
        GM_UNROLL
        for (uint32_t i = 0; i < FEW_STEPS; i++) {
            value = gm_vec_mac(value, gm_vec_splat(rows[i / 3][i % 3 * step]), w[i]);
        }
        rows[0] += source_step, rows[1] += source_step, rows[2] += source_step;
        gm_vec_store(dest, relu ? gm_vec_relu(value) : value);
    }
}

static GM_SIMD_TARGET void sum_line_of_few(const gm_window_sum *sum, const gm_weight_block *b, const tap_runs *steps,
                                           const pixel_line *line, const float *source, float *dest,
                                           const output_columns *o)
{
    if (sum->relu) {
        sum_few_steps(b, steps, line, source, dest, o, 1);
    } else {
        sum_few_steps(b, steps, line, source, dest, o, 0);
    }
}

/* All pixels of a line. Its last tile begins early enough to be full. */
GM_SIMD_INLINE void sum_line(const gm_window_sum *sum, const gm_weight_block *b, const tap_runs *steps,
                             const pixel_line *line, const float *source, float *dest, const output_columns *o,
                             uint32_t vectors)
{
    for (uint32_t left = line->count, pixels, done; left > 0; left -= pixels - done) {
        pixels = next_even_pixels(left, vectors);
        done = pixels > left ? pixels - left : 0;
        size_t first = line->count - left - done;
        const float *own_source = source + first * line->source_step;
        float *own_dest = dest + first * line->dest_step;
        if (pixels == EVEN_PIXELS(vectors)) {
            sum_even_tile(sum, b, steps, line, own_source, own_dest, done, o, EVEN_PIXELS(vectors), vectors);
        } else {
            sum_even_tile(sum, b, steps, line, own_source, own_dest, done, o, LEAST_EVEN_PIXELS(vectors), vectors);
        }
    }
}

#if GM_ARCH_AVX512

/* The most pixels of a tile of wide rows: their sums, and a row of weights, fit into 32 registers.
 * Lines shorter than LEAST_PIXELS_512 are left to narrower vectors, which are as fast there. */
#define MOST_PIXELS_512 16u
#define LEAST_PIXELS_512 7u

/* sum_even_tile() with one wide row for each of `rows` pixels. */
GM_SIMD_INLINE_512 void sum_even_tile_512(const gm_window_sum *sum, const gm_weight_block *b, const tap_runs *steps,
                                          const pixel_line *line, const float *source, float *dest,
                                          const output_columns *o, uint32_t rows)
{
    int go_on = b->first > 0 || sum->accumulate, last = b->end == sum->rows.kernel * sum->columns.kernel * sum->inputs;
    gm_wide sums[MOST_PIXELS_512];
    GM_UNROLL
    for (uint32_t r = 0; r < rows; r++) {
        sums[r] = gm_wide_load(go_on ? dest + r * line->dest_step : o->start);
    }
    for (const tap_run *at = steps->at, *end = at + steps->count; at != end; at++) {
        gm_wide_tile_mac_even(sums, source + at->source, line->source_step, steps->step, b->panel + at->panel,
                              GM_TILE_COLUMNS, at->count, rows);
    }
    GM_UNROLL
    for (uint32_t r = 0; r < rows; r++) {
        sums[r] = last && sum->transposed ? gm_wide_add(sums[r], gm_wide_splat(0.0f)) : sums[r];
        sums[r] = last && sum->relu ? gm_wide_relu(sums[r]) : sums[r];
        gm_wide_store(dest + r * line->dest_step, sums[r]);
    }
}

/* Returns the pixels of the next tile of a line if `left` are left: all tiles get
 * about the same size. */
static inline uint32_t next_pixels_512(uint32_t left)
{
    uint32_t tiles = (left + MOST_PIXELS_512 - 1) / MOST_PIXELS_512;
    return (left + tiles - 1) / tiles;
}

/* One tile of a line with this many pixels. */
#define TILE_512(pixels) \
case pixels: sum_even_tile_512(sum, b, steps, line, source, dest, o, pixels); break;

/* sum_line() for as many outputs. dest: the first of these. */
static GM_SIMD_TARGET_512 void sum_line_512(const gm_window_sum *sum, const gm_weight_block *b, const tap_runs *steps,
                                            const pixel_line *line, const float *source, float *dest,
                                            const output_columns *o)
{
    for (uint32_t left = line->count, pixels; left > 0; left -= pixels) {
        pixels = next_pixels_512(left);
        switch (pixels) {
            TILE_512(16)
            TILE_512(15)
            TILE_512(14)
            TILE_512(13)
            TILE_512(12)
            TILE_512(11)
            TILE_512(10)
            TILE_512(9)
            TILE_512(8)
            TILE_512(7)
        default: break; /* no line is shorter */
        }
        source += pixels * line->source_step;
        dest += pixels * line->dest_step;
    }
}

#endif

/* All pixels of a region by lines along one of its axes. Samples are far apart, so lines across
 * them are only for regions of a single pixel. Returns 0 if no axis suits. */
GM_SIMD_INLINE int sum_lines(const gm_window_sum *sum, const gm_weight_block *b, const gm_region *region,
                             const tap_runs *steps, const output_columns *o, uint32_t vectors)
{
    const gm_layout *source = &sum->source, *dest = &sum->dest;
    const gm_axis *rows = &sum->rows, *columns = &sum->columns;
    pixel_line axes[3] = {
        {region->columns.count, (size_t)columns->advance * source->w, (size_t)columns->phases * dest->w},
        {region->rows.count, (size_t)rows->advance * source->h, (size_t)rows->phases * dest->h},
        {sum->batch, source->batch, dest->batch},
    };
    uint32_t along = 0;
    while (along < 3 && !fills_tiles(axes[along].count, vectors)) {
        along++;
    }
    if (along == 3 || (along == 2 && region->columns.count * region->rows.count > 1)) {
        return 0;
    }
    int few = has_few_steps(sum, steps, o, vectors);
    const pixel_line line = axes[along], inner = axes[along == 0 ? 1 : 0], outer = axes[along == 2 ? 1 : 2];
    float *first = sum->y + (size_t)region->rows.first * dest->h + (size_t)region->columns.first * dest->w;
#if GM_ARCH_AVX512
    int wide = vectors == GM_TILE_VECTORS && o->stride == 1 && o->columns == GM_TILE_COLUMNS &&
               axes[along].count >= LEAST_PIXELS_512 && gm_simd_runs_512();
#endif
    for (uint32_t i = 0; i < outer.count; i++) {
        for (uint32_t j = 0; j < inner.count; j++) {
            const float *x = sum->x + i * outer.source_step + j * inner.source_step;
            float *y = first + i * outer.dest_step + j * inner.dest_step;
#if GM_ARCH_AVX512
            if (wide) {
                sum_line_512(sum, b, steps, &line, x, y + o->offset, o);
                continue;
            }
#endif
            if (few) {
                sum_line_of_few(sum, b, steps, &line, x, y + o->offset, o);
            } else {
                sum_line(sum, b, steps, &line, x, y, o, vectors);
            }
        }
    }
    return 1;
}

#endif

/* ---- All pixels ----------------------------------------------------------------------------------------------- */

/* All pixels of a region. */
GM_SIMD_INLINE void sum_region(const gm_window_sum *sum, const gm_weight_block *b, const gm_region *region,
                               const tap_runs *steps, const output_columns *o, uint32_t vectors)
{
#if !GM_BYTES_COUNT
    if (sum_lines(sum, b, region, steps, o, vectors)) {
        return;
    }
#endif
    gm_pixel_cursor at = gm_first_pixel(sum, region);
    for (uint32_t left = sum->batch * region->rows.count * region->columns.count; left > 0;) {
        gm_window_pixels p;
        gm_next_pixels(&p, &at, sum, region, left, DENSE_PIXELS(vectors));
        left -= p.count;
        if (p.count > FEW_PIXELS(vectors)) {
            sum_tile(sum, b, steps, &p, o, DENSE_PIXELS(vectors), vectors);
        } else if (!GM_BYTES_COUNT && p.count == 1) { /* a corner: so short that the next work can overlap it */
            sum_tile(sum, b, steps, &p, o, 1, vectors);
        } else {
            sum_tile(sum, b, steps, &p, o, FEW_PIXELS(vectors), vectors);
        }
    }
}

/* `columns` adjacent outputs of a group, from `output` on. */
static output_columns output_columns_from(const gm_window_sum *sum, uint32_t group, uint32_t output, uint32_t columns)
{
    output_columns o = {.offset = (size_t)group * sum->dest.group + (size_t)output * sum->dest.channel,
                        .stride = sum->dest.channel,
                        .columns = columns};
    for (uint32_t c = 0; c < GM_TILE_COLUMNS; c++) {
        o.start[c] = sum->bias && c < columns ? sum->bias[group * sum->outputs + output + c] : GM_EMPTY_SUM;
    }
    return o;
}

/* Outputs with weights packed together, `size` floats for each block. */
typedef struct output_blocks {
    output_columns columns[MOST_BLOCKS];
    uint32_t count, size;
} output_blocks;

/* All pixels, with the steps of b. panel: the weights of all blocks. */
GM_SIMD_INLINE void sum_regions(const gm_window_sum *sum, gm_weight_block *b, const output_blocks *blocks, float *panel,
                                uint32_t vectors)
{
    gm_region region;
    tap_runs steps;
    gm_first_region(&region, &sum->rows, &sum->columns, &sum->source);
    do {
        find_tap_runs(&steps, &region, sum, b);
        for (uint32_t i = 0; i < blocks->count; i++) {
            b->panel = panel + (size_t)i * blocks->size;
            sum_region(sum, b, &region, &steps, &blocks->columns[i], vectors);
        }
    } while (gm_next_region(&region, &sum->rows, &sum->columns, &sum->source));
}

/* At most `columns` adjacent outputs, from `output` on, for all pixels; returns how many.
 * sum->x: of their group */
GM_SIMD_INLINE uint32_t sum_outputs(const gm_window_sum *sum, uint32_t group, uint32_t output, uint32_t columns,
                                    uint32_t vectors)
{
    const uint32_t width = vectors * GM_LANES;
    const float *w = sum->w + (size_t)group * sum->w_group + (size_t)output * sum->w_output;
    uint32_t steps = sum->rows.kernel * sum->columns.kernel * sum->inputs, done = 0;
    GM_SIMD_ALIGNED float panel[GM_PANEL_FLOATS];
    gm_weight_block b = {.width = width};
    output_blocks blocks = {.size = gm_fit_weights(&b, sum, GM_PANEL_FLOATS)};
    uint32_t most = b.end == steps && blocks.size > 0 ? GM_PANEL_FLOATS / blocks.size : 1;
    for (; blocks.count < most && blocks.count < MOST_BLOCKS && done < columns; blocks.count++, done += width) {
        blocks.columns[blocks.count] =
            output_columns_from(sum, group, output + done, columns - done < width ? columns - done : width);
    }
    for (b.first = 0; b.first < steps; b.first = b.end) {
        gm_fit_weights(&b, sum, GM_PANEL_FLOATS);
        for (uint32_t i = 0; i < blocks.count; i++) {
            b.panel = panel + (size_t)i * blocks.size;
            gm_pack_weights(&b, sum, w + (size_t)i * width * sum->w_output, blocks.columns[i].columns);
        }
        sum_regions(sum, &b, &blocks, panel, vectors);
    }
    return done < columns ? done : columns;
}

static GM_SIMD_TARGET uint32_t wide(const gm_window_sum *sum, uint32_t group, uint32_t output, uint32_t columns)
{
    return sum_outputs(sum, group, output, columns, GM_TILE_VECTORS);
}

static GM_SIMD_TARGET uint32_t narrow(const gm_window_sum *sum, uint32_t group, uint32_t output, uint32_t columns)
{
    return sum_outputs(sum, group, output, columns, 1);
}

/* The next outputs of a group: as many of the remaining ones as fill wide blocks, or else all. */
static uint32_t sum_next_blocks(const gm_window_sum *sum, uint32_t group, uint32_t output)
{
    uint32_t left = sum->outputs - output, behind = left % GM_TILE_COLUMNS;
    if (GM_LANES > 1 && left <= GM_LANES) {
        return narrow(sum, group, output, left);
    }
    return wide(sum, group, output, GM_LANES > 1 && behind <= GM_LANES ? left - behind : left);
}

int gm_simd_dense_sum(const gm_window_sum *sum)
{
    if (sum->outputs < GM_LANES / 2) {
        return 0;
    }
    gm_window_sum own = *sum;
    for (uint32_t group = 0; group < sum->groups; group++, own.x += sum->source.group) {
        for (uint32_t output = 0; output < sum->outputs;) {
            output += sum_next_blocks(&own, group, output);
        }
    }
    return 1;
}

#endif
