/* Window sums whose vectors hold neighbouring outputs of one group: tiles of pixels by vectors. */
#include "window_weights.h"

#if GM_ARCH_TILES && (GM_WITH_CONV || GM_WITH_CONV_TRANSPOSE)

/* Pixels of a tile of some vectors of outputs: as many accumulators as hide the latency of a
 * multiply-add. */
#define DENSE_PIXELS(vectors) ((vectors) == 1 ? GM_MOST_PIXELS : GM_TILE_PIXELS)

/* Where so few pixels are left there is a smaller tile, unless bytes count. */
#if defined(__wasm__)
#define FEW_PIXELS(vectors) 0u
#else
#define FEW_PIXELS(vectors) (DENSE_PIXELS(vectors) / 2)
#endif

/* Blocks of outputs whose weights are packed together, so that they share what is found out about regions. */
#define MOST_BLOCKS 8u

/* Steps whose sources lie a constant apart, and whose weights lie side by side: a tap, or
 * neighbouring ones. */
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

/* Lists the steps of a block that the pixels of a region take part in. */
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

/* `columns` neighbouring outputs of a group. offset: of the first from that of a pixel. */
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

/* Outputs that do not fill whole vectors pass through a buffer, in rows of `width`. */
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
    for (uint32_t r = 0; r < p->count; r++) {
        for (uint32_t c = 0; c < o->columns; c++) {
            p->dest[r][o->offset + c * o->stride] = buffer[r * width + c];
        }
    }
}

/* go_on: from what is in the outputs; whole: these are whole vectors. */
GM_SIMD_INLINE void load_sums(gm_vec *sums, const gm_window_pixels *p, const output_columns *o, int go_on, int whole,
                              uint32_t rows, uint32_t vectors)
{
    const uint32_t width = vectors * GM_LANES;
    float buffer[GM_MOST_PIXELS * GM_TILE_COLUMNS] = {0.0f};
    if (go_on && !whole) {
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
        gm_tile_store(whole ? p->dest[r] + o->offset : buffer + r * width, sums + r * vectors, width, vectors);
    }
    if (!whole) {
        store_strided(buffer, p, o, width);
    }
}

#endif

/* The steps of one block, of one tile of `rows` pixels. */
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

/* All pixels of a region. */
GM_SIMD_INLINE void sum_region(const gm_window_sum *sum, const gm_weight_block *b, const gm_region *region,
                               const tap_runs *steps, const output_columns *o, uint32_t vectors)
{
    gm_pixel_cursor at = gm_first_pixel(sum, region);
    for (uint32_t left = sum->batch * region->rows.count * region->columns.count; left > 0;) {
        gm_window_pixels p;
        gm_next_pixels(&p, &at, sum, region, left, DENSE_PIXELS(vectors));
        left -= p.count;
        if (p.count > FEW_PIXELS(vectors)) {
            sum_tile(sum, b, steps, &p, o, DENSE_PIXELS(vectors), vectors);
        } else {
            sum_tile(sum, b, steps, &p, o, FEW_PIXELS(vectors), vectors);
        }
    }
}

/* `columns` neighbouring outputs of a group, from `output` on. */
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

/* Outputs whose weights are packed together, `size` floats for each block. */
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

/* `columns` neighbouring outputs at most, from `output` on, of all pixels; returns how many. sum->x: of their group */
GM_SIMD_INLINE uint32_t sum_outputs(const gm_window_sum *sum, uint32_t group, uint32_t output, uint32_t columns,
                                    uint32_t vectors)
{
    const uint32_t width = vectors * GM_LANES;
    const float *w = sum->w + (size_t)group * sum->w_group + (size_t)output * sum->w_output;
    uint32_t steps = sum->rows.kernel * sum->columns.kernel * sum->inputs, done = 0;
    float panel[GM_PANEL_FLOATS];
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

/* The next outputs of a group: of those that are left, as many as fill wide blocks, or else all. */
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
