/* SOFTMAX and SOFTMAX_GRAD with vectors, for contiguous rows. Lanes hold adjacent elements
 * in elementwise steps; the sums of several rows run together, as each of them has to wait
 * for its last element. */
#include "../../../generated/instructions/softmax.h"
#include "../../../generated/instructions/softmax_grad.h"
#include "blocks/functions.h"
#include "simd.h"

#if GM_ARCH_FUNCTIONS && (GM_WITH_SOFTMAX || GM_WITH_SOFTMAX_GRAD)

#define ROWS_AT_ONCE 4u

/* The row of each index; those past `rows` repeat the last. */
static void find_some_rows(const float **row, const float *x, uint32_t rows, uint32_t n)
{
    for (uint32_t r = 0; r < ROWS_AT_ONCE; r++) {
        row[r] = x + (size_t)(r < rows ? r : rows - 1) * n;
    }
}

#endif

#if GM_ARCH_FUNCTIONS && GM_WITH_SOFTMAX

static GM_SIMD_TARGET float max_of_row(const float *from, uint32_t n)
{
    gm_lanes_f32 most = GM_LANES_OF(from[0]);
    uint32_t i = 0;
    for (; n - i >= GM_LANES; i += GM_LANES) {
        gm_lanes_f32 x = (gm_lanes_f32)gm_vec_load(from + i);
        most = gm_lanes_where(x > most, x, most);
    }
    float lanes[GM_LANES], max = from[0];
    gm_vec_store(lanes, (gm_vec)most);
    for (uint32_t l = 0; l < GM_LANES; l++) {
        max = lanes[l] > max ? lanes[l] : max;
    }
    for (; i < n; i++) {
        max = from[i] > max ? from[i] : max;
    }
    return max;
}

static GM_SIMD_TARGET void exponentials_of_row(const float *from, float *to, uint32_t n)
{
    const gm_lanes_f32 max = GM_LANES_OF(max_of_row(from, n));
    GM_FOR_LANES(from, to, n, value = gm_lanes_exp(x - max);)
}

static void sum_some_rows(float *sums, const float *const *row, uint32_t n)
{
    float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
    for (uint32_t i = 0; i < n; i++) {
        s0 += row[0][i], s1 += row[1][i], s2 += row[2][i], s3 += row[3][i];
    }
    sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3;
}

static GM_SIMD_TARGET void divide_lanes(float *y, float divisor, uint32_t n)
{
    GM_FOR_LANES(y, y, n, value = x / GM_LANES_OF(divisor);)
}

/* Whether the largest element is +0 or -0 does not affect the exponentials. */
int gm_simd_softmax(const float *x, float *y, uint32_t rows, uint32_t n)
{
    if (!gm_simd_runs()) {
        return 0;
    }
    for (uint32_t first = 0; first < rows;
         first += ROWS_AT_ONCE, x += (size_t)ROWS_AT_ONCE * n, y += (size_t)ROWS_AT_ONCE * n) {
        uint32_t count = rows - first < ROWS_AT_ONCE ? rows - first : ROWS_AT_ONCE;
        const float *row[ROWS_AT_ONCE];
        float sums[ROWS_AT_ONCE];
        for (uint32_t r = 0; r < count; r++) {
            exponentials_of_row(x + (size_t)r * n, y + (size_t)r * n, n);
        }
        find_some_rows(row, y, count, n);
        sum_some_rows(sums, row, n);
        for (uint32_t r = 0; r < count; r++) {
            divide_lanes(y + (size_t)r * n, sums[r], n);
        }
    }
    return 1;
}

#endif

#if GM_ARCH_FUNCTIONS && GM_WITH_SOFTMAX_GRAD

static GM_SIMD_TARGET void dot_some_rows(float *dots, const float *const *dy, const float *const *y, uint32_t n)
{
    float d0 = 0.0f, d1 = 0.0f, d2 = 0.0f, d3 = 0.0f;
    for (uint32_t i = 0; i < n; i++) {
        d0 = GM_MAC(d0, dy[0][i], y[0][i]), d1 = GM_MAC(d1, dy[1][i], y[1][i]);
        d2 = GM_MAC(d2, dy[2][i], y[2][i]), d3 = GM_MAC(d3, dy[3][i], y[3][i]);
    }
    dots[0] = d0, dots[1] = d1, dots[2] = d2, dots[3] = d3;
}

/* dx = y (dy - dot) for one row. */
static GM_SIMD_TARGET void gradient_of_row(const float *dy, const float *y, float *dx, float dot, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += GM_LANES) {
        gm_vec gradient, value;
        gm_tile_load(&gradient, dy + i, n - i, 1);
        gm_tile_load(&value, y + i, n - i, 1);
        gradient = gm_vec_mul(value, gm_vec_sub(gradient, gm_vec_splat(dot)));
        gm_tile_store(dx + i, &gradient, n - i, 1);
    }
}

int gm_simd_softmax_grad(const float *dy, const float *y, float *dx, uint32_t rows, uint32_t n)
{
    if (!gm_simd_runs()) {
        return 0;
    }
    for (uint32_t first = 0; first < rows; first += ROWS_AT_ONCE) {
        uint32_t count = rows - first < ROWS_AT_ONCE ? rows - first : ROWS_AT_ONCE;
        size_t at = (size_t)first * n;
        const float *gradients[ROWS_AT_ONCE], *values[ROWS_AT_ONCE];
        float dots[ROWS_AT_ONCE];
        find_some_rows(gradients, dy + at, count, n);
        find_some_rows(values, y + at, count, n);
        dot_some_rows(dots, gradients, values, n);
        for (uint32_t r = 0; r < count; r++, at += n) {
            gradient_of_row(dy + at, y + at, dx + at, dots[r], n);
        }
    }
    return 1;
}

#endif
