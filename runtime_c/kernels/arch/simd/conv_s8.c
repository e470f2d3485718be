/* CONV_S8 with vectors: the matrix product of windows and weights, both widened to int16. */
#include "../../../generated/instructions/conv_s8.h"
#include "blocks/depthwise_s16.h"
#include "s8.h"
#include "simd.h"

#if GM_ARCH_SIMD_S8 && GM_WITH_CONV_S8

typedef struct conv_s8_kernel {
    const gm_insn_conv_s8 *insn;
    const int8_t *x;           /* of the group */
    int8_t *y;
    uint32_t y_step;           /* from one output of a pixel to the next */
    int32_t x_zero;
    int8_t outside[GM_LANES];  /* x_zero */
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
    const int8_t *one = first != GM_S16_OUTSIDE ? c->x + first : c->outside;
    return gm_pairs_of_bytes(one, second != GM_S16_OUTSIDE ? c->x + second : c->outside, c->x_zero);
}

/* The parameters of GM_LANES outputs. */
typedef struct requantization_lanes {
    gm_word_lanes bias;
    gm_float_lanes multipliers, offsets;
} requantization_lanes;

GM_SIMD_INLINE requantization_lanes requantization_of(const gm_requantization *r, uint32_t output)
{
    requantization_lanes lanes = {{0}, gm_lanes_load(r->multipliers + output), {0.0f}};
    if (r->bias) {
        lanes.bias = (gm_word_lanes)gm_lanes_of_words(r->bias + output);
    }
    if (r->offsets) {
        lanes.offsets = gm_lanes_load(r->offsets + output);
    }
    return lanes;
}

/* gm_requantized() for GM_LANES outputs. Without offsets, adding 0 to a sum rounds
 * to the same integer. */
GM_SIMD_INLINE void requantize_lanes(const requantization_lanes *lanes, const gm_output_range *range,
                                     const uint32_t *sums, int8_t *to)
{
    gm_int_lanes sum = (gm_int_lanes)((gm_word_lanes)gm_lanes_of_words(sums) + lanes->bias);
    gm_float_lanes scaled = __builtin_convertvector(sum, gm_float_lanes) * lanes->multipliers + lanes->offsets;
    scaled = gm_lanes_at_least(scaled, gm_lanes_splat(range->least));
    scaled = gm_lanes_at_most(scaled, gm_lanes_splat(range->most));
    gm_lanes_to_s8(to, gm_lanes_round(scaled) + range->zero);
}

/* GM_LANES outputs of all pixels. */
GM_SIMD_INLINE void requantize_vector(const conv_s8_kernel *c, const size_t *at, uint32_t count, uint32_t output,
                                      const uint32_t *sums, uint32_t step)
{
    const requantization_lanes lanes = requantization_of(&c->r, output);
    const gm_output_range range = c->r.range;
    size_t y_step = c->y_step;
    int8_t *y = c->y + output * y_step, made[GM_LANES];
    for (uint32_t p = 0; p < count && y_step == 1; p++, sums += step) {
        requantize_lanes(&lanes, &range, sums, y + at[p]);
    }
    for (uint32_t p = 0; p < count && y_step != 1; p++, sums += step) {
        requantize_lanes(&lanes, &range, sums, made);
        for (uint32_t i = 0; i < GM_LANES; i++) {
            y[at[p] + i * y_step] = made[i];
        }
    }
}

GM_SIMD_INLINE void requantize_pixels(void *kernel, const size_t *at, uint32_t count, uint32_t output, uint32_t outputs,
                                      const uint32_t *sums, uint32_t step)
{
    const conv_s8_kernel *c = kernel;
    uint32_t m = 0;
    for (; outputs - m >= GM_LANES; m += GM_LANES) {
        requantize_vector(c, at, count, output + m, sums + m, step);
    }
    for (; m < outputs; m++) {
        uint32_t channel = output + m;
        for (uint32_t p = 0; p < count; p++) {
            uint32_t sum = gm_start_of_sum(&c->r, channel) + sums[p * step + m];
            c->y[at[p] + (size_t)channel * c->y_step] = gm_requantized(&c->r, channel, sum);
        }
    }
}

static GM_SIMD_TARGET void conv_s8_group(gm_s16_windows *windows, conv_s8_kernel *kernel)
{
    gm_s16_all_phases(windows, kernel, read_inputs, requantize_pixels);
}

static GM_SIMD_TARGET void conv_s8_depthwise(gm_s16_windows *windows, conv_s8_kernel *kernel)
{
    gm_s16_depthwise_groups(windows, kernel->insn->groups, kernel->insn->w_group, kernel, read_pairs_of_inputs,
                            requantize_pixels);
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
    windows.target = (gm_layout){insn->y_batch, insn->y_h, insn->y_w, insn->y_group, insn->y_channel};
    windows.w_output = insn->w_out_channel, windows.w_input = insn->w_in_channel;
    if (insn->in_channels == 1 && insn->out_channels == 1 && insn->groups >= GM_LANES && insn->x_group == 1 &&
        gm_s16_suits_depthwise(&windows)) {
        kernel.y_step = insn->y_group;
        memset(kernel.outside, kernel.x_zero, sizeof kernel.outside);
        conv_s8_depthwise(&windows, &kernel);
    } else {
        conv_s8_by_groups(&windows, &kernel);
    }
    return 1;
}

#endif
