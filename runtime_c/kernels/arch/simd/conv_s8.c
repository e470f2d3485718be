/* CONV_S8 with vectors: the matrix product of windows and weights, both widened to int16. */
#include "blocks/depthwise_s16.h"
#include "s8.h"
#include "simd.h"

#if GM_ARCH_SIMD_S8 && GM_WITH_CONV_S8

typedef struct conv_s8_kernel {
    const gm_insn_conv_s8 *insn;
    const gm_s16_windows *windows;
    const int8_t *x;           /* of the group */
    int8_t *y;
    uint32_t y_step;           /* from one output of a pixel to the next */
    int32_t x_zero;
    gm_requantization r;       /* of the group */
} conv_s8_kernel;

GM_SIMD_INLINE const int16_t *read_inputs(const void *kernel, int16_t *room, size_t offset, uint32_t numbers,
                                          uint32_t step)
{
    const conv_s8_kernel *c = kernel;
    gm_s16_widen(room, c->x + offset, numbers, step, c->x_zero);
    return room;
}

GM_SIMD_INLINE gm_pairs read_pairs_of_inputs(const void *kernel, size_t first, size_t second)
{
    const conv_s8_kernel *c = kernel;
    return gm_pairs_of_bytes(c->x + first, c->x + second, c->x_zero);
}

/* GM_LANES outputs from number `output` on. */
GM_SIMD_INLINE void requantize_lanes(const gm_requantization *r, uint32_t output, const uint32_t *sums, int8_t *to)
{
    gm_int_lanes sum = gm_lanes_of_words(sums);
    if (r->bias) {
        sum = (gm_int_lanes)((gm_word_lanes)sum + (gm_word_lanes)gm_lanes_of_words(r->bias + output));
    }
    gm_float_lanes scaled = __builtin_convertvector(sum, gm_float_lanes) * gm_lanes_load(r->multipliers + output);
    if (r->offsets) {
        scaled = scaled + gm_lanes_load(r->offsets + output);
    }
    scaled = gm_lanes_at_least(scaled, gm_lanes_splat(r->range.least));
    scaled = gm_lanes_at_most(scaled, gm_lanes_splat(r->range.most));
    gm_lanes_to_s8(to, gm_lanes_round(scaled) + r->range.zero);
}

GM_SIMD_INLINE void requantize_pixel(void *kernel, const gm_s16_pixel *pixel, uint32_t output, uint32_t outputs,
                                     const uint32_t *sums)
{
    const conv_s8_kernel *c = kernel;
    const gm_insn_conv_s8 *insn = c->insn;
    const gm_s16_windows *w = c->windows;
    size_t row = w->row_taps.first + pixel->row, column = w->column_taps.first + pixel->column;
    int8_t made[GM_S16_COLUMNS], *y = c->y + (size_t)pixel->batch * insn->y_batch + row * insn->y_h +
                                      column * insn->y_w + (size_t)output * c->y_step;
    int8_t *to = c->y_step == 1 ? y : made;
    uint32_t m = 0;
    for (; outputs - m >= GM_LANES; m += GM_LANES) {
        requantize_lanes(&c->r, output + m, sums + m, to + m);
    }
    for (; m < outputs; m++) {
        to[m] = gm_requantized(&c->r, output + m, gm_start_of_sum(&c->r, output + m) + sums[m]);
    }
    for (m = 0; m < outputs && c->y_step != 1; m++) {
        y[(size_t)m * c->y_step] = made[m];
    }
}

static GM_SIMD_TARGET void conv_s8_group(gm_s16_windows *windows, conv_s8_kernel *kernel)
{
    gm_s16_all_phases(windows, kernel, read_inputs, requantize_pixel);
}

static GM_SIMD_TARGET void conv_s8_depthwise(gm_s16_windows *windows, conv_s8_kernel *kernel)
{
    gm_s16_depthwise_groups(windows, kernel->insn->groups, kernel->insn->w_group, kernel, read_pairs_of_inputs,
                            requantize_pixel);
}

static void conv_s8_by_groups(gm_s16_windows *windows, conv_s8_kernel *kernel)
{
    const gm_insn_conv_s8 *insn = kernel->insn;
    for (uint32_t g = 0; g < insn->groups; g++) {
        conv_s8_group(windows, kernel);
        gm_skip_channels(&kernel->r, insn->out_channels);
        windows->w += insn->w_group;
        kernel->x += insn->x_group;
        kernel->y += insn->y_group;
    }
}

int gm_simd_conv_s8(const struct gm_session *session, const gm_insn_conv_s8 *insn)
{
    gm_s16_windows windows = GM_S16_WINDOWS(session, insn, insn->in_channels, insn->out_channels);
    conv_s8_kernel kernel = {
        .insn = insn,
        .windows = &windows,
        .x = gm_i8(session, insn->x),
        .y = gm_i8_out(session, insn->y),
        .y_step = insn->y_channel,
        .x_zero = gm_nearest_int8(insn->x_zero),
        .r = GM_REQUANTIZATION(session, insn),
    };
    if (!gm_simd_runs() || !gm_window_fits(insn->kernel_h, insn->kernel_w)) {
        return 0;
    }
    GM_CONV_AXES(&windows.rows, &windows.columns, insn);
    windows.source = (gm_layout){insn->x_batch, insn->x_h, insn->x_w, insn->x_group, insn->x_channel};
    windows.w_output = insn->w_out_channel, windows.w_input = insn->w_in_channel;
    if (insn->in_channels == 1 && insn->out_channels == 1 && insn->groups >= GM_LANES && insn->x_group == 1) {
        kernel.y_step = insn->y_group;
        conv_s8_depthwise(&windows, &kernel);
    } else {
        conv_s8_by_groups(&windows, &kernel);
    }
    return 1;
}

#endif
