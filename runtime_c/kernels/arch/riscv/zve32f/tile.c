/*
 * The tiles of blocks/tile.h, with lanes as columns: the sums of a row are in 4 registers, b in 4
 * more. Machine instructions for each multiply-accumulate of a long sum, for 6, 4 and 1 rows by 16
 * columns, as many as fit at once in 128-bit vectors; half of that with 256 bits:
 *
 *     neighbours in k    0.17, 0.18, 0.30
 *     outer              0.18, 0.20, 0.44
 *     general            0.23, 0.25, 0.44
 *
 * Separately rounded products and sums take 0.06 more.
 */
#include "sums.h"

#if GM_ARCH_ZVE32F

const float gm_riscv_empty_sums[GM_RISCV_COLUMNS] = {GM_EMPTY_SUM};

/* Registers of b, and of products. */
#define V_TILE_B 24
#define V_TILE_PRODUCT 28

/* What is known of a tile's steps: whether rows of a, the k of a row, and columns
 * of b are contiguous. */
typedef struct lanes_form {
    int a_row, a_k, b_column;
} lanes_form;

/* The addresses of the next products. Adjacent rows share the first one. */
typedef struct lanes_place {
    const float *a[GM_RISCV_ROWS], *b;
} lanes_place;

GM_INLINED void move_lanes_place(lanes_place *at, lanes_form form, uint32_t rows, size_t a, size_t b)
{
    const uint32_t count = form.a_row ? 1 : rows;
    GM_UNROLLED
    for (uint32_t r = 0; r < count; r++) {
        at->a[r] += a;
        GM_HIDE(at->a[r]);
    }
    at->b += b;
}

/* One product of each sum. i: index in this iteration; contiguous k share an address in it. */
GM_INLINED void add_products_of_lanes(const lanes_place *at, lanes_form form, uint32_t rows, size_t b_column,
                                      uint32_t i)
{
    gm_lanes_load_either(V_TILE_B, at->b, b_column, form.b_column);
    GM_UNROLLED
    for (uint32_t r = 0; r < rows; r++) {
        gm_lanes_mac_number(GM_LANES_SUM(r), V_TILE_B, form.a_row ? at->a[0][r] : at->a[r][i], V_TILE_PRODUCT);
    }
}

/* k products of each sum. */
GM_INLINED void add_tap_of_lanes(lanes_place *at, lanes_form form, uint32_t rows, uint32_t k, size_t a_k, size_t b_k,
                                 size_t b_column)
{
    for (; form.a_k && k >= 4; k -= 4) {
        GM_UNROLLED
        for (uint32_t i = 0; i < 4; i++) {
            add_products_of_lanes(at, form, rows, b_column, i);
            at->b += b_k;
        }
        move_lanes_place(at, form, rows, 4, 0);
    }
    for (; k > 0; k--) {
        add_products_of_lanes(at, form, rows, b_column, 0);
        move_lanes_place(at, form, rows, form.a_k ? 1 : a_k, b_k);
    }
}

GM_INLINED void add_taps_of_lanes(const gm_riscv_tile *t, lanes_place *at, lanes_form form, uint32_t rows)
{
    const size_t a_k = t->a_k, b_k = t->b_k, b_column = t->b_column, a_tap = t->a_tap, b_tap = t->b_tap;
    const uint32_t k = t->k, taps = t->taps;
    for (uint32_t row = t->rows;;) {
        for (uint32_t tap = taps;;) {
            add_tap_of_lanes(at, form, rows, k, a_k, b_k, b_column);
            if (--tap == 0) {
                break;
            }
            move_lanes_place(at, form, rows, a_tap, b_tap);
        }
        if (--row == 0) {
            return;
        }
        move_lanes_place(at, form, rows, t->a_row, t->b_row);
    }
}

GM_INLINED void sum_tile_by_lanes(const gm_riscv_tile *t, lanes_form form, uint32_t rows, uint32_t columns)
{
    const uint32_t a_count = form.a_row ? 1 : rows;
    for (uint32_t first = 0, lanes; first < columns; first += lanes) {
        lanes_place at = {.b = t->b + first * t->b_column};
        GM_UNROLLED
        for (uint32_t r = 0; r < a_count; r++) {
            at.a[r] = t->a[r];
        }
        lanes = gm_lanes_4(columns - first);
        gm_lanes_begin(t, first, t->y_column, rows);
        add_taps_of_lanes(t, &at, form, rows);
        gm_lanes_finish(t, first, t->y_column, rows);
    }
}

#define DEFINE_LANES(name, a_row, a_k, b_column)                                         \
    static void name##_of_6(const gm_riscv_tile *tile, uint32_t columns)                 \
    {                                                                                    \
        sum_tile_by_lanes(tile, ((lanes_form){(a_row), (a_k), (b_column)}), 6, columns); \
    }                                                                                    \
    static void name##_of_4(const gm_riscv_tile *tile, uint32_t columns)                 \
    {                                                                                    \
        sum_tile_by_lanes(tile, ((lanes_form){(a_row), (a_k), (b_column)}), 4, columns); \
    }                                                                                    \
    static void name##_of_1(const gm_riscv_tile *tile, uint32_t columns)                 \
    {                                                                                    \
        sum_tile_by_lanes(tile, ((lanes_form){(a_row), (a_k), (b_column)}), 1, columns); \
    }

DEFINE_LANES(lanes_across, 0, 1, 1)
DEFINE_LANES(lanes_along, 0, 1, 0)
DEFINE_LANES(lanes_outer, 1, 0, 1)
DEFINE_LANES(lanes_general, 0, 0, 1)
DEFINE_LANES(lanes_general_along, 0, 0, 0)

/* A switch, since the stack of a call through a pointer cannot be bounded. */
#define SUM_OF_LANES(name)          \
    if (rows == GM_RISCV_ROWS) {    \
        name##_of_6(tile, columns); \
    } else if (rows == 4) {         \
        name##_of_4(tile, columns); \
    } else {                        \
        name##_of_1(tile, columns); \
    }

void gm_riscv_sum(const gm_riscv_tile *tile, gm_riscv_form form, uint32_t rows, uint32_t columns)
{
    const int is_unit = tile->b_column == 1;
    if (form == GM_FORM_OUTER) {
        SUM_OF_LANES(lanes_outer)
    } else if (tile->a_k == 1 && is_unit) {
        SUM_OF_LANES(lanes_across)
    } else if (tile->a_k == 1) {
        SUM_OF_LANES(lanes_along)
    } else if (is_unit) {
        SUM_OF_LANES(lanes_general)
    } else {
        SUM_OF_LANES(lanes_general_along)
    }
}

#endif
