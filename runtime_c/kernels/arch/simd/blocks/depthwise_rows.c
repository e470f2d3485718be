/* See depthwise_rows.h. A tile has several adjacent pixels of a row, in one vector of groups. Its
 * inputs stream in the order of the kernel's columns, and each is added to the sums of the pixels
 * whose windows cover it. */
#include "../../../../generated/instructions/conv.h"
#include "../../../../generated/instructions/conv_transpose.h"
#include "depthwise_rows.h"

#if GM_DEPTHWISE_ROWS && (GM_WITH_CONV || GM_WITH_CONV_TRANSPOSE)

#define MOST_ROW_TAPS 3u /* of a kernel row: their weights stay in registers */
#define MOST_ROW_SUMS 12u

/* The pixels of a row, all with the same taps except at the row's ends. They run in the
 * order of the inputs under the first tap: for a transposed window from the last to the
 * first, so that steps wrap. */
typedef struct row_pixels {
    uint32_t count, taps;
    uint32_t apart; /* inputs from pixel to pixel, in units of the inputs from tap to tap */
    uint32_t column, step; /* of the input under the first tap of the first pixel, and the step to the next tap's */
    uint32_t first_tap; /* its column in the kernel */
    uint32_t tap_distance; /* the distance to that of the next tap */
    size_t first, dest_step; /* offsets of the first pixel in a row of outputs, and of the next from it */
} row_pixels;

/* What all tiles of a row of outputs share: the kernel rows inside the input, each with the offset
 * of its first column of inputs, and of the weights of the first tap. */
typedef struct row_of_outputs {
    const gm_window_sum *sum;
    const gm_depthwise_operands *own;
    const row_pixels *pixels;
    size_t rows[GM_KERNEL_LIMIT], weights[GM_KERNEL_LIMIT];
    uint32_t count;
    size_t input_step, weight_step; /* from tap to tap */
    size_t source_row_step, dest_row_step; /* from row to row */
} row_of_outputs;

/* A tile's inputs [first, end) are inside the source. */
typedef struct tile_inputs {
    uint32_t first, end;
} tile_inputs;

/* sums[r] += the products of a kernel row with these weights at pixel r. at: the offset of the
 * first input. taps, pixels and apart: constants. Only inputs at the tile's ends can be outside, as
 * each pixel has a tap inside. */
GM_SIMD_INLINE void add_inputs(gm_vec *sums, const gm_vec *weights, const float *x, size_t at, size_t step,
                               tile_inputs inside, uint32_t taps, uint32_t pixels, uint32_t apart)
{
    const uint32_t inputs = (pixels - 1) * apart + taps;
    GM_UNROLL
    for (uint32_t i = 0; i < inputs; i++, at += step) {
        if ((i + 1 < taps && i < inside.first) || (i + taps > inputs && i >= inside.end)) {
            continue;
        }
        gm_vec value = gm_vec_load(x + at);
        GM_UNROLL
        for (uint32_t l = 0; l < taps; l++) {
            uint32_t r = (i - l) / apart;
            if (l <= i && (i - l) % apart == 0 && r < pixels) {
                sums[r] = gm_vec_mac(sums[r], value, weights[l]);
            }
        }
    }
}

/* Returns which inputs of a tile are inside the source. column: the source
 * column of the first one. */
GM_SIMD_INLINE tile_inputs inputs_inside(const row_of_outputs *row, uint32_t column, uint32_t taps, uint32_t inputs)
{
    uint32_t limit = row->sum->columns.source, step = row->pixels->step;
    tile_inputs inside = {0, inputs};
    while (inside.first + 1 < taps && column + inside.first * step >= limit) {
        inside.first++;
    }
    while (inside.end + taps > inputs + 1 && column + (inside.end - 1) * step >= limit) {
        inside.end--;
    }
    return inside;
}

/* A tile of `rows` rows, in GM_LANES groups. x: of the sample; at: the offset of the
 * tile's first input in its row; y: of the tile's first pixel. start: what sums start
 * from, unless from the outputs. */
GM_SIMD_INLINE void sum_row_tile(const row_of_outputs *row, const float *x, size_t at, float *y, const float *w,
                                 gm_vec start, tile_inputs inside, uint32_t taps, uint32_t pixels, uint32_t apart,
                                 uint32_t rows)
{
    const size_t weight_step = row->weight_step, dest_step = row->pixels->dest_step;
    gm_vec sums[MOST_ROW_SUMS];
    GM_UNROLL
    for (uint32_t r = 0; r < pixels * rows; r++) {
        sums[r] = start;
    }
    if (row->sum->accumulate) {
        GM_UNROLL
        for (uint32_t r = 0; r < pixels * rows; r++) {
            sums[r] = gm_vec_load(y + (r / pixels * row->dest_row_step + r % pixels * dest_step));
        }
    }
    for (uint32_t k = 0; k < row->count; k++) {
        gm_vec weights[MOST_ROW_TAPS];
        GM_UNROLL
        for (uint32_t l = 0; l < taps; l++) {
            weights[l] = gm_vec_load(w + (row->weights[k] + l * weight_step));
        }
        GM_UNROLL
        for (uint32_t i = 0; i < rows; i++) {
            add_inputs(sums + i * pixels, weights, x, at + row->rows[k] + i * row->source_row_step, row->input_step,
                       inside, taps, pixels, apart);
        }
    }
    gm_window_finish(sums, row->sum, pixels * rows);
    GM_UNROLL
    for (uint32_t r = 0; r < pixels * rows; r++) {
        gm_vec_store(y + (r / pixels * row->dest_row_step + r % pixels * dest_step), sums[r]);
    }
}

/* Several tiles, from pixel `first` on, in all whole vectors of groups. y: of the first row. */
GM_SIMD_INLINE void sum_tiles(const row_of_outputs *row, const float *x, float *y, uint32_t first, uint32_t tiles,
                              uint32_t taps, uint32_t pixels, uint32_t apart, uint32_t rows)
{
    const row_pixels *p = row->pixels;
    const gm_depthwise_operands *own = row->own;
    for (; tiles > 0; tiles--, first += pixels) {
        uint32_t input = first * p->apart, column = p->column + input * p->step;
        tile_inputs inside = inputs_inside(row, column, taps, (pixels - 1) * apart + taps);
        float *to = y + (p->first + first * p->dest_step);
        for (uint32_t g = 0; g + GM_LANES <= own->groups; g += GM_LANES) {
            gm_vec start = own->bias ? gm_vec_load(own->bias + g) : gm_vec_splat(GM_EMPTY_SUM);
            sum_row_tile(row, x + g, input * row->input_step, to + g, own->weights + g, start, inside, taps, pixels,
                         apart, rows);
        }
    }
}

typedef void sum_tiles_of(const row_of_outputs *row, const float *x, float *y, uint32_t first, uint32_t tiles);

/* Defines one form of sum_tiles(). */
#define DEFINE_ROW_TILES(taps, pixels, apart, rows)                                                                  \
    static GM_SIMD_TARGET void tiles_##taps##_##pixels##_##apart##_##rows(const row_of_outputs *row, const float *x, \
                                                                          float *y, uint32_t first, uint32_t tiles)  \
    {                                                                                                                \
        sum_tiles(row, x, y, first, tiles, taps, pixels, apart, rows);                                               \
    }

DEFINE_ROW_TILES(1, 1, 1, 1)
DEFINE_ROW_TILES(1, 1, 1, 2)
DEFINE_ROW_TILES(1, 4, 1, 1)
DEFINE_ROW_TILES(1, 4, 1, 2)
DEFINE_ROW_TILES(2, 1, 1, 1)
DEFINE_ROW_TILES(2, 1, 1, 2)
DEFINE_ROW_TILES(2, 4, 1, 1)
DEFINE_ROW_TILES(2, 4, 1, 2)
DEFINE_ROW_TILES(3, 1, 1, 1)
DEFINE_ROW_TILES(3, 1, 1, 2)
DEFINE_ROW_TILES(3, 2, 1, 1)
DEFINE_ROW_TILES(3, 2, 1, 2)
DEFINE_ROW_TILES(3, 3, 1, 1)
DEFINE_ROW_TILES(3, 3, 1, 2)
DEFINE_ROW_TILES(3, 4, 1, 1)
DEFINE_ROW_TILES(3, 4, 1, 2)
DEFINE_ROW_TILES(3, 5, 1, 1)
DEFINE_ROW_TILES(3, 5, 1, 2)
DEFINE_ROW_TILES(3, 6, 1, 1)
DEFINE_ROW_TILES(3, 6, 1, 2)
DEFINE_ROW_TILES(3, 8, 1, 1)
DEFINE_ROW_TILES(3, 4, 2, 1)
DEFINE_ROW_TILES(3, 4, 2, 2)

/* How to do the next pixels: one row or two at once. */
typedef struct tile_form {
    uint32_t pixels;
    sum_tiles_of *of_rows[2];
} tile_form;

/* Returns the form for the next pixels of a row if `left` are left. */
static tile_form form_for(const row_pixels *p, uint32_t left)
{
    static const tile_form forms[][2] = {{{1, {tiles_1_1_1_1, tiles_1_1_1_2}}, {4, {tiles_1_4_1_1, tiles_1_4_1_2}}},
                                         {{1, {tiles_2_1_1_1, tiles_2_1_1_2}}, {4, {tiles_2_4_1_1, tiles_2_4_1_2}}},
                                         {{1, {tiles_3_1_1_1, tiles_3_1_1_2}}, {4, {tiles_3_4_2_1, tiles_3_4_2_2}}}};
    static const tile_form neighbours[] = {{1, {tiles_3_1_1_1, tiles_3_1_1_2}}, {2, {tiles_3_2_1_1, tiles_3_2_1_2}},
                                           {3, {tiles_3_3_1_1, tiles_3_3_1_2}}, {4, {tiles_3_4_1_1, tiles_3_4_1_2}},
                                           {5, {tiles_3_5_1_1, tiles_3_5_1_2}}, {6, {tiles_3_6_1_1, tiles_3_6_1_2}},
                                           {4, {tiles_3_4_1_1, tiles_3_4_1_2}}, {8, {tiles_3_8_1_1, NULL}}};
    if (p->taps == MOST_ROW_TAPS && p->apart == 1) {
        return neighbours[(left < 8 ? left : 8) - 1];
    }
    return forms[p->taps - 1][left >= 4];
}

/* One row of outputs, or two. x: of the sample, at the inputs of the first row; y: of the first row. */
static void sum_rows_of_pixels(const row_of_outputs *row, const float *x, float *y, uint32_t rows)
{
    const row_pixels *p = row->pixels;
    for (uint32_t first = 0; first < p->count;) {
        tile_form form = form_for(p, p->count - first);
        uint32_t tiles = (p->count - first) / form.pixels;
        sum_tiles_of *at_once = form.of_rows[rows - 1];
        if (at_once != NULL) {
            at_once(row, x, y, first, tiles);
        } else {
            form.of_rows[0](row, x, y, first, tiles);
            form.of_rows[0](row, x + row->source_row_step, y + row->dest_row_step, first, tiles);
        }
        first += tiles * form.pixels;
    }
}

/* ---- Which pixels share inputs ------------------------------------------------------------------------- */

/* Whether a pixel has a tap inside the source. column: of the input under its first tap. */
static int has_inputs(const row_pixels *p, uint32_t column, uint32_t source)
{
    int found = 0;
    for (uint32_t l = 0; l < p->taps; l++) {
        found |= column + l * p->step < source;
    }
    return found;
}

/* Sets the taps of a phase's pixels; returns 0 if they are too many, or unevenly spaced. */
static int find_row_taps(row_pixels *p, const gm_axis *axis, uint32_t phase)
{
    uint32_t reach = phase * axis->advance + axis->shift;
    uint32_t base = axis->phases == 1 ? reach : reach / axis->phases, own = reach - base * axis->phases;
    uint32_t last = 0, last_column = 0;
    p->taps = 0, p->step = axis->advance, p->tap_distance = 0;
    for (uint32_t k = 0; k < axis->kernel; k++) {
        if (axis->phase[k] != own) {
            continue;
        }
        uint32_t column = base + axis->delta[k];
        if (p->taps == 0) {
            p->first_tap = k, p->column = column;
        } else if (p->taps == 1) {
            p->step = column - last_column, p->tap_distance = k - last;
        } else if (column - last_column != p->step || k - last != p->tap_distance) {
            return 0;
        }
        last = k, last_column = column;
        p->taps++;
    }
    return p->taps > 0 && p->taps <= MOST_ROW_TAPS;
}

/* Sets the pixels of a row of one phase; returns 0 if they do not share inputs in a way
 * that tiles support. */
static int find_row_pixels(row_pixels *p, const gm_window_sum *sum, uint32_t phase)
{
    const gm_axis *axis = &sum->columns;
    p->count = axis->pixels > phase ? (axis->pixels - phase - 1) / axis->phases + 1 : 0;
    p->first = (size_t)phase * sum->dest.w, p->dest_step = (size_t)axis->phases * sum->dest.w;
    if (!find_row_taps(p, axis, phase)) {
        return 0;
    }
    uint32_t advance = axis->advance, behind = p->count > 0 ? p->count - 1 : 0;
    int backwards = p->step > UINT32_MAX / 2;
    if (backwards) {
        p->first += behind * p->dest_step, p->dest_step = 0 - p->dest_step;
        p->column += behind * advance, advance = 0u - advance;
    }
    p->apart = advance == p->step ? 1 : 2;
    return advance == p->apart * p->step && (p->apart == 1 || p->taps == MOST_ROW_TAPS) &&
           (backwards ? 0u - p->step : p->step) <= axis->source && has_inputs(p, p->column, axis->source) &&
           has_inputs(p, p->column + behind * advance, axis->source);
}

/* ---- All pixels ---------------------------------------------------------------------------------------- */

/* Sets the kernel rows that the rows of a stretch meet; offsets are those of the
 * stretch's first row. */
static void find_kernel_rows(row_of_outputs *row, const gm_stretch *rows)
{
    const gm_window_sum *sum = row->sum;
    const row_pixels *p = row->pixels;
    size_t column = (size_t)p->column * sum->source.w;
    column = p->column > UINT32_MAX / 2 ? 0 - (size_t)(0u - p->column) * sum->source.w : column;
    row->count = rows->taps;
    for (uint32_t k = 0; k < rows->taps; k++) {
        row->rows[k] = (size_t)rows->at[k] * sum->source.h + column;
        row->weights[k] = ((size_t)rows->tap[k] * sum->columns.kernel + p->first_tap) * row->own->width;
    }
}

/* All rows of a stretch, for the pixels of one phase of the columns. */
static void sum_stretch(const gm_window_sum *sum, const gm_depthwise_operands *own, const gm_stretch *rows,
                        const row_pixels *p)
{
    row_of_outputs row = {.sum = sum, .own = own, .pixels = p, .weight_step = (size_t)p->tap_distance * own->width};
    row.input_step = (size_t)p->step * sum->source.w;
    row.input_step = p->step > UINT32_MAX / 2 ? 0 - (size_t)(0u - p->step) * sum->source.w : row.input_step;
    row.source_row_step = (size_t)sum->rows.advance * sum->source.h;
    row.dest_row_step = (size_t)sum->rows.phases * sum->dest.h;
    find_kernel_rows(&row, rows);
    for (uint32_t b = 0; b < sum->batch; b++) {
        const float *x = sum->x + (size_t)b * sum->source.batch;
        float *y = sum->y + ((size_t)b * sum->dest.batch + (size_t)rows->first * sum->dest.h);
        for (uint32_t i = 0, n; i < rows->count; i += n) {
            n = rows->count - i < 2 ? 1 : 2;
            sum_rows_of_pixels(&row, x + i * row.source_row_step, y + i * row.dest_row_step, n);
        }
    }
}

uint32_t gm_simd_depthwise_rows(const gm_window_sum *sum, const gm_depthwise_operands *own)
{
    row_pixels p;
    gm_stretch rows;
    for (uint32_t phase = 0; phase < sum->columns.phases && phase < sum->columns.pixels; phase++) {
        if (!find_row_pixels(&p, sum, phase)) {
            return 0;
        }
    }
    for (uint32_t phase = 0; phase < sum->columns.phases && phase < sum->columns.pixels; phase++) {
        find_row_pixels(&p, sum, phase);
        gm_first_stretch(&sum->rows, &rows);
        do {
            sum_stretch(sum, own, &rows, &p);
        } while (gm_next_stretch(&sum->rows, &rows));
    }
    return own->groups / GM_LANES * GM_LANES;
}

#endif
