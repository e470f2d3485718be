/*
 * Window sums of neighbouring groups that have one input and one output each. Machine instructions for each
 * multiply-accumulate of a 3x3 kernel, in long columns:
 *
 *     two columns of pixels, one     2.0, 2.2
 *     one column, 3x2 taps           2.4
 *     tiles of 4 pixels              2.9, and 0.5 to begin and to store them
 */
#include "../../../rows.h"
#include "window_sum.h"

#if GM_ARCH_RISCV && (GM_WITH_CONV || GM_WITH_CONV_TRANSPOSE)

/* ---- Columns of pixels of one group ---------------------------------------------------------- */

/* Pixels and what they see lie in the order of taps: those of CONV_TRANSPOSE backwards. Steps are in elements, modulo the
 * size of an address. */
typedef struct pixel_walk {
    const float *x;
    float *y;
    size_t x_row, x_column, y_row, y_column;
    uint32_t rows, columns;
    float start, last; /* what sums start from, and what is added at the end: -0 changes nothing */
} pixel_walk;

/* Rows of a picture under the taps of the next pixels, in registers. */
typedef struct three_rows {
    const float *x[4];
    float *y[2];
    float at[3][4];
} three_rows;

GM_INLINED void load_row(three_rows *t, const pixel_walk *k, uint32_t row, uint32_t width)
{
    GM_UNROLLED
    for (uint32_t l = 0; l < width; l++) {
        t->at[row][l] = *t->x[l];
        t->x[l] += k->x_row;
    }
}

/* One row of pixels, which sees rows first, first + 1 and first + 2, modulo 3. The last of these is loaded. */
GM_INLINED void sum_row_of_pixels(three_rows *t, const pixel_walk *k, const float *w, uint32_t first, uint32_t pixels,
                                  uint32_t taps)
{
    float sums[2] = {k->start, k->start};
    load_row(t, k, (first + 2) % 3, pixels + taps - 1);
    GM_UNROLLED
    for (uint32_t i = 0; i < 3 * taps; i++) {
        GM_UNROLLED
        for (uint32_t p = 0; p < pixels; p++) {
            sums[p] = gm_riscv_mac(sums[p], t->at[(first + i / taps) % 3][p + i % taps], w[i]);
        }
    }
    GM_UNROLLED
    for (uint32_t p = 0; p < pixels; p++) {
        *t->y[p] = sums[p] + k->last;
        t->y[p] += k->y_row;
    }
}

/* One or two columns of pixels of 3 rows by `taps` columns of taps. */
GM_INLINED void sum_columns_of_pixels(const pixel_walk *k, const float *w, uint32_t column, uint32_t pixels,
                                      uint32_t taps)
{
    const uint32_t width = pixels + taps - 1;
    three_rows t;
    GM_UNROLLED
    for (uint32_t l = 0; l < width; l++) {
        t.x[l] = k->x + (column + l) * k->x_column;
    }
    GM_UNROLLED
    for (uint32_t p = 0; p < pixels; p++) {
        t.y[p] = k->y + (column + p) * k->y_column;
    }
    load_row(&t, k, 0, width);
    load_row(&t, k, 1, width);
    uint32_t rows = k->rows;
    for (; rows >= 3; rows -= 3) {
        sum_row_of_pixels(&t, k, w, 0, pixels, taps);
        sum_row_of_pixels(&t, k, w, 1, pixels, taps);
        sum_row_of_pixels(&t, k, w, 2, pixels, taps);
    }
    if (rows > 0) {
        sum_row_of_pixels(&t, k, w, 0, pixels, taps);
    }
    if (rows > 1) {
        sum_row_of_pixels(&t, k, w, 1, pixels, taps);
    }
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

static void sum_group_of_3_taps(const gm_riscv_window_sum *sum, const pixel_walk *at, const float *w)
{
    const pixel_walk k = *at;
    uint32_t column = 0;
    float own[9];
    load_weights(own, w, sum, 3);
    for (; k.columns - column >= 2; column += 2) {
        sum_columns_of_pixels(&k, own, column, 2, 3);
    }
    if (column < k.columns) {
        sum_columns_of_pixels(&k, own, column, 1, 3);
    }
}

static void sum_group_of_2_taps(const gm_riscv_window_sum *sum, const pixel_walk *at, const float *w)
{
    const pixel_walk k = *at;
    float own[6];
    load_weights(own, w, sum, 2);
    for (uint32_t column = 0; column < k.columns; column++) {
        sum_columns_of_pixels(&k, own, column, 1, 2);
    }
}

/* Whether pixels of a region see 3 rows of 3 or 2 columns of neighbours, which move on by one with each pixel. */
static int is_walk(const gm_riscv_window_sum *sum, const gm_riscv_region *region)
{
    const gm_riscv_axis *rows = &sum->rows, *columns = &sum->columns;
    uint32_t taps = region->columns.taps.count;
    return !sum->accumulate && region->rows.taps.count == 3 && (taps == 3 || taps == 2) && rows->stride == 1 &&
           rows->dilation == 1 && columns->stride == 1 && columns->dilation == 1;
}

/* The walk of group 0, from the corner where the first tap sees the picture's own. */
static pixel_walk walk_of(const gm_riscv_window_sum *sum, const gm_riscv_region *region, const float *x, float *y)
{
    const gm_riscv_stretch *rows = &region->rows, *columns = &region->columns;
    const size_t row = sum->transposed ? rows->count - 1 : 0, column = sum->transposed ? columns->count - 1 : 0;
    return (pixel_walk){
        .x = x + (rows->taps.source + row) * sum->source.h + (columns->taps.source + column) * sum->source.w,
        .y = y + (rows->first + row) * sum->dest.h + (columns->first + column) * sum->dest.w,
        .x_row = sum->rows.source_tap * sum->source.h,
        .x_column = sum->columns.source_tap * sum->source.w,
        .y_row = sum->rows.source_tap * sum->dest.h,
        .y_column = sum->columns.source_tap * sum->dest.w,
        .rows = rows->count,
        .columns = columns->count,
        .last = sum->transposed ? 0.0f : GM_EMPTY_SUM,
    };
}

static void sum_by_walks(const gm_riscv_window_sum *sum, const gm_riscv_region *region, const float *x, float *y)
{
    const gm_riscv_taps *rows = &region->rows.taps, *columns = &region->columns.taps;
    const float *w = sum->w + rows->first * sum->w_h + columns->first * sum->w_w;
    pixel_walk at = walk_of(sum, region, x, y);
    for (uint32_t g = 0; g < sum->groups; g++, at.x++, at.y++, w += sum->w_group) {
        at.start = sum->bias ? sum->bias[g] : GM_EMPTY_SUM;
        if (columns->count == 3) {
            sum_group_of_3_taps(sum, &at, w);
        } else {
            sum_group_of_2_taps(sum, &at, w);
        }
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

/* The sums of neighbouring groups, from number g on. Of the tile, k is of taps of a row. */
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

static void sum_by_tiles(const gm_riscv_window_sum *sum, const gm_riscv_region *region, const float *x, float *y)
{
    gm_riscv_tile tile = {.y_column = 1,
                          .start = sum->accumulate ? NULL
                                   : sum->bias     ? sum->bias
                                                   : gm_riscv_empty_sums,
                          .start_step = sum->bias != NULL,
                          .finish = sum->transposed ? GM_FINISH_ADD_ZERO : GM_FINISH_STORE};
    gm_riscv_set_taps(&tile, sum, region, sum->w);
    gm_riscv_cursor at = gm_riscv_first_pixel(sum, region, x, y);
    while (at.left > 0) {
        uint32_t rows = at.left <= 2 ? 1 : 4;
        gm_riscv_take_pixels(&tile, &at, sum, region, rows);
        if (rows == 1) {
            sum_pixel(&tile, sum);
        } else {
            sum_4_pixels(&tile, sum);
        }
    }
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

void gm_riscv_sum_depthwise(const gm_riscv_window_sum *sum, const gm_riscv_region *region, const float *x, float *y)
{
    if (is_walk(sum, region)) {
        sum_by_walks(sum, region, x, y);
    } else {
        sum_by_tiles(sum, region, x, y);
    }
    if (sum->relu) {
        relu_region(sum, region, y);
    }
}

#endif
