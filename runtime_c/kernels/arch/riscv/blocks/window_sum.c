#include "../../../../generated/instructions/conv.h"
#include "../../../../generated/instructions/conv_transpose.h"
#include "window_sum.h"

#if GM_ARCH_RISCV && (GM_WITH_CONV || GM_WITH_CONV_TRANSPOSE)

/* ---- Rows or columns ------------------------------------------------------------------------- */

gm_riscv_axis gm_riscv_conv_axis(uint32_t in, uint32_t out, uint32_t kernel, uint32_t stride, uint32_t dilation,
                                 uint32_t pad)
{
    return (gm_riscv_axis){out, in, kernel, stride, dilation, pad, 0, 1, stride, 1, dilation};
}

gm_riscv_axis gm_riscv_transposed_axis(uint32_t in, uint32_t out, uint32_t kernel, uint32_t stride, uint32_t dilation,
                                       uint32_t pad)
{
    return (gm_riscv_axis){in, out, kernel, stride, dilation, pad, 1, stride, 1, stride, (size_t)0 - dilation};
}

static gm_riscv_taps taps_of_pixel(const gm_riscv_axis *axis, uint32_t pixel)
{
    uint32_t reach = axis->transposed ? pixel + axis->pad : pixel * axis->stride - axis->pad;
    uint32_t tap = axis->transposed ? reach % axis->stride : 0,
             source = axis->transposed ? reach / axis->stride : reach;
    gm_riscv_taps taps = {0, 0, 0};
    for (; tap < axis->kernel; tap += axis->tap_step, source += (uint32_t)axis->source_tap) {
        if (source < axis->source && taps.count++ == 0) {
            taps.first = tap, taps.source = source;
        }
    }
    return taps;
}

/* The stretch that begins at a pixel. */
static gm_riscv_stretch stretch_from(const gm_riscv_axis *axis, uint32_t pixel)
{
    gm_riscv_stretch s = {pixel, 0, taps_of_pixel(axis, pixel)};
    for (gm_riscv_taps taps = s.taps;
         pixel < axis->pixels && taps.first == s.taps.first && taps.count == s.taps.count;) {
        s.count++;
        pixel += axis->pixel_step;
        taps = taps_of_pixel(axis, pixel);
    }
    return s;
}

/* Advances to the next stretch, which may be of the next phase. Returns 0 after the last one. */
static int go_to_next_stretch(const gm_riscv_axis *axis, gm_riscv_stretch *s)
{
    uint32_t next = s->first + s->count * axis->pixel_step;
    if (next >= axis->pixels) {
        next = next % axis->pixel_step + 1;
        if (next >= axis->pixel_step || next >= axis->pixels) {
            return 0;
        }
    }
    *s = stretch_from(axis, next);
    return 1;
}

/* ---- Regions --------------------------------------------------------------------------------- */

void gm_riscv_set_taps(gm_riscv_tile *tile, const gm_riscv_window_sum *sum, const gm_riscv_region *region,
                       const float *w)
{
    const gm_riscv_taps *rows = &region->rows.taps, *columns = &region->columns.taps;
    const size_t x_tap = sum->columns.source_tap * sum->source.w, w_tap = sum->columns.tap_step * sum->w_w;
    tile->b = w + rows->first * sum->w_h + columns->first * sum->w_w;
    tile->k = sum->inputs, tile->taps = columns->count, tile->rows = rows->count;
    tile->a_k = sum->source.channel, tile->b_k = sum->w_input;
    if (rows->count == 0 || columns->count == 0) {
        tile->k = 0, tile->taps = tile->rows = 1;
    } else if (sum->inputs == 1) {
        tile->k = columns->count, tile->taps = 1, tile->a_k = x_tap, tile->b_k = w_tap;
    }
    tile->a_tap = x_tap - tile->k * tile->a_k;
    tile->b_tap = w_tap - tile->k * tile->b_k;
    tile->a_row = sum->rows.source_tap * sum->source.h - (tile->taps - 1) * x_tap - tile->k * tile->a_k;
    tile->b_row = sum->rows.tap_step * sum->w_h - (tile->taps - 1) * w_tap - tile->k * tile->b_k;
}

gm_riscv_tile gm_riscv_depthwise_tile(const gm_riscv_window_sum *sum, const gm_riscv_region *region)
{
    gm_riscv_tile tile = {.y_column = 1,
                          .start = sum->accumulate ? NULL
                                   : sum->bias     ? sum->bias
                                                   : gm_riscv_empty_sums,
                          .start_step = sum->bias != NULL,
                          .finish = sum->transposed ? GM_FINISH_ADD_ZERO : GM_FINISH_STORE};
    gm_riscv_set_taps(&tile, sum, region, sum->w);
    return tile;
}

gm_riscv_cursor gm_riscv_first_pixel(const gm_riscv_window_sum *sum, const gm_riscv_region *region, const float *x,
                                     float *y)
{
    const uint32_t columns = region->columns.count;
    const size_t x_step = sum->columns.source_step * (size_t)sum->source.w;
    const size_t y_step = sum->columns.pixel_step * (size_t)sum->dest.w;
    return (gm_riscv_cursor){
        .x = x + region->rows.taps.source * (size_t)sum->source.h + region->columns.taps.source * (size_t)sum->source.w,
        .y = y + region->rows.first * (size_t)sum->dest.h + region->columns.first * (size_t)sum->dest.w,
        .columns = columns,
        .left = region->rows.count * columns,
        .x_step = x_step,
        .y_step = y_step,
        .x_row = sum->rows.source_step * (size_t)sum->source.h - columns * x_step,
        .y_row = sum->rows.pixel_step * (size_t)sum->dest.h - columns * y_step,
    };
}

uint32_t gm_riscv_take_pixels(gm_riscv_tile *tile, gm_riscv_cursor *at, uint32_t rows)
{
    const uint32_t count = at->left < rows ? at->left : rows;
    gm_riscv_cursor next = *at;
    for (uint32_t r = 0; r < rows; r++) {
        tile->a[r] = next.x, tile->y[r] = next.y;
        if (r < count && --next.left > 0) {
            gm_riscv_move_cursor(&next);
        }
    }
    *at = next;
    return count;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

static void walk_samples(const gm_riscv_window_sum *sum, const gm_riscv_stretch *columns)
{
    const gm_riscv_region region = {.rows = {.count = sum->rows.pixels}, .columns = *columns};
    for (uint32_t b = 0; b < sum->batch; b++) {
        gm_riscv_walk(sum, &region, sum->x + b * (size_t)sum->source.batch, sum->y + b * (size_t)sum->dest.batch);
    }
}

static void sum_region_of_samples(const gm_riscv_window_sum *sum, const gm_riscv_region *region, int is_depthwise)
{
    for (uint32_t b = 0; b < sum->batch; b++) {
        const float *x = sum->x + b * (size_t)sum->source.batch;
        float *y = sum->y + b * (size_t)sum->dest.batch;
        if (is_depthwise) {
            gm_riscv_sum_depthwise(sum, region, x, y);
        }
        for (uint32_t g = 0; g < sum->groups && !is_depthwise; g++) {
            gm_riscv_sum_dense(sum, region, x + g * (size_t)sum->source.group, sum->w + g * sum->w_group,
                               sum->bias ? sum->bias + g * (size_t)sum->outputs : NULL,
                               y + g * (size_t)sum->dest.group);
        }
    }
}

static void sum_columns_by_regions(const gm_riscv_window_sum *sum, const gm_riscv_stretch *columns, int is_depthwise)
{
    gm_riscv_region region = {stretch_from(&sum->rows, 0), *columns};
    do {
        sum_region_of_samples(sum, &region, is_depthwise);
    } while (go_to_next_stretch(&sum->rows, &region.rows));
}

static int is_known(const gm_riscv_axis *axis)
{
    return !axis->transposed || axis->stride == 1 || axis->dilation == 1;
}

int gm_riscv_sum_windows(const gm_riscv_window_sum *sum)
{
    int is_depthwise = sum->inputs == 1 && sum->outputs == 1 && sum->source.group == 1 && sum->dest.group == 1;
    int is_dense = !is_depthwise && sum->dest.channel == 1 && sum->outputs >= GM_RISCV_COLUMNS;
    if (!is_known(&sum->rows) || !is_known(&sum->columns) || !(is_depthwise || is_dense)) {
        return 0;
    }
    if (is_depthwise && gm_riscv_is_narrow_walk(sum)) {
        walk_samples(sum, &(gm_riscv_stretch){0, sum->columns.pixels, {0, 3, 0}});
        return 1;
    }
    gm_riscv_stretch columns = stretch_from(&sum->columns, 0);
    do {
        if (is_depthwise && gm_riscv_is_walk(sum, &columns)) {
            walk_samples(sum, &columns);
        } else {
            sum_columns_by_regions(sum, &columns, is_depthwise);
        }
    } while (go_to_next_stretch(&sum->columns, &columns));
    return 1;
}

#endif
