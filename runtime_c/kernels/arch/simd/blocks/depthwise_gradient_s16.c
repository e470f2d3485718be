/*
 * The gradient of int8 weights if each group has one input and one output channel, and groups are
 * adjacent: a lane holds a group, and two pixels of a row make a pair. Sums of a few rows have 32
 * bits and cannot overflow, those of all rows are integers in float64.
 */
#include "../../../../generated/instructions/conv_grad_w_s16.h"
#include "../../../../generated/instructions/conv_update_s16.h"
#include "../s8.h"
#include "lanes.h"
#include "s16.h"

#if GM_ARCH_SIMD_S8 && (GM_WITH_CONV_GRAD_W_S16 || GM_WITH_CONV_UPDATE_S16)

#define DEPTHWISE_TAPS 64u
/* A sum of so many products of int16 with 8-bit values and their zero point fits in 32 bits. */
#define PAIRS_OF_SUM 128u
/* The columns of x and its padding that the windows of one row of outputs may reach. */
#define COLUMNS_OF_LINE 512u

#define TAPS_AT_ONCE 3u

/* GM_LANES groups. */
typedef struct depthwise_gradient {
    const gm_simd_gradient *of;
    const int8_t *x;
    const int16_t *dy;
    uint32_t taps, pairs, columns;                   /* pairs: of a row of outputs */
    int8_t outside[GM_LANES];
    uint32_t sums[DEPTHWISE_TAPS][GM_LANES];
    double totals[DEPTHWISE_TAPS][GM_LANES];
    int16_t outputs[PAIRS_OF_SUM][2 * GM_LANES];     /* dy of some rows */
    int16_t line[COLUMNS_OF_LINE][2 * GM_LANES];     /* each column of a row of x, and that of the next output */
} depthwise_gradient;

static GM_SIMD_TARGET void add_to_totals(depthwise_gradient *d)
{
    for (uint32_t t = 0; t < d->taps; t++) {
        for (uint32_t i = 0; i < GM_LANES; i++) {
            d->totals[t][i] += (int32_t)d->sums[t][i];
            d->sums[t][i] = 0;
        }
    }
}

/* A row of outputs. */
GM_SIMD_INLINE void pair_outputs(const depthwise_gradient *d, const int16_t *dy, int16_t (*to)[2 * GM_LANES])
{
    static const int16_t none[GM_LANES];
    uint32_t outputs = d->of->gradient.window.out_w;
    size_t step = d->of->gradient.dy.w;
    for (uint32_t p = 0; p < outputs; p += 2, dy += 2 * step) {
        gm_pairs_store(to[p / 2], gm_pairs_of_numbers(dy, p + 1 < outputs ? dy + step : none));
    }
}

/* A row of x, with the columns of its padding. */
GM_SIMD_INLINE void pair_columns_of_row(depthwise_gradient *d, const int8_t *x)
{
    const gm_conv_gradient_s8 *g = &d->of->gradient;
    const gm_window *w = &g->window;
    size_t step = g->x.w;
    for (uint32_t c = 0; c < d->columns; c++) {
        uint32_t j = c - w->pad_w, next = j + w->stride_w;
        const int8_t *first = j < w->in_w ? x + j * step : d->outside;
        const int8_t *second = next < w->in_w ? x + next * step : d->outside;
        gm_pairs_store(d->line[c], gm_pairs_of_bytes(first, second, g->x_zero));
    }
}

/* A row of outputs and `taps` adjacent taps of a row, from this column of the line
 * on. taps: a constant. */
GM_SIMD_INLINE void add_neighbouring_taps(const depthwise_gradient *d, const int16_t (*outputs)[2 * GM_LANES],
                                          uint32_t column, uint32_t taps, uint32_t (*sums)[GM_LANES])
{
    const gm_window *w = &d->of->gradient.window;
    gm_words sum[TAPS_AT_ONCE];
    GM_UNROLL
    for (uint32_t l = 0; l < taps; l++) {
        sum[l] = gm_words_load(sums[l]);
    }
    for (uint32_t p = 0; p < d->pairs; p++, column += 2 * w->stride_w) {
        gm_pairs dy = gm_pairs_load(outputs[p]);
        GM_UNROLL
        for (uint32_t l = 0; l < taps; l++) {
            sum[l] = gm_pairs_mac(sum[l], gm_pairs_load(d->line[column + l * w->dilation_w]), dy);
        }
    }
    GM_UNROLL
    for (uint32_t l = 0; l < taps; l++) {
        gm_words_store(sums[l], sum[l]);
    }
}

/* A row of outputs with the line, which is row k of its windows. */
GM_SIMD_INLINE void add_paired_taps(depthwise_gradient *d, const int16_t (*outputs)[2 * GM_LANES], uint32_t k)
{
    const gm_window *w = &d->of->gradient.window;
    uint32_t (*sums)[GM_LANES] = d->sums + k * w->kernel_w, l = 0;
    for (; w->kernel_w - l >= TAPS_AT_ONCE; l += TAPS_AT_ONCE) {
        add_neighbouring_taps(d, outputs, l * w->dilation_w, TAPS_AT_ONCE, sums + l);
    }
    for (; l < w->kernel_w; l++) {
        add_neighbouring_taps(d, outputs, l * w->dilation_w, 1, sums + l);
    }
}

/* Some rows of outputs with row i of x. outputs: of the first of them. */
GM_SIMD_INLINE void add_row_of_x(depthwise_gradient *d, uint32_t i, uint32_t first, uint32_t rows)
{
    const gm_window *w = &d->of->gradient.window;
    for (uint32_t k = 0; k < w->kernel_h; k++) {
        uint32_t padded = i + w->pad_h, above = k * w->dilation_h, o = (padded - above) / w->stride_h - first;
        if (padded >= above && (padded - above) % w->stride_h == 0 && o < rows) {
            add_paired_taps(d, (const int16_t (*)[2 * GM_LANES])(d->outputs + o * d->pairs), k);
        }
    }
}

/* Some rows of outputs of one sample. */
GM_SIMD_INLINE void sum_rows(depthwise_gradient *d, uint32_t batch, uint32_t first, uint32_t rows)
{
    const gm_conv_gradient_s8 *g = &d->of->gradient;
    const gm_window *w = &g->window;
    const int8_t *x = d->x + (size_t)batch * g->x.batch;
    for (uint32_t o = 0; o < rows; o++) {
        pair_outputs(d, d->dy + (size_t)batch * g->dy.batch + (size_t)(first + o) * g->dy.h, d->outputs + o * d->pairs);
    }
    uint32_t begin = first * w->stride_h,
             end = begin + (rows - 1) * w->stride_h + (w->kernel_h - 1) * w->dilation_h + 1;
    begin = begin > w->pad_h ? begin - w->pad_h : 0;
    end = end > w->pad_h ? end - w->pad_h : 0;
    for (uint32_t i = begin; i < end && i < w->in_h; i++) {
        pair_columns_of_row(d, x + (size_t)i * g->x.h);
        add_row_of_x(d, i, first, rows);
    }
    add_to_totals(d);
}

/* All rows of outputs of all samples. */
static GM_SIMD_TARGET void sum_lanes(depthwise_gradient *d)
{
    const gm_conv_gradient_s8 *g = &d->of->gradient;
    uint32_t rows = g->window.out_h, most = PAIRS_OF_SUM / d->pairs;
    for (uint32_t b = 0; b < g->batch; b++) {
        for (uint32_t o = 0; o < rows; o += most) {
            sum_rows(d, b, o, rows - o < most ? rows - o : most);
        }
    }
}

int gm_simd_depthwise_gradient_s16(const gm_simd_gradient *of)
{
    const gm_conv_gradient_s8 *g = &of->gradient;
    const gm_window *w = &g->window;
    depthwise_gradient d;
    d.of = of, d.taps = w->kernel_h * w->kernel_w, d.pairs = (w->out_w + 1) / 2;
    uint64_t columns = (uint64_t)(d.pairs - 1) * 2 * w->stride_w + (uint64_t)(w->kernel_w - 1) * w->dilation_w + 1;
    if (d.taps > DEPTHWISE_TAPS || d.pairs > PAIRS_OF_SUM || columns > COLUMNS_OF_LINE || of->groups < GM_LANES ||
        g->x.group != 1 || g->dy.group != 1) {
        return 0;
    }
    d.columns = (uint32_t)columns;
    memset(d.sums, 0, sizeof d.sums);
    memset(d.outside, g->x_zero, sizeof d.outside);
    for (uint32_t done = 0; done < of->groups; done += GM_LANES) {
        uint32_t count = of->groups - done < GM_LANES ? of->groups - done : GM_LANES, first = done + count - GM_LANES;
        d.x = of->x + first, d.dy = of->dy + first;
        memset(d.totals, 0, sizeof d.totals);
        sum_lanes(&d);
        for (uint32_t c = GM_LANES - count; c < GM_LANES; c++) {
            double sums[DEPTHWISE_TAPS];
            for (uint32_t t = 0; t < d.taps; t++) {
                sums[t] = d.totals[t][c];
            }
            gm_simd_finish_gradient(of, first + c, 0, sums, d.taps);
        }
    }
    return 1;
}

#endif
