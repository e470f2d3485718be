/*
 * AVERAGE_POOL_S8: y[b,o,p,c] = round((sum of (x - x_zero) x_scale in the window / count) /
 *   y_scale) + y_zero, clamped to low .. high; the count is that of AVERAGE_POOL, and `order` sets
 *   the order of the sum.
 */
#include "../generated/instructions/average_pool_s8.h"
#include "arch/arm_m/average_pool_s8.h"
#include "quantized.h"
#include "window.h"

#if GM_WITH_AVERAGE_POOL_S8

/* Counts the taps of one axis of the window at output o: those inside the input, or inside `padded`
 * if padding counts. */
static uint32_t counted_taps(uint32_t o, uint32_t kernel, uint32_t stride, uint32_t dilation, uint32_t pad,
                             uint32_t size)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < kernel; k++) {
        count += gm_input_index(o, k, stride, dilation, pad) < size;
    }
    return count;
}

/* The divisor for the sum of the window at output (row, column). */
static float divisor_of_window(const gm_insn_average_pool_s8 *insn, uint32_t row, uint32_t column)
{
    uint32_t h = insn->count_pad ? insn->padded_h : insn->in_h, pad_h = insn->count_pad ? 0 : insn->pad_h;
    uint32_t v = insn->count_pad ? insn->padded_w : insn->in_w, pad_w = insn->count_pad ? 0 : insn->pad_w;
    return (float)(counted_taps(row, insn->kernel_h, insn->stride_h, insn->dilation_h, pad_h, h) *
                   counted_taps(column, insn->kernel_w, insn->stride_w, insn->dilation_w, pad_w, v));
}

/* A window of one channel. */
typedef struct channel_window {
    const int8_t *x;             /* the sample's channel */
    uint32_t number;             /* of the channel, counted over all samples */
    uint32_t row, column;
    int32_t zero;
    float scale;
} channel_window;

/* The real value under tap (k, l); 0 in the padding. */
static float tap_of(const gm_insn_average_pool_s8 *insn, const channel_window *w, uint32_t k, uint32_t l)
{
    uint32_t i = gm_input_index(w->row, k, insn->stride_h, insn->dilation_h, insn->pad_h);
    uint32_t j = gm_input_index(w->column, l, insn->stride_w, insn->dilation_w, insn->pad_w);
    int is_inside = i < insn->in_h && j < insn->in_w;
    return is_inside ? (float)(w->x[i * insn->x_h + j * insn->x_w] - w->zero) * w->scale : 0.0f;
}

/* Sums each column, then the columns' sums. */
static float sum_by_columns(const gm_insn_average_pool_s8 *insn, const channel_window *w)
{
    float sum = 0.0f;
    for (uint32_t l = 0; l < insn->kernel_w; l++) {
        float column = 0.0f;
        for (uint32_t k = 0; k < insn->kernel_h; k++) {
            column += tap_of(insn, w, k, l);
        }
        sum += column;
    }
    return sum;
}

/* Adds taps [first, end) to a sum, one after another. */
static float add_taps_in_order(const gm_insn_average_pool_s8 *insn, const channel_window *w, uint32_t first,
                               uint32_t end, float sum)
{
    for (uint32_t t = first; t < end; t++) {
        sum += tap_of(insn, w, t / insn->kernel_w, t % insn->kernel_w);
    }
    return sum;
}

/* Adds four taps to four lanes. */
static void add_to_lanes(const gm_insn_average_pool_s8 *insn, const channel_window *w, uint32_t first, float *lane)
{
    for (uint32_t t = first; t < first + 4; t++) {
        lane[t - first] += tap_of(insn, w, t / insn->kernel_w, t % insn->kernel_w);
    }
}

/* Four partial sums, each of every fourth tap, up to a multiple of 4; then their total, and
 * the remaining taps. */
static float sum_by_lanes(const gm_insn_average_pool_s8 *insn, const channel_window *w)
{
    uint32_t taps = insn->kernel_h * insn->kernel_w, full = taps & ~3u;
    float lane[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (uint32_t t = 0; t < full; t += 4) {
        add_to_lanes(insn, w, t, lane);
    }
    return add_taps_in_order(insn, w, full, taps, (lane[0] + lane[2]) + (lane[1] + lane[3]));
}

/* Groups of four taps alternate between two sets of lanes. The first group starts at the first tap
 * whose index among all values is a multiple of 4, since vectors load from aligned addresses. If
 * the number of groups is odd, the last one is added after the sum of both sets; then come the taps
 * before the groups, and those after them. */
static float sum_by_pairs(const gm_insn_average_pool_s8 *insn, const channel_window *w)
{
    uint32_t taps = insn->kernel_h * insn->kernel_w, lead = (0u - w->number * taps) % 4;
    float lane[2][4] = {{0.0f, 0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 0.0f}}, *sum = lane[0];
    if (lead + 4 > taps) {
        return add_taps_in_order(insn, w, 0, taps, 0.0f);
    }
    uint32_t groups = (taps - lead) / 4, paired = groups & ~1u;
    for (uint32_t g = 0; g < paired; g++) {
        add_to_lanes(insn, w, lead + 4 * g, lane[g % 2]);
    }
    for (uint32_t i = 0; i < 4; i++) {
        sum[i] += lane[1][i];
    }
    if (paired < groups) {
        add_to_lanes(insn, w, lead + 4 * paired, sum);
    }
    float total = (sum[0] + sum[2]) + (sum[1] + sum[3]);
    return add_taps_in_order(insn, w, lead + 4 * groups, taps, add_taps_in_order(insn, w, 0, lead, total));
}

static float sum_of_window(const gm_insn_average_pool_s8 *insn, const channel_window *w)
{
    switch (insn->order) {
    case GM_ORDER_ROWS: return add_taps_in_order(insn, w, 0, insn->kernel_h * insn->kernel_w, 0.0f);
    case GM_ORDER_COLUMNS: return sum_by_columns(insn, w);
    case GM_ORDER_LANES: return sum_by_lanes(insn, w);
    default: return sum_by_pairs(insn, w);
    }
}

/* All channels of the window at output (row, column) of sample b. x: this
 * sample; y: this window. */
static void average_window(const gm_insn_average_pool_s8 *insn, uint32_t b, const int8_t *x, int8_t *y, uint32_t row,
                           uint32_t column)
{
    const gm_output_range range = GM_RANGE(insn);
    float count = divisor_of_window(insn, row, column);
#if GM_ARCH_AVERAGE_POOL_S8
    const gm_average_window own = gm_average_window_of(insn, row, column, count);
#endif
    for (uint32_t c = 0; c < insn->channels; c++) {
#if GM_ARCH_AVERAGE_POOL_S8
        if (gm_average_of_channel(&own, x + c * insn->x_channel, y + c * insn->y_channel)) {
            continue;
        }
#endif
        const channel_window w = {
            x + c * insn->x_channel, b * insn->channels + c, row, column, gm_nearest_int8(insn->x_zero), insn->x_scale,
        };
        y[c * insn->y_channel] = gm_to_int8(sum_of_window(insn, &w) / count / insn->y_scale, &range);
    }
}

int gm_kernel_average_pool_s8(const struct gm_session *session, const void *instruction)
{
    const gm_insn_average_pool_s8 *insn = instruction;
    for (uint32_t b = 0; b < insn->batch; b++) {
        for (uint32_t row = 0; row < insn->out_h; row++) {
            for (uint32_t column = 0; column < insn->out_w; column++) {
                average_window(insn, b, gm_i8(session, insn->x) + b * insn->x_batch,
                               gm_i8_out(session, insn->y) + b * insn->y_batch + row * insn->y_h + column * insn->y_w,
                               row, column);
            }
        }
    }
    return GM_OK;
}

#endif
