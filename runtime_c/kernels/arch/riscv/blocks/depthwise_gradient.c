/*
 * The 9 sums of a group stay in registers. In a narrow image so do three rows of dy; each image row
 * needs one new row: 1.54 machine instructions for each multiply-accumulate with 5 columns. In
 * other images so do three image columns; each pixel of dy needs one new column: 2.0 in a long row.
 */
#include "../../../../generated/instructions/conv_grad_w.h"
#include "../../../../generated/instructions/conv_update.h"
#include "depthwise_gradient.h"

#include "tile.h"

#if GM_ARCH_RISCV && !GM_ARCH_ZVE32F && (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE)

/* ---- Images of 3 to 5 columns ---------------------------------------------------------------- */

/* The next pixels of the image and of dy, and the rows of dy that an image row pairs with. */
typedef struct three_rows_of_dy {
    const float *x[5], *dy[5];
    size_t x_row, dy_row;
    float at[3][5]; /* [row modulo 3][column] */
} three_rows_of_dy;

GM_INLINED void load_row_of_dy(three_rows_of_dy *t, uint32_t to, uint32_t columns)
{
    GM_UNROLLED
    for (uint32_t c = 0; c < columns; c++) {
        t->at[to][c] = *t->dy[c];
        t->dy[c] += t->dy_row;
        GM_HIDE(t->dy[c]);
    }
}

/* An image row with its rows of dy: under kernel row 0 the next one, under row 1 its own, which is
 * row `row` modulo 3, and under row 2 the one before. Kernel rows are those from k to end. */
GM_INLINED void add_narrow_row(three_rows_of_dy *t, float *sums, uint32_t row, uint32_t k, uint32_t end,
                               uint32_t columns)
{
    if (k == 0) {
        load_row_of_dy(t, (row + 1) % 3, columns);
    }
    GM_UNROLLED
    for (uint32_t c = 0; c < columns; c++) {
        float x = *t->x[c];
        t->x[c] += t->x_row;
        GM_HIDE(t->x[c]);
        GM_UNROLLED
        for (uint32_t i = 3 * k; i < 3 * end; i++) {
            const uint32_t column = c + 1 - i % 3;
            if (column < columns) {
                sums[i] = gm_riscv_mac(sums[i], t->at[(row + 4 - i / 3) % 3][column], x);
            }
        }
        GM_IN_ORDER();
    }
}

GM_INLINED void add_narrow_picture(const gm_conv_gradient *g, const float *x, const float *dy, float *sums,
                                   uint32_t columns)
{
    three_rows_of_dy t = {.x_row = g->x.h, .dy_row = g->dy.h};
    uint32_t rows = g->window.in_h - 2;
    GM_UNROLLED
    for (uint32_t c = 0; c < columns; c++) {
        t.x[c] = x + c * (size_t)g->x.w, t.dy[c] = dy + c * (size_t)g->dy.w;
    }
    load_row_of_dy(&t, 0, columns);
    add_narrow_row(&t, sums, 0, 0, 2, columns);
    for (; rows >= 3; rows -= 3) {
        add_narrow_row(&t, sums, 1, 0, 3, columns);
        add_narrow_row(&t, sums, 2, 0, 3, columns);
        add_narrow_row(&t, sums, 0, 0, 3, columns);
    }
    for (; rows > 0; rows--) {
        add_narrow_row(&t, sums, 1, 0, 3, columns);
        GM_UNROLLED
        for (uint32_t c = 0; c < columns; c++) {
            t.at[0][c] = t.at[1][c], t.at[1][c] = t.at[2][c];
        }
    }
    add_narrow_row(&t, sums, 1, 1, 3, columns);
}

/* ---- Wider ones ------------------------------------------------------------------------------ */

/* A row of dy, the rows of x that it sees, and the last three columns of these. */
typedef struct three_columns {
    const float *x[3], *dy;
    size_t x_step, dy_step;
    float at[3][3]; /* [column][row] */
} three_columns;

/* Loads the next column of x into slot `to`. Kernel rows are those from k to end. */
GM_INLINED void load_column(three_columns *t, uint32_t to, uint32_t k, uint32_t end)
{
    GM_UNROLLED
    for (uint32_t row = k; row < end; row++) {
        t->at[to][row] = *t->x[row];
        t->x[row] += t->x_step;
    }
}

/* The next pixel of dy, which sees columns first, first + 1 and first + 2, modulo 3, under kernel
 * columns l to last. */
GM_INLINED void add_pixel(three_columns *t, float *sums, uint32_t first, uint32_t k, uint32_t end, uint32_t l,
                          uint32_t last)
{
    float dy = *t->dy;
    t->dy += t->dy_step;
    GM_UNROLLED
    for (uint32_t row = k; row < end; row++) {
        GM_UNROLLED
        for (uint32_t column = l; column < last; column++) {
            sums[3 * row + column] = gm_riscv_mac(sums[3 * row + column], dy, t->at[(first + column) % 3][row]);
        }
    }
}

GM_INLINED void add_next(three_columns *t, float *sums, uint32_t first, uint32_t k, uint32_t end)
{
    load_column(t, (first + 2) % 3, k, end);
    add_pixel(t, sums, first, k, end, 0, 3);
}

/* One row of dy. The first pixel lacks the kernel's first column, and the last one its last. */
GM_INLINED void add_row_of_dy(three_columns t, float *sums, uint32_t columns, uint32_t k, uint32_t end)
{
    load_column(&t, 0, k, end);
    load_column(&t, 1, k, end);
    add_pixel(&t, sums, 2, k, end, 1, 3);
    for (columns -= 2; columns >= 3; columns -= 3) {
        add_next(&t, sums, 0, k, end);
        add_next(&t, sums, 1, k, end);
        add_next(&t, sums, 2, k, end);
    }
    if (columns == 0) {
        add_pixel(&t, sums, 0, k, end, 0, 2);
        return;
    }
    add_next(&t, sums, 0, k, end);
    if (columns == 1) {
        add_pixel(&t, sums, 1, k, end, 0, 2);
        return;
    }
    add_next(&t, sums, 1, k, end);
    add_pixel(&t, sums, 2, k, end, 0, 2);
}

/* Each row sees itself and its neighbours; the first and the last row have only one. */
GM_INLINED void add_wide_picture(const gm_conv_gradient *g, const float *x, const float *dy, float *sums)
{
    const uint32_t rows = g->window.in_h, columns = g->window.in_w;
    three_columns t = {{x, x, x + g->x.h}, dy, g->x.w, g->dy.w, {{0}}};
    add_row_of_dy(t, sums, columns, 1, 3);
    for (uint32_t row = 2; row < rows; row++) {
        t.dy += g->dy.h;
        t.x[0] = x, t.x[1] = x + g->x.h, t.x[2] = x + 2 * (size_t)g->x.h;
        add_row_of_dy(t, sums, columns, 0, 3);
        x += g->x.h;
    }
    t.dy += g->dy.h;
    t.x[0] = x, t.x[1] = x + g->x.h;
    add_row_of_dy(t, sums, columns, 0, 2);
}

/* ---- Both ------------------------------------------------------------------------------------ */

/* Defines name(), which adds the gradients of one sample to sums[9] by add(). */
#define DEFINE_GRADIENT_OF_PICTURE(name, add)                                                 \
    static void name(const gm_conv_gradient *g, const float *x, const float *dy, float *sums) \
    {                                                                                         \
        float own[9];                                                                         \
        GM_UNROLLED                                                                           \
        for (uint32_t i = 0; i < 9; i++) {                                                    \
            own[i] = sums[i];                                                                 \
        }                                                                                     \
        add;                                                                                  \
        GM_UNROLLED                                                                           \
        for (uint32_t i = 0; i < 9; i++) {                                                    \
            sums[i] = own[i];                                                                 \
        }                                                                                     \
    }

DEFINE_GRADIENT_OF_PICTURE(gradient_of_3_columns, add_narrow_picture(g, x, dy, own, 3))
DEFINE_GRADIENT_OF_PICTURE(gradient_of_4_columns, add_narrow_picture(g, x, dy, own, 4))
DEFINE_GRADIENT_OF_PICTURE(gradient_of_5_columns, add_narrow_picture(g, x, dy, own, 5))
DEFINE_GRADIENT_OF_PICTURE(gradient_of_wide_picture, add_wide_picture(g, x, dy, own))

void gm_riscv_add_3x3_gradient(const gm_conv_gradient *g, const float *x, const float *dy, float *sums)
{
    for (uint32_t b = 0; b < g->batch; b++, x += g->x.batch, dy += g->dy.batch) {
        switch (GM_RISCV_SMALL ? 0 : g->window.in_w) {
        case 3: gradient_of_3_columns(g, x, dy, sums); break;
        case 4: gradient_of_4_columns(g, x, dy, sums); break;
        case 5: gradient_of_5_columns(g, x, dy, sums); break;
        default: gradient_of_wide_picture(g, x, dy, sums); break;
        }
    }
}

#endif
