/*
 * Window sums for adjacent groups with one input and one output each: tiles of pixels by groups,
 * which are lanes. Machine instructions for each multiply-accumulate of 6 pixels by 16 groups, as
 * many as fit at once in 128-bit vectors: 0.23, and about 35 for each row of taps.
 */
#include "../../../../generated/instructions/conv.h"
#include "../../../../generated/instructions/conv_transpose.h"
#include "../../../rows.h"
#include "../blocks/window_sum.h"
#include "sums.h"

#if GM_ARCH_ZVE32F && (GM_WITH_CONV || GM_WITH_CONV_TRANSPOSE)

/* Registers. */
#define V_DEPTHWISE_PIXEL 24
#define V_DEPTHWISE_WEIGHTS 28

/* One tap of the sums of some pixels. */
GM_INLINED void add_tap_of_pixels(const float *const *x, const float *w, size_t w_group, uint32_t rows)
{
    gm_lanes_load_strided(V_DEPTHWISE_WEIGHTS, w, w_group);
    GM_UNROLLED
    for (uint32_t r = 0; r < rows; r++) {
        gm_lanes_load(V_DEPTHWISE_PIXEL, x[r]);
        gm_lanes_mac(GM_LANES_SUM(r), V_DEPTHWISE_PIXEL, V_DEPTHWISE_WEIGHTS, V_DEPTHWISE_PIXEL);
    }
}

GM_INLINED void move_seen(const float **x, size_t by, uint32_t rows)
{
    GM_UNROLLED
    for (uint32_t r = 0; r < rows; r++) {
        x[r] += by;
        GM_HIDE(x[r]);
    }
}

/* The sums of adjacent groups, from index g on. The tile's k counts the taps of a row. */
GM_INLINED void sum_lanes_of_pixels(const gm_riscv_tile *t, const float *w, size_t w_group, uint32_t g, uint32_t rows)
{
    const float *x[GM_RISCV_ROWS];
    GM_UNROLLED
    for (uint32_t r = 0; r < rows; r++) {
        x[r] = t->a[r] + g;
    }
    const size_t a_k = t->a_k, b_k = t->b_k, a_row = t->a_row, b_row = t->b_row;
    const uint32_t taps = t->k;
    gm_lanes_begin(t, g, 1, rows);
    for (uint32_t row = t->rows; row > 0; row--, w += b_row) {
        for (uint32_t tap = taps; tap > 0; tap--, w += b_k) {
            add_tap_of_pixels(x, w, w_group, rows);
            move_seen(x, a_k, rows);
        }
        move_seen(x, a_row, rows);
    }
    gm_lanes_store_sums(t, g, 1, rows);
}

GM_INLINED void sum_groups_by_lanes(const gm_riscv_tile *t, const gm_riscv_window_sum *sum, uint32_t rows)
{
    const size_t w_group = sum->w_group;
    for (uint32_t g = 0, lanes; g < sum->groups; g += lanes) {
        lanes = gm_lanes_4(sum->groups - g);
        sum_lanes_of_pixels(t, t->b + g * w_group, w_group, g, rows);
    }
}

static void sum_6_pixels_by_lanes(const gm_riscv_tile *tile, const gm_riscv_window_sum *sum)
{
    sum_groups_by_lanes(tile, sum, 6);
}

static void sum_4_pixels_by_lanes(const gm_riscv_tile *tile, const gm_riscv_window_sum *sum)
{
    sum_groups_by_lanes(tile, sum, 4);
}

static void sum_pixel_by_lanes(const gm_riscv_tile *tile, const gm_riscv_window_sum *sum)
{
    sum_groups_by_lanes(tile, sum, 1);
}

void gm_riscv_sum_depthwise(const gm_riscv_window_sum *sum, const gm_riscv_region *region, const float *x, float *y)
{
    gm_riscv_tile tile = gm_riscv_depthwise_tile(sum, region);
    gm_riscv_cursor at = gm_riscv_first_pixel(sum, region, x, y);
    while (at.left > 0) {
        const uint32_t rows = gm_riscv_rows(at.left), count = gm_riscv_take_pixels(&tile, &at, rows);
        if (rows == 6) {
            sum_6_pixels_by_lanes(&tile, sum);
        } else if (rows == 4) {
            sum_4_pixels_by_lanes(&tile, sum);
        } else {
            sum_pixel_by_lanes(&tile, sum);
        }
        for (uint32_t r = 0; r < count && sum->relu; r++) {
            gm_relu_row(tile.y[r], tile.y[r], sum->groups);
        }
    }
}

#endif
