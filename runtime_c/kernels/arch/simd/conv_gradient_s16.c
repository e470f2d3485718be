/*
 * CONV_GRAD_W_S16 and CONV_UPDATE_S16 with vectors: for each output channel m and each column,
 * which is a tap of an input channel,
 *
 *   sum[m,column] = sum over pixels of dy[pixel,m] (x[under the tap,channel] - x_zero)
 *
 * Two pixels make a pair. Sums over a chunk of pixels have 32 bits and cannot overflow; those over
 * all chunks are float64, in which all integers up to 2^53 are exact.
 */
#include "../../../generated/instructions/conv_grad_w_s16.h"
#include "../../../generated/instructions/conv_update_s16.h"
#include "../../conv_gradient_s16.h"
#include "blocks/s16.h"
#include "s8.h"
#include "simd.h"

#if GM_ARCH_SIMD_S8 && (GM_WITH_CONV_GRAD_W_S16 || GM_WITH_CONV_UPDATE_S16)

/* Output channels and columns whose sums are computed at once, and pairs of pixels of a chunk. */
#define GRADIENT_ROWS 24u
#define GRADIENT_TILES 9u
#define GRADIENT_COLUMNS (GRADIENT_TILES * GM_S16_COLUMNS)
#define GRADIENT_PAIRS (GM_PANEL_FLOATS / 256)

/* A pixel's offset in dy, and the start of its window in x, which may be outside. */
typedef struct s16_gradient_pixel {
    size_t dy, sample;
    uint32_t row, column;
} s16_gradient_pixel;

/* Columns: all taps of some input channels, or some taps of one. A run is a number of taps with
 * contiguous values; a whole run fills whole vectors. */
typedef struct gradient_columns {
    uint32_t channel, channels, tap, taps, run;
    int has_whole_runs;
} gradient_columns;

/* The rows and columns of one block, and the packed chunk. */
typedef struct s16_gradient_block {
    const gm_simd_gradient *of;
    const int8_t *x;             /* of the group */
    const int16_t *dy;           /* of the first of the output channels */
    uint32_t rows, columns, pairs;
    int continues;               /* sums continue those of earlier chunks */
    gradient_columns where;
    size_t offsets[GRADIENT_COLUMNS];
    int8_t outside[GRADIENT_COLUMNS]; /* the zero point */
    int16_t a[GRADIENT_PAIRS * 2 * GRADIENT_ROWS];
    int16_t b[GRADIENT_TILES][GRADIENT_PAIRS * 2 * GM_S16_COLUMNS];
    double sums[GRADIENT_ROWS][GRADIENT_COLUMNS];
} s16_gradient_block;

static s16_gradient_pixel gradient_pixel_at(const gm_conv_gradient_s8 *g, uint32_t batch, uint32_t row, uint32_t column)
{
    const gm_window *w = &g->window;
    return (s16_gradient_pixel){(size_t)batch * g->dy.batch + (size_t)row * g->dy.h + (size_t)column * g->dy.w,
                                (size_t)batch * g->x.batch, row * w->stride_h - w->pad_h,
                                column * w->stride_w - w->pad_w};
}

/* ---- Panels ---------------------------------------------------------------------------------- */

/* dy of all rows at two pixels, or at one. */
GM_SIMD_INLINE void pack_s16_gradients(const s16_gradient_block *b, const s16_gradient_pixel *pixels, uint32_t count,
                                       int16_t *to)
{
    static const int16_t none[GM_LANES];
    uint32_t step = b->of->gradient.dy.channel, m = 0;
    const int16_t *first = b->dy + pixels[0].dy, *second = count > 1 ? b->dy + pixels[1].dy : NULL;
    for (; step == 1 && b->rows - m >= GM_LANES; m += GM_LANES) {
        gm_pairs_store(to + 2 * m, gm_pairs_of_numbers(first + m, second ? second + m : none));
    }
    for (; m < b->rows; m++) {
        to[2 * m] = first[(size_t)m * step];
        to[2 * m + 1] = second ? second[(size_t)m * step] : 0;
    }
}

/* Lists the columns' offsets from the window's beginning. */
static void list_offsets(s16_gradient_block *b)
{
    const gm_conv_gradient_s8 *g = &b->of->gradient;
    const gm_window *w = &g->window;
    for (uint32_t i = 0; i < b->columns; i++) {
        uint32_t tap = b->where.tap + i / b->where.channels, k = tap / w->kernel_w, l = tap % w->kernel_w;
        b->offsets[i] = (size_t)k * w->dilation_h * g->x.h + (size_t)l * w->dilation_w * g->x.w +
                        (size_t)(i % b->where.channels) * g->x.channel;
    }
}

/* Returns whether the whole window of a pixel is inside x. */
static inline int is_window_inside(const gm_window *w, const s16_gradient_pixel *pixel)
{
    uint32_t height = (w->kernel_h - 1) * w->dilation_h, width = (w->kernel_w - 1) * w->dilation_w;
    return pixel->row < w->in_h && w->in_h - pixel->row > height && pixel->column < w->in_w &&
           w->in_w - pixel->column > width;
}

/* One tap of the columns' channels. */
GM_SIMD_INLINE void copy_tap(const s16_gradient_block *b, const s16_gradient_pixel *pixel, uint32_t k, uint32_t l,
                             int8_t *to)
{
    const gm_conv_gradient_s8 *g = &b->of->gradient;
    const gm_window *w = &g->window;
    uint32_t i = pixel->row + k * w->dilation_h, j = pixel->column + l * w->dilation_w, n = b->where.channels;
    int is_inside = i < w->in_h && j < w->in_w;
    const int8_t *from = is_inside ? b->x + pixel->sample + (size_t)i * g->x.h + (size_t)j * g->x.w : b->outside;
    for (uint32_t c = 0; c < n; c++) {
        to[c] = *from;
        from += is_inside ? g->x.channel : 1;
    }
}

/* Returns the values of a run of taps, from (k, l) on: in place, or copied. */
GM_SIMD_INLINE const int8_t *run_numbers(const s16_gradient_block *b, const s16_gradient_pixel *pixel, uint32_t k,
                                         uint32_t l, int8_t *copy)
{
    const gm_conv_gradient_s8 *g = &b->of->gradient;
    const gm_window *w = &g->window;
    uint32_t i = pixel->row + k * w->dilation_h, j = pixel->column + l * w->dilation_w, run = b->where.run;
    if (b->where.has_whole_runs && i < w->in_h && j < w->in_w && w->in_w - j >= run) {
        return b->x + pixel->sample + (size_t)i * g->x.h + (size_t)j * g->x.w;
    }
    if (b->where.has_whole_runs && (i >= w->in_h || run == 1)) {
        return b->outside;
    }
    for (uint32_t t = 0; t < run; t++) {
        copy_tap(b, pixel, k, l + t, copy + t * b->where.channels);
    }
    return copy;
}

/* n columns from this one on; a column's values at both pixels make a pair. */
GM_SIMD_INLINE void pair_columns(s16_gradient_block *b, uint32_t column, uint32_t n, const int8_t *first,
                                 const int8_t *second)
{
    int32_t zero = b->of->gradient.x_zero;
    for (uint32_t c = column; c < column + n; c += GM_LANES, first += GM_LANES, second += GM_LANES) {
        int16_t *to = b->b[c / GM_S16_COLUMNS] + 2 * (b->pairs * GM_S16_COLUMNS + c % GM_S16_COLUMNS);
        gm_pairs_store(to, gm_pairs_of_bytes(first, second, zero));
    }
}

/* The windows of a pair of pixels that are entirely inside, one value after another. */
GM_SIMD_INLINE void pack_scattered_windows(s16_gradient_block *b, const s16_gradient_pixel *pixels)
{
    const gm_conv_gradient_s8 *g = &b->of->gradient;
    int8_t copies[2][GRADIENT_COLUMNS];
    for (uint32_t p = 0; p < 2; p++) {
        const int8_t *from =
            b->x + pixels[p].sample + (size_t)pixels[p].row * g->x.h + (size_t)pixels[p].column * g->x.w;
        for (uint32_t c = 0; c < b->columns; c++) {
            copies[p][c] = from[b->offsets[c]];
        }
    }
    pair_columns(b, 0, b->columns, copies[0], copies[1]);
}

/* The windows of two pixels, or of one. */
GM_SIMD_INLINE void pack_s16_windows(s16_gradient_block *b, const s16_gradient_pixel *pixels, uint32_t count)
{
    const gm_window *w = &b->of->gradient.window;
    if (!b->where.has_whole_runs && count > 1 && is_window_inside(w, &pixels[0]) && is_window_inside(w, &pixels[1])) {
        pack_scattered_windows(b, pixels);
        return;
    }
    int8_t copies[2][GRADIENT_COLUMNS];
    uint32_t kernel_w = w->kernel_w, size = b->where.run * b->where.channels, column = 0;
    uint32_t k = b->where.tap / kernel_w, l = b->where.tap % kernel_w;
    for (; column < b->columns; column += size) {
        const int8_t *first = run_numbers(b, &pixels[0], k, l, copies[0] + column), *second = b->outside;
        if (count > 1) {
            second = run_numbers(b, &pixels[1], k, l, copies[1] + column);
        }
        if (b->where.has_whole_runs) {
            pair_columns(b, column, size, first, second);
        }
        l += b->where.run;
        k += l == kernel_w;
        l = l == kernel_w ? 0 : l;
    }
    if (!b->where.has_whole_runs) {
        pair_columns(b, 0, b->columns, copies[0], count > 1 ? copies[1] : b->outside);
    }
}

/* ---- Sums ------------------------------------------------------------------------------------ */

static GM_SIMD_TARGET void add_tile_s16(s16_gradient_block *b, uint32_t row, uint32_t tile)
{
    uint32_t sums[GM_S16_ROWS * GM_S16_COLUMNS];
    gm_s16_tile t = {.step = 2 * GRADIENT_ROWS, .panel = b->b[tile], .pairs = b->pairs, .sums = sums};
    t.rows = b->rows - row < GM_S16_ROWS ? b->rows - row : GM_S16_ROWS;
    for (uint32_t r = 0; r < GM_S16_ROWS; r++) {
        t.row[r] = b->a + 2 * (row + (r < t.rows ? r : 0));
    }
    gm_s16_multiply(&t);
    for (uint32_t r = 0; r < t.rows; r++) {
        double *to = b->sums[row + r] + tile * GM_S16_COLUMNS;
        for (uint32_t c = 0; c < GM_S16_COLUMNS && b->continues; c++) {
            to[c] += (int32_t)sums[r * GM_S16_COLUMNS + c];
        }
        for (uint32_t c = 0; c < GM_S16_COLUMNS && !b->continues; c++) {
            to[c] = (int32_t)sums[r * GM_S16_COLUMNS + c];
        }
    }
}

static void add_s16_chunk(s16_gradient_block *b)
{
    for (uint32_t tile = 0; tile * GM_S16_COLUMNS < b->columns; tile++) {
        for (uint32_t row = 0; row < b->rows; row += GM_S16_ROWS) {
            add_tile_s16(b, row, tile);
        }
    }
    b->pairs = 0;
    b->continues = 1;
}

/* All pixels. */
static GM_SIMD_TARGET void sum_block(s16_gradient_block *b)
{
    const gm_conv_gradient_s8 *g = &b->of->gradient;
    s16_gradient_pixel pixels[2];
    uint32_t count = 0, last = g->batch * g->window.out_h * g->window.out_w, row = 0, column = 0, batch = 0;
    b->continues = 0;
    for (uint32_t done = 1; done <= last; done++) {
        pixels[count++] = gradient_pixel_at(g, batch, row, column);
        if (++column == g->window.out_w) {
            column = 0, row = row + 1 < g->window.out_h ? row + 1 : 0;
            batch += row == 0;
        }
        if (count == 2 || done == last) {
            pack_s16_gradients(b, pixels, count, b->a + b->pairs * 2 * GRADIENT_ROWS);
            pack_s16_windows(b, pixels, count);
            b->pairs++;
            count = 0;
        }
        if (b->pairs == GRADIENT_PAIRS || done == last) {
            add_s16_chunk(b);
        }
    }
}

/* ---- Results --------------------------------------------------------------------------------- */

GM_SIMD_TARGET void gm_simd_finish_gradient(const gm_simd_gradient *of, uint32_t channel, uint32_t first,
                                            const double *sums, uint32_t n)
{
    const gm_conv_gradient_s8 *g = &of->gradient;
    uint32_t at = channel * g->in_channels * g->window.kernel_h * g->window.kernel_w + first;
    float values[GRADIENT_COLUMNS], *to = of->update ? values : of->y + at;
    float unit = of->unit, factor = of->factor[channel];
    for (uint32_t i = 0; i < n && (of->update || !of->accumulate); i++) {
        to[i] = (float)sums[i] * unit * factor;
    }
    for (uint32_t i = 0; i < n && !of->update && of->accumulate; i++) {
        to[i] += (float)sums[i] * unit * factor;
    }
    if (of->update) {
        gm_update_stored(of->update, values, 1.0f, of->units[channel], at, n);
    }
}

/* The gradients of one output channel's columns, which are contiguous in its row:
 * taps vary fastest. */
static void finish_row(const s16_gradient_block *b, uint32_t row, uint32_t channel)
{
    const gm_window *w = &b->of->gradient.window;
    uint32_t first = b->where.channel * w->kernel_h * w->kernel_w + b->where.tap;
    double sums[GRADIENT_COLUMNS];
    if (b->where.taps == 1) {
        gm_simd_finish_gradient(b->of, channel, first, b->sums[row], b->columns);
        return;
    }
    for (uint32_t t = 0; t < b->where.taps; t++) {
        for (uint32_t c = 0; c < b->where.channels; c++) {
            sums[c * b->where.taps + t] = b->sums[row][t * b->where.channels + c];
        }
    }
    gm_simd_finish_gradient(b->of, channel, first, sums, b->columns);
}

/* The columns from this channel and tap on. */
static gradient_columns columns_from(const gm_conv_gradient_s8 *g, uint32_t channel, uint32_t tap)
{
    uint32_t taps = g->window.kernel_h * g->window.kernel_w;
    if (taps > GRADIENT_COLUMNS) {
        uint32_t left = taps - tap;
        return (gradient_columns){channel, 1, tap, left < GRADIENT_COLUMNS ? left : GRADIENT_COLUMNS, 1, 0};
    }
    uint32_t most = GRADIENT_COLUMNS / taps, left = g->in_channels - channel;
    most = most > GM_S16_COLUMNS ? most / GM_S16_COLUMNS * GM_S16_COLUMNS : most;
    gradient_columns found = {channel, left < most ? left : most, 0, taps, 1, 0};
    int are_neighbours = g->x.channel == 1 || found.channels == 1;
    if (are_neighbours && g->window.dilation_w == 1 && g->x.w == found.channels) {
        found.run = g->window.kernel_w;
    }
    found.has_whole_runs = are_neighbours && found.run * found.channels % GM_LANES == 0;
    return found;
}

/* All columns of some output channels of a group. channel: index of the first one. */
static void make_rows(s16_gradient_block *b, uint32_t channel, const int8_t *x)
{
    const gm_conv_gradient_s8 *g = &b->of->gradient;
    uint32_t taps = g->window.kernel_h * g->window.kernel_w;
    for (uint32_t c = 0, tap = 0; c < g->in_channels;) {
        b->where = columns_from(g, c, tap);
        b->columns = b->where.channels * b->where.taps;
        b->x = x + (size_t)c * g->x.channel;
        list_offsets(b);
        sum_block(b);
        for (uint32_t r = 0; r < b->rows; r++) {
            finish_row(b, r, channel + r);
        }
        tap = b->where.tap + b->where.taps < taps ? b->where.tap + b->where.taps : 0;
        c += tap == 0 ? b->where.channels : 0;
    }
}

int gm_simd_conv_gradient_s16(const gm_simd_gradient *of)
{
    const gm_conv_gradient_s8 *g = &of->gradient;
    if (!gm_simd_runs() || (uint64_t)g->batch * g->window.out_h * g->window.out_w >= GM_PIXELS_OF_GRADIENT) {
        return 0;
    }
    if (g->in_channels == 1 && of->out_channels == 1) {
        return gm_simd_depthwise_gradient_s16(of);
    }
    s16_gradient_block b;
    b.of = of, b.pairs = 0;
    memset(b.outside, g->x_zero, sizeof b.outside);
    for (uint32_t group = 0; group < of->groups; group++) {
        for (uint32_t m = 0; m < of->out_channels; m += GRADIENT_ROWS) {
            b.rows = of->out_channels - m < GRADIENT_ROWS ? of->out_channels - m : GRADIENT_ROWS;
            b.dy = of->dy + (size_t)group * g->dy.group + (size_t)m * g->dy.channel;
            make_rows(&b, group * of->out_channels + m, of->x + (size_t)group * g->x.group);
        }
    }
    return 1;
}

#endif
