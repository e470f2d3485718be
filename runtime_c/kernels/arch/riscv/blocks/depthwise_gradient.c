/*
 * The 9 sums of a group stand in registers, and so do three columns of the picture, of which each pixel of dy needs one new
 * one: 2.0 machine instructions for each multiply-accumulate of a long row, 2.6 of 5 columns.
 */
#include "depthwise_gradient.h"

#include "tile.h"

#if GM_ARCH_RISCV && (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE)

/* A row of dy, the rows of x that it sees, and the last three columns of these. */
typedef struct three_columns {
    const float *x[3], *dy;
    size_t x_step, dy_step;
    float at[3][3]; /* [column][row] */
} three_columns;

/* Loads the next column of x, as number `to`. Kernel rows are those from k to end. */
GM_INLINED void load_column(three_columns *t, uint32_t to, uint32_t k, uint32_t end)
{
    GM_UNROLLED
    for (uint32_t row = k; row < end; row++) {
        t->at[to][row] = *t->x[row];
        t->x[row] += t->x_step;
    }
}

/* The next pixel of dy, which sees columns first, first + 1 and first + 2, modulo 3, under kernel columns l to last. */
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

/* Each row sees itself and its neighbours, of which the first and the last row have but one. */
void gm_riscv_add_3x3_gradient(const gm_conv_gradient *g, const float *x, const float *dy, float *sums)
{
    const uint32_t rows = g->window.in_h, columns = g->window.in_w;
    float own[9];
    GM_UNROLLED
    for (uint32_t i = 0; i < 9; i++) {
        own[i] = sums[i];
    }
    for (uint32_t b = 0; b < g->batch; b++) {
        const float *at = x + b * (size_t)g->x.batch;
        three_columns t = {{at, at, at + g->x.h}, dy + b * (size_t)g->dy.batch, g->x.w, g->dy.w, {{0}}};
        add_row_of_dy(t, own, columns, 1, 3);
        for (uint32_t row = 2; row < rows; row++) {
            t.dy += g->dy.h;
            t.x[0] = at, t.x[1] = at + g->x.h, t.x[2] = at + 2 * (size_t)g->x.h;
            add_row_of_dy(t, own, columns, 0, 3);
            at += g->x.h;
        }
        t.dy += g->dy.h;
        t.x[0] = at, t.x[1] = at + g->x.h;
        add_row_of_dy(t, own, columns, 0, 2);
    }
    GM_UNROLLED
    for (uint32_t i = 0; i < 9; i++) {
        sums[i] = own[i];
    }
}

#endif
