/*
 * Machine instructions for each multiply-accumulate of a long sum, for 6, 4 and 1 rows:
 *
 *     along                 1.45, 1.66, 2.5
 *     along 9, across       1.48, 1.66, 2.7
 *     across 9              1.50, 1.66, 2.7
 *     outer                 1.52, 1.66, 2.9
 *     planes                1.46
 *     general               1.92, 2.13, 4
 *
 * Separately rounded products and sums take one more.
 */
#include "tile.h"

#if GM_ARCH_RISCV

gm_riscv_form gm_riscv_form_of(size_t a_row, size_t a_k, size_t b_k, size_t b_column)
{
    if (a_k == 1) {
        return b_k == 1        ? GM_FORM_ALONG
               : b_column == 1 ? GM_FORM_ACROSS
               : b_k == 9      ? GM_FORM_ALONG_9
               : b_column == 9 ? GM_FORM_ACROSS_9
                               : GM_FORM_GENERAL;
    }
    return a_row == 1 && b_column == 1 ? GM_FORM_OUTER : GM_FORM_GENERAL;
}

#if !GM_ARCH_ZVE32F

const float gm_riscv_empty_sums[GM_RISCV_COLUMNS] = {GM_EMPTY_SUM, GM_EMPTY_SUM, GM_EMPTY_SUM, GM_EMPTY_SUM};

/* Elements from one to the next; 0 if only the tile knows. unroll: products of a sum in one loop
 * iteration. planes: if not 0, the number of channels, each with an address of its own; then k is
 * one iteration, and it leaves a and b at their start. */
typedef struct form_steps {
    size_t a_row, a_k, b_k, b_column, y_column;
    uint32_t unroll, planes;
} form_steps;

#define STEPS_ALONG ((form_steps){0, 1, 1, 0, 1, 16, 0})
#define STEPS_ALONG_9 ((form_steps){0, 1, 9, 0, 1, 8, 0})
#define STEPS_ACROSS ((form_steps){0, 1, 0, 1, 1, 16, 0})
#define STEPS_ACROSS_9 ((form_steps){0, 1, 0, 9, 1, 8, 0})
#define STEPS_OUTER ((form_steps){1, 0, 0, 1, 0, 4, 0})
#define STEPS_PLANES(stride) ((form_steps){stride, 1, 9, 27, 1, 9, 3})
#define STEPS_GENERAL ((form_steps){0, 0, 0, 0, 0, 1, 0})

/* The addresses of the next products. Rows or columns a known step apart share the first one. */
typedef struct tile_place {
    const float *a[GM_RISCV_ROWS], *b[GM_RISCV_COLUMNS];
} tile_place;

GM_INLINED float a_at(const tile_place *at, form_steps s, uint32_t r, uint32_t i)
{
    if (s.planes) {
        return at->a[i % s.planes][r * s.a_row + i / s.planes * s.a_k];
    }
    return s.a_row ? at->a[0][r * s.a_row + i * s.a_k] : at->a[r][i * s.a_k];
}

GM_INLINED float b_at(const tile_place *at, form_steps s, uint32_t c, uint32_t i)
{
    const size_t of_i = s.planes ? i % s.planes * s.b_k + i / s.planes : i * s.b_k;
    return s.b_column ? at->b[0][c * s.b_column + of_i] : at->b[c][of_i];
}

/* The number of addresses that a tile has for a. */
GM_INLINED uint32_t places_of_a(form_steps s, uint32_t rows)
{
    return s.planes ? s.planes : s.a_row ? 1 : rows;
}

GM_INLINED void move_place(tile_place *at, form_steps s, uint32_t rows, size_t a, size_t b)
{
    const uint32_t a_count = places_of_a(s, rows), b_count = s.b_column ? 1 : GM_RISCV_COLUMNS;
    GM_UNROLLED
    for (uint32_t r = 0; r < a_count; r++) {
        at->a[r] += a;
        GM_HIDE(at->a[r]);
    }
    GM_UNROLLED
    for (uint32_t c = 0; c < b_count; c++) {
        at->b[c] += b;
        GM_HIDE(at->b[c]);
    }
}

/* One product of each sum, or the first one of an empty sum. i: index in this iteration. A value of
 * a is loaded one row ahead of its products. */
GM_INLINED void add_products_of_tile(float *sums, const tile_place *at, form_steps s, uint32_t rows, uint32_t i,
                                     int is_first)
{
    float b[GM_RISCV_COLUMNS], next = a_at(at, s, 0, i);
    GM_UNROLLED
    for (uint32_t c = 0; c < GM_RISCV_COLUMNS; c++) {
        b[c] = b_at(at, s, c, i);
    }
    GM_UNROLLED
    for (uint32_t r = 0; r < rows; r++) {
        float a = next;
        if (r + 1 < rows) {
            next = a_at(at, s, r + 1, i);
        }
        GM_UNROLLED
        for (uint32_t c = 0; c < GM_RISCV_COLUMNS; c++) {
            float *sum = &sums[r * GM_RISCV_COLUMNS + c];
            *sum = is_first ? gm_riscv_first_product(a, b[c]) : gm_riscv_mac(*sum, a, b[c]);
        }
        GM_IN_ORDER();
    }
}

/* As many products of each sum as an iteration has. Steps that only the tile knows
 * are taken one by one. */
GM_INLINED void add_turn(float *sums, tile_place *at, const gm_riscv_tile *t, form_steps s, uint32_t rows,
                         uint32_t unroll, int is_first)
{
    GM_UNROLLED
    for (uint32_t i = 0; i < unroll; i++) {
        add_products_of_tile(sums, at, s, rows, i, is_first && i == 0);
        move_place(at, s, rows, s.a_k ? 0 : t->a_k, s.b_k ? 0 : t->b_k);
    }
    if (!s.planes) {
        move_place(at, s, rows, s.a_k * unroll, s.b_k * unroll);
    }
}

/* k products of each sum. A kernel of few channels has 3 or 4 taps in a row. Tiles of fewer rows
 * are rare enough for shorter loops. */
GM_INLINED void add_tap_of_tile(float *sums, tile_place *at, const gm_riscv_tile *t, form_steps s, uint32_t rows,
                                uint32_t k)
{
    const uint32_t unroll = rows < GM_RISCV_ROWS && s.unroll > 4 ? 4 : s.unroll;
    uint32_t left = k % unroll;
    if (s.planes) {
        add_turn(sums, at, t, s, rows, s.unroll, 0);
        return;
    }
    for (uint32_t turns = k / unroll; turns > 0; turns--) {
        add_turn(sums, at, t, s, rows, unroll, 0);
    }
    for (; unroll > 4 && left >= 4; left -= 4) {
        add_turn(sums, at, t, s, rows, 4, 0);
    }
    if (unroll > 4 && left == 3) {
        add_turn(sums, at, t, s, rows, 3, 0);
        return;
    }
    for (; left > 0; left--) {
        add_turn(sums, at, t, s, rows, 1, 0);
    }
}

/* begun: products that the first tap's sums already have. */
GM_INLINED void add_taps_of_tile(float *sums, tile_place *at, const gm_riscv_tile *t, form_steps s, uint32_t rows,
                                 uint32_t begun)
{
    uint32_t k = t->k - begun;
    for (uint32_t row = t->rows;; k = t->k) {
        for (uint32_t tap = t->taps;; k = t->k) {
            add_tap_of_tile(sums, at, t, s, rows, k);
            if (--tap == 0) {
                break;
            }
            move_place(at, s, rows, t->a_tap, t->b_tap);
        }
        if (--row == 0) {
            return;
        }
        move_place(at, s, rows, t->a_row, t->b_row);
    }
}

GM_INLINED void load_sums_of_tile(float *sums, const gm_riscv_tile *t, const float *start, size_t first,
                                  size_t y_column, uint32_t rows)
{
    GM_UNROLLED
    for (uint32_t r = 0; r < rows; r++) {
        const float *from = start ? start : t->y[r] + first;
        const size_t step = start ? 1 : y_column;
        GM_UNROLLED
        for (uint32_t c = 0; c < GM_RISCV_COLUMNS; c++) {
            sums[r * GM_RISCV_COLUMNS + c] = from[c * step];
        }
    }
}

/* Starts the sums, and returns how many products they then have. An empty sum starts with
 * its first product. */
GM_INLINED uint32_t begin_sums_of_tile(float *sums, tile_place *at, const gm_riscv_tile *t, form_steps s,
                                       const float *start, size_t first, size_t y_column, uint32_t rows)
{
    if (rows == GM_RISCV_ROWS && start == gm_riscv_empty_sums && s.unroll == 4 && t->k >= 4) {
        add_turn(sums, at, t, s, rows, 4, 1);
        return 4;
    }
    load_sums_of_tile(sums, t, start, first, y_column, rows);
    return 0;
}

/* y += minus_lr sum. If several rows are the same, only one takes the step. */
GM_INLINED void step_by_sums_of_tile(const float *sums, const gm_riscv_tile *t, size_t first, size_t y_column,
                                     uint32_t rows)
{
    const float minus_lr = t->minus_lr;
    GM_UNROLLED
    for (uint32_t r = 0; r < rows; r++) {
        float *y = t->y[r] + first;
        if (r > 0 && t->y[r] == t->y[r - 1]) {
            return;
        }
        GM_HIDE(y);
        GM_UNROLLED
        for (uint32_t c = 0; c < GM_RISCV_COLUMNS; c++) {
            y[c * y_column] = gm_riscv_mac(y[c * y_column], minus_lr, sums[r * GM_RISCV_COLUMNS + c]);
        }
        GM_IN_ORDER();
    }
}

GM_INLINED void store_sums_of_tile(float *sums, const gm_riscv_tile *t, size_t first, size_t y_column, uint32_t rows)
{
    if (t->finish == GM_FINISH_ADD_ZERO) {
        GM_UNROLLED
        for (uint32_t i = 0; i < rows * GM_RISCV_COLUMNS; i++) {
            sums[i] += 0.0f;
        }
    }
    GM_UNROLLED
    for (uint32_t r = 0; r < rows; r++) {
        float *y = t->y[r] + first;
        GM_HIDE(y);
        GM_UNROLLED
        for (uint32_t c = 0; c < GM_RISCV_COLUMNS; c++) {
            y[c * y_column] = sums[r * GM_RISCV_COLUMNS + c];
        }
    }
}

GM_INLINED void set_out_place(tile_place *at, const gm_riscv_tile *t, form_steps s, const float *b, uint32_t rows)
{
    const uint32_t a_count = places_of_a(s, rows), b_count = s.b_column ? 1 : GM_RISCV_COLUMNS;
    GM_UNROLLED
    for (uint32_t r = 0; r < a_count; r++) {
        at->a[r] = t->a[r];
    }
    GM_UNROLLED
    for (uint32_t c = 0; c < b_count; c++) {
        at->b[c] = b + c * t->b_column;
    }
}

GM_INLINED void sum_blocks(const gm_riscv_tile *t, form_steps s, uint32_t rows, uint32_t blocks)
{
    const size_t y_column = s.y_column ? s.y_column : t->y_column;
    const float *start = t->start, *b = t->b;
    for (size_t first = 0; blocks > 0; blocks--, first += GM_RISCV_COLUMNS * y_column) {
        float sums[GM_RISCV_ROWS * GM_RISCV_COLUMNS];
        tile_place at;
        set_out_place(&at, t, s, b, rows);
        const uint32_t begun = begin_sums_of_tile(sums, &at, t, s, start, first, y_column, rows);
        add_taps_of_tile(sums, &at, t, s, rows, begun);
        if (t->finish == GM_FINISH_SGD) {
            step_by_sums_of_tile(sums, t, first, y_column, rows);
        } else {
            store_sums_of_tile(sums, t, first, y_column, rows);
        }
        b += GM_RISCV_COLUMNS * t->b_column;
        start = start ? start + t->start_step : NULL;
    }
}

#define DEFINE_SUMS(name, form_steps)                                   \
    static void name##_of_6(const gm_riscv_tile *tile, uint32_t blocks) \
    {                                                                   \
        sum_blocks(tile, form_steps, 6, blocks);                        \
    }                                                                   \
    static void name##_of_1(const gm_riscv_tile *tile, uint32_t blocks) \
    {                                                                   \
        sum_blocks(tile, form_steps, 1, blocks);                        \
    }                                                                   \
    static void name##_of_4(const gm_riscv_tile *tile, uint32_t blocks) \
    {                                                                   \
        sum_blocks(tile, form_steps, 4, blocks);                        \
    }

DEFINE_SUMS(along, STEPS_ALONG)
DEFINE_SUMS(along_9, STEPS_ALONG_9)
DEFINE_SUMS(across, STEPS_ACROSS)
DEFINE_SUMS(across_9, STEPS_ACROSS_9)
DEFINE_SUMS(outer, STEPS_OUTER)
DEFINE_SUMS(general, STEPS_GENERAL)

static void planes(const gm_riscv_tile *tile, uint32_t blocks)
{
    sum_blocks(tile, STEPS_PLANES(1), 6, blocks);
}

static void planes_by_2(const gm_riscv_tile *tile, uint32_t blocks)
{
    sum_blocks(tile, STEPS_PLANES(2), 6, blocks);
}

/* A switch, since the stack of a call through a pointer cannot be bounded. */
#define SUM_OF(name)               \
    if (rows == GM_RISCV_ROWS) {   \
        name##_of_6(tile, blocks); \
    } else if (rows == 4) {        \
        name##_of_4(tile, blocks); \
    } else {                       \
        name##_of_1(tile, blocks); \
    }                              \
    break;

void gm_riscv_sum(const gm_riscv_tile *tile, gm_riscv_form form, uint32_t rows, uint32_t blocks)
{
    switch (GM_RISCV_SMALL ? GM_FORM_GENERAL : form) {
    case GM_FORM_ALONG: SUM_OF(along)
    case GM_FORM_ALONG_9: SUM_OF(along_9)
    case GM_FORM_ACROSS: SUM_OF(across)
    case GM_FORM_ACROSS_9: SUM_OF(across_9)
    case GM_FORM_OUTER: SUM_OF(outer)
    case GM_FORM_PLANES: planes(tile, blocks); break;
    case GM_FORM_PLANES_2: planes_by_2(tile, blocks); break;
    case GM_FORM_GENERAL: SUM_OF(general)
    }
}

#endif

#endif
