/*
 * The gradient of weights of int8 where each group has one input and one output channel, and groups
 * are neighbours: a lane has a group, and two pixels of a row are a pair. Sums of some rows have 32
 * bits and cannot overflow, those of all are integers in float64.
 */
#include "../s8.h"
#include "lanes.h"
#include "s16.h"

#if GM_ARCH_SIMD_S8 && (GM_WITH_CONV_GRAD_W_S16 || GM_WITH_CONV_UPDATE_S16)

#define DEPTHWISE_TAPS 64u
#define DEPTHWISE_OUTPUTS 512u
/* A sum of so many products of int16 and 8 bits and their zero point has 32 bits. */
#define PAIRS_OF_SUM 128u

/* GM_LANES groups. */
typedef struct depthwise_gradient {
    const gm_simd_gradient *of;
    const int8_t *x;
    const int16_t *dy;
    uint32_t taps, pairs;        /* pairs: in the sums of 32 bits, at most */
    int8_t outside[GM_LANES];
    uint32_t sums[DEPTHWISE_TAPS][GM_LANES];
    double totals[DEPTHWISE_TAPS][GM_LANES];
    int16_t row[DEPTHWISE_OUTPUTS / 2][2 * GM_LANES]; /* dy of a row of outputs */
} depthwise_gradient;

static GM_SIMD_TARGET void add_to_totals(depthwise_gradient *d)
{
    for (uint32_t t = 0; t < d->taps; t++) {
        for (uint32_t i = 0; i < GM_LANES; i++) {
            d->totals[t][i] += (int32_t)d->sums[t][i];
            d->sums[t][i] = 0;
        }
    }
    d->pairs = 0;
}

GM_SIMD_INLINE void pair_outputs(depthwise_gradient *d, const int16_t *dy, uint32_t outputs)
{
    static const int16_t none[GM_LANES];
    size_t step = d->of->gradient.dy.w;
    for (uint32_t p = 0; p < outputs; p += 2) {
        const int16_t *first = dy + p * step;
        gm_pairs_store(d->row[p / 2], gm_pairs_of_numbers(first, p + 1 < outputs ? first + step : none));
    }
}

/* One tap: some pairs of outputs whose windows all have it inside of x. x: of the first of them. */
GM_SIMD_INLINE gm_words sum_inside(const depthwise_gradient *d, gm_words sum, const int8_t *x, uint32_t first,
                                   uint32_t end)
{
    const gm_conv_gradient_s8 *g = &d->of->gradient;
    size_t step = (size_t)g->window.stride_w * g->x.w;
    for (uint32_t p = first; p < end; p++, x += 2 * step) {
        sum = gm_pairs_mac(sum, gm_pairs_of_bytes(x, x + step, g->x_zero), gm_pairs_load(d->row[p]));
    }
    return sum;
}

/* A pair of outputs of which one window may have the tap outside of x. x: the row under the tap. */
GM_SIMD_INLINE gm_words sum_at_border(const depthwise_gradient *d, gm_words sum, const int8_t *x, uint32_t pair,
                                      uint32_t l)
{
    const gm_conv_gradient_s8 *g = &d->of->gradient;
    const gm_window *w = &g->window;
    uint32_t j = gm_input_index(2 * pair, l, w->stride_w, w->dilation_w, w->pad_w), next = j + w->stride_w;
    const int8_t *first = j < w->in_w ? x + (size_t)j * g->x.w : d->outside;
    const int8_t *second = next < w->in_w && 2 * pair + 1 < w->out_w ? x + (size_t)next * g->x.w : d->outside;
    return gm_pairs_mac(sum, gm_pairs_of_bytes(first, second, g->x_zero), gm_pairs_load(d->row[pair]));
}

/* A row of outputs and a row of taps, which is row x of the input. */
GM_SIMD_INLINE void add_taps_of_lanes(depthwise_gradient *d, const int8_t *x, uint32_t k)
{
    const gm_conv_gradient_s8 *g = &d->of->gradient;
    const gm_window *w = &g->window;
    for (uint32_t l = 0; l < w->kernel_w; l++) {
        gm_span valid = gm_valid_outputs(l, w->stride_w, w->dilation_w, w->pad_w, w->in_w, w->out_w);
        uint32_t first = (valid.first + 1) / 2, end = valid.end / 2, pairs = (w->out_w + 1) / 2;
        end = end < first ? first : end;
        uint32_t *to = d->sums[k * w->kernel_w + l];
        gm_words sum = gm_words_load(to);
        for (uint32_t p = valid.first / 2; p < first && p < pairs; p++) {
            sum = sum_at_border(d, sum, x, p, l);
        }
        if (first < end) {
            uint32_t j = gm_input_index(2 * first, l, w->stride_w, w->dilation_w, w->pad_w);
            sum = sum_inside(d, sum, x + (size_t)j * g->x.w, first, end);
        }
        for (uint32_t p = end; 2 * p < valid.end; p++) {
            sum = sum_at_border(d, sum, x, p, l);
        }
        gm_words_store(to, sum);
    }
}

/* All rows of outputs of all samples. */
static GM_SIMD_TARGET void sum_lanes(depthwise_gradient *d)
{
    const gm_conv_gradient_s8 *g = &d->of->gradient;
    const gm_window *w = &g->window;
    for (uint32_t b = 0; b < g->batch; b++) {
        for (uint32_t o = 0; o < w->out_h; o++) {
            pair_outputs(d, d->dy + (size_t)b * g->dy.batch + (size_t)o * g->dy.h, w->out_w);
            for (uint32_t k = 0; k < w->kernel_h; k++) {
                uint32_t i = gm_input_index(o, k, w->stride_h, w->dilation_h, w->pad_h);
                if (i < w->in_h) {
                    add_taps_of_lanes(d, d->x + (size_t)b * g->x.batch + (size_t)i * g->x.h, k);
                }
            }
            d->pairs += (w->out_w + 1) / 2;
            if (d->pairs + (w->out_w + 1) / 2 > PAIRS_OF_SUM) {
                add_to_totals(d);
            }
        }
    }
    add_to_totals(d);
}

int gm_simd_depthwise_gradient_s16(const gm_simd_gradient *of)
{
    const gm_conv_gradient_s8 *g = &of->gradient;
    depthwise_gradient d = {.of = of, .taps = g->window.kernel_h * g->window.kernel_w};
    if (d.taps > DEPTHWISE_TAPS || (g->window.out_w + 1) / 2 > PAIRS_OF_SUM || of->groups < GM_LANES ||
        g->x.group != 1 || g->dy.group != 1) {
        return 0;
    }
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
