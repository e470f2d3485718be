/*
 * Window sums for adjacent groups with one input and one output each. Machine instructions for each
 * multiply-accumulate of a 3x3 kernel, in long columns:
 *
 *     images of 5 columns, 4, 3      1.54, 1.57, 1.62
 *     three columns of pixels, one   1.6, 2.0
 *     one column, 3x2 taps           2.1
 *     tiles of 4 pixels              2.9, and 0.5 to begin and to store them
 */
#include "../../../../generated/instructions/conv.h"
#include "../../../../generated/instructions/conv_transpose.h"
#include "../../../rows.h"
#include "window_sum.h"

#if GM_ARCH_RISCV && !GM_ARCH_ZVE32F && (GM_WITH_CONV || GM_WITH_CONV_TRANSPOSE)

/* ---- Columns of pixels of one group ---------------------------------------------------------- */

/* Pixels and what they see are in the order of taps: for CONV_TRANSPOSE they run backwards. Steps
 * are in elements, modulo the size of an address. */
typedef struct pixel_walk {
    const float *x; /* the first row to read */
    float *y;
    size_t x_row, x_column, y_row, y_column;
    uint32_t rows, columns;
    int has_first, has_last; /* whether the first pixel sees its first row of taps, and the last one its last */
    float start, last;       /* starting value of the sums, and the value added at the end: -0 changes nothing */
} pixel_walk;

/* Each image row is loaded once, and contributes to the pixels of three rows, whose sums
 * stay in registers. */
typedef struct three_rows {
    const float *x[5];
    float *y[5];
    float sums[3][5]; /* [row modulo 3][pixel] */
} three_rows;

/* Adjacent pixels, their columns of taps, and how many of these the first pixel lacks, and the last
 * one at its other end. */
typedef struct walked_columns {
    uint32_t pixels, taps, lacking;
} walked_columns;

GM_INLINED uint32_t columns_of_picture(walked_columns c)
{
    return c.pixels + c.taps - 1 - 2 * c.lacking;
}

/* Adds the products of the next image row under the tap rows from k to end: the last tap row
 * contributes to the pixels of row `last`, modulo 3, and those before it to the pixels of the rows
 * after that. The first product starts a sum. */
GM_INLINED void add_row_of_picture(three_rows *t, const pixel_walk *at, const float *w, uint32_t last, uint32_t k,
                                   uint32_t end, walked_columns c)
{
    GM_UNROLLED
    for (uint32_t column = 0; column < columns_of_picture(c); column++) {
        float x = *t->x[column];
        t->x[column] += at->x_row;
        GM_UNROLLED
        for (uint32_t i = k * c.pixels; i < end * c.pixels; i++) {
            const uint32_t row = i / c.pixels, p = i % c.pixels, tap = column + c.lacking - p;
            const int begins = row == 0 && tap == (p == 0 ? c.lacking : 0);
            float *sum = &t->sums[(last + 2 - row) % 3][p];
            if (tap < c.taps) {
                *sum = gm_riscv_mac_from(begins ? at->start : *sum, x, w[row * c.taps + tap]);
            }
        }
    }
}

GM_INLINED void store_row_of_pixels(three_rows *t, const pixel_walk *at, uint32_t row, uint32_t pixels)
{
    GM_UNROLLED
    for (uint32_t p = 0; p < pixels; p++) {
        *t->y[p] = t->sums[row][p] + at->last;
        t->y[p] += at->y_row;
    }
}

GM_INLINED void sum_row_of_pixels(three_rows *t, const pixel_walk *at, const float *w, uint32_t row, walked_columns c)
{
    add_row_of_picture(t, at, w, row, 0, 3, c);
    store_row_of_pixels(t, at, row, c.pixels);
}

/* All rows except the last; its sums are left in slot 0. */
GM_INLINED void sum_rows_but_last(three_rows *t, const pixel_walk *at, const float *w, walked_columns c)
{
    uint32_t rows = at->rows - 1;
    for (; rows >= 3; rows -= 3) {
        sum_row_of_pixels(t, at, w, 0, c);
        sum_row_of_pixels(t, at, w, 1, c);
        sum_row_of_pixels(t, at, w, 2, c);
    }
    for (; rows > 0; rows--) {
        sum_row_of_pixels(t, at, w, 0, c);
        GM_UNROLLED
        for (uint32_t p = 0; p < c.pixels; p++) {
            t->sums[0][p] = t->sums[1][p], t->sums[1][p] = t->sums[2][p];
        }
    }
}

/* Columns of pixels from index `first` on, with 3 rows of taps. */
GM_INLINED void sum_columns_of_pixels(const pixel_walk *at, const float *w, uint32_t first, walked_columns c)
{
    three_rows t;
    GM_UNROLLED
    for (uint32_t column = 0; column < columns_of_picture(c); column++) {
        t.x[column] = at->x + (first + column) * at->x_column;
    }
    GM_UNROLLED
    for (uint32_t p = 0; p < c.pixels; p++) {
        t.y[p] = at->y + (first + p) * at->y_column;
        t.sums[0][p] = at->start;
    }
    if (at->has_first) {
        add_row_of_picture(&t, at, w, 1, 0, 1, c);
    }
    add_row_of_picture(&t, at, w, 2, 0, 2, c);
    sum_rows_but_last(&t, at, w, c);
    if (at->has_last) {
        add_row_of_picture(&t, at, w, 0, 2, 3, c);
    }
    store_row_of_pixels(&t, at, 0, c.pixels);
}

GM_INLINED void load_weights(float *own, const float *w, const gm_riscv_window_sum *sum, uint32_t taps)
{
    GM_UNROLLED
    for (uint32_t k = 0; k < 3; k++) {
        GM_UNROLLED
        for (uint32_t l = 0; l < taps; l++) {
            own[k * taps + l] = w[k * sum->w_h + l * sum->w_w];
        }
    }
}

static void sum_group_of_3_taps(const gm_riscv_window_sum *sum, const pixel_walk *walk, const float *w)
{
    const pixel_walk at = *walk;
    uint32_t column = 0;
    float own[9];
    load_weights(own, w, sum, 3);
    for (; at.columns - column >= 3; column += 3) {
        sum_columns_of_pixels(&at, own, column, (walked_columns){3, 3, 0});
    }
    for (; column < at.columns; column++) {
        sum_columns_of_pixels(&at, own, column, (walked_columns){1, 3, 0});
    }
}

static void sum_group_of_2_taps(const gm_riscv_window_sum *sum, const pixel_walk *walk, const float *w)
{
    const pixel_walk at = *walk;
    float own[6];
    load_weights(own, w, sum, 2);
    for (uint32_t column = 0; column < at.columns; column++) {
        sum_columns_of_pixels(&at, own, column, (walked_columns){1, 2, 0});
    }
}

/* All columns of a narrow image. */
static void sum_group_of_picture(const gm_riscv_window_sum *sum, const pixel_walk *walk, const float *w)
{
    const pixel_walk at = *walk;
    float own[9];
    load_weights(own, w, sum, 3);
    if (at.columns == 5) {
        sum_columns_of_pixels(&at, own, 0, (walked_columns){5, 3, 1});
    } else if (at.columns == 4) {
        sum_columns_of_pixels(&at, own, 0, (walked_columns){4, 3, 1});
    } else {
        sum_columns_of_pixels(&at, own, 0, (walked_columns){3, 3, 1});
    }
}

/* The row or column that the first tap of the first pixel sees, in the order of taps:
 * -1 if it is outside. */
static uint32_t first_seen(const gm_riscv_axis *axis)
{
    return axis->transposed ? axis->source - axis->pixels - axis->pad : (uint32_t)0 - axis->pad;
}

/* Whether there are 3 taps that advance by one with each pixel, and at most one of them is outside
 * the image at each end. */
static int has_3_neighbours(const gm_riscv_axis *axis)
{
    const uint32_t second = first_seen(axis) + 1;
    return axis->kernel == 3 && axis->stride == 1 && axis->dilation == 1 && second <= 1 &&
           second + axis->pixels <= axis->source;
}

int gm_riscv_is_narrow_walk(const gm_riscv_window_sum *sum)
{
    const gm_riscv_axis *columns = &sum->columns;
    return !GM_RISCV_SMALL && !sum->accumulate && has_3_neighbours(&sum->rows) && has_3_neighbours(columns) &&
           columns->pixels == columns->source && columns->pixels >= 3 && columns->pixels <= 5;
}

int gm_riscv_is_walk(const gm_riscv_window_sum *sum, const gm_riscv_stretch *columns)
{
    return !sum->accumulate && has_3_neighbours(&sum->rows) && (columns->taps.count == 3 || columns->taps.count == 2) &&
           sum->columns.stride == 1 && sum->columns.dilation == 1;
}

/* The walk of group 0, from the corner at which the first tap sees the image's own corner. */
static pixel_walk walk_of(const gm_riscv_window_sum *sum, const gm_riscv_stretch *columns, const float *x, float *y)
{
    const gm_riscv_axis *rows = &sum->rows;
    const uint32_t last_row = sum->transposed ? rows->source - 1 : 0, second = first_seen(rows) + 1;
    const size_t row = sum->transposed ? rows->pixels - 1 : 0, column = sum->transposed ? columns->count - 1 : 0;
    return (pixel_walk){
        .x = x + last_row * (size_t)sum->source.h + (columns->taps.source + column) * sum->source.w,
        .y = y + row * sum->dest.h + (columns->first + column) * sum->dest.w,
        .x_row = rows->source_tap * sum->source.h,
        .x_column = sum->columns.source_tap * sum->source.w,
        .y_row = rows->source_tap * sum->dest.h,
        .y_column = sum->columns.source_tap * sum->dest.w,
        .rows = rows->pixels,
        .columns = columns->count,
        .has_first = second == 1,
        .has_last = second + rows->pixels < rows->source,
        .last = sum->transposed ? 0.0f : GM_EMPTY_SUM,
    };
}

static void relu_region(const gm_riscv_window_sum *sum, const gm_riscv_region *region, float *y)
{
    for (uint32_t i = 0; i < region->rows.count; i++) {
        float *row = y + (region->rows.first + i) * (size_t)sum->dest.h;
        for (uint32_t j = 0; j < region->columns.count; j++) {
            float *at = row + (region->columns.first + j) * (size_t)sum->dest.w;
            gm_relu_row(at, at, sum->groups);
        }
    }
}

void gm_riscv_walk(const gm_riscv_window_sum *sum, const gm_riscv_region *region, const float *x, float *y)
{
    const gm_riscv_taps *columns = &region->columns.taps;
    const float *w = sum->w + columns->first * sum->w_w;
    pixel_walk at = walk_of(sum, &region->columns, x, y);
    for (uint32_t g = 0; g < sum->groups; g++, at.x++, at.y++, w += sum->w_group) {
        at.start = sum->bias ? sum->bias[g] : GM_EMPTY_SUM;
        if (gm_riscv_is_narrow_walk(sum)) {
            sum_group_of_picture(sum, &at, w);
        } else if (columns->count == 3) {
            sum_group_of_3_taps(sum, &at, w);
        } else {
            sum_group_of_2_taps(sum, &at, w);
        }
    }
    if (sum->relu) {
        relu_region(sum, region, y);
    }
}

/* ---- Tiles of pixels by groups --------------------------------------------------------------- */

/* One tap: sums[r][c] += x[r][c] w[c] */
GM_INLINED void add_tap_of_groups(float *sums, const float *const *x, const float *w, size_t w_group, uint32_t rows,
                                  uint32_t columns)
{
    float weights[GM_RISCV_COLUMNS];
    GM_UNROLLED
    for (uint32_t c = 0; c < columns; c++) {
        weights[c] = w[c * w_group];
    }
    GM_UNROLLED
    for (uint32_t r = 0; r < rows; r++) {
        GM_UNROLLED
        for (uint32_t c = 0; c < columns; c++) {
            sums[r * GM_RISCV_COLUMNS + c] = gm_riscv_mac(sums[r * GM_RISCV_COLUMNS + c], x[r][c], weights[c]);
        }
        GM_IN_ORDER();
    }
}

GM_INLINED void move_pixels(const float **x, size_t by, uint32_t rows)
{
    GM_UNROLLED
    for (uint32_t r = 0; r < rows; r++) {
        x[r] += by;
    }
}

/* The sums of adjacent groups, from index g on. The tile's k counts the taps of a row. */
GM_INLINED void sum_groups_of_tile(const gm_riscv_tile *t, const float *w, size_t w_group, uint32_t g, uint32_t rows,
                                   uint32_t columns)
{
    float sums[GM_RISCV_ROWS * GM_RISCV_COLUMNS];
    const float *x[GM_RISCV_ROWS];
    GM_UNROLLED
    for (uint32_t r = 0; r < rows; r++) {
        const float *from = t->start ? t->start + t->start_step * g : t->y[r] + g;
        x[r] = t->a[r] + g;
        GM_UNROLLED
        for (uint32_t c = 0; c < columns; c++) {
            sums[r * GM_RISCV_COLUMNS + c] = from[c];
        }
    }
    for (uint32_t row = t->rows; row > 0; row--) {
        for (uint32_t tap = t->k; tap > 0; tap--) {
            add_tap_of_groups(sums, x, w, w_group, rows, columns);
            move_pixels(x, t->a_k, rows);
            w += t->b_k;
        }
        move_pixels(x, t->a_row, rows);
        w += t->b_row;
    }
    const float last = t->finish == GM_FINISH_ADD_ZERO ? 0.0f : GM_EMPTY_SUM;
    GM_UNROLLED
    for (uint32_t r = 0; r < rows; r++) {
        GM_UNROLLED
        for (uint32_t c = 0; c < columns; c++) {
            t->y[r][g + c] = sums[r * GM_RISCV_COLUMNS + c] + last;
        }
    }
}

/* All groups of some pixels. */
GM_INLINED void sum_groups_of_pixels(const gm_riscv_tile *t, const gm_riscv_window_sum *sum, uint32_t rows)
{
    const float *w = t->b;
    uint32_t g = 0;
    for (; sum->groups - g >= 4; g += 4, w += 4 * sum->w_group) {
        sum_groups_of_tile(t, w, sum->w_group, g, rows, 4);
    }
    for (; g < sum->groups; g++, w += sum->w_group) {
        sum_groups_of_tile(t, w, sum->w_group, g, rows, 1);
    }
}

static void sum_4_pixels(const gm_riscv_tile *tile, const gm_riscv_window_sum *sum)
{
    sum_groups_of_pixels(tile, sum, 4);
}

static void sum_pixel(const gm_riscv_tile *tile, const gm_riscv_window_sum *sum)
{
    sum_groups_of_pixels(tile, sum, 1);
}

void gm_riscv_sum_depthwise(const gm_riscv_window_sum *sum, const gm_riscv_region *region, const float *x, float *y)
{
    gm_riscv_tile tile = gm_riscv_depthwise_tile(sum, region);
    gm_riscv_cursor at = gm_riscv_first_pixel(sum, region, x, y);
    while (at.left > 0) {
        uint32_t rows = at.left <= 2 ? 1 : 4;
        gm_riscv_take_pixels(&tile, &at, rows);
        if (rows == 1) {
            sum_pixel(&tile, sum);
        } else {
            sum_4_pixels(&tile, sum);
        }
    }
    if (sum->relu) {
        relu_region(sum, region, y);
    }
}

#endif
