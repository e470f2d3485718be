/* CONV_GRAD_X_S16 with vectors: the matrix product of windows of dy and weights, for each
 * phase of the strides. */
#include "../../../generated/instructions/conv_grad_x_s16.h"
#include "../../conv_grad_x_s16.h"
#include "blocks/depthwise_s16.h"
#include "blocks/gradient_lanes.h"
#include "s8.h"
#include "simd.h"

#if GM_ARCH_SIMD_S8 && GM_WITH_CONV_GRAD_X_S16

typedef struct conv_grad_x_kernel {
    const gm_grad_x_s16 *x;
    const int16_t *dy;          /* of the group */
    size_t first;               /* offset of the group in dx */
    uint32_t step;              /* from one value of a pixel to the next */
    uint32_t channel;           /* the group's first, among the channels of all groups */
    gm_lanes_made lanes;
} conv_grad_x_kernel;

GM_SIMD_INLINE const int16_t *read_gradients(const void *kernel, int16_t *room, size_t offset, uint32_t numbers,
                                             uint32_t step)
{
    const int16_t *from = ((const conv_grad_x_kernel *)kernel)->dy + offset;
    if (step == 1) {
        return from;
    }
    for (uint32_t i = 0; i < numbers; i++) {
        room[i] = from[(size_t)i * step];
    }
    return room;
}

GM_SIMD_INLINE gm_pairs read_pairs_of_gradients(const void *kernel, size_t first, size_t second)
{
    static const int16_t none[GM_LANES];
    const int16_t *dy = ((const conv_grad_x_kernel *)kernel)->dy;
    return gm_pairs_of_numbers(first != GM_S16_OUTSIDE ? dy + first : none,
                               second != GM_S16_OUTSIDE ? dy + second : none);
}

/* gm_finish_s16_sum() for GM_LANES adjacent values. */
GM_SIMD_INLINE gm_float_lanes finish_lanes(const gm_grad_x_s16 *x, const uint32_t *sums, size_t at, uint32_t channel)
{
    gm_float_lanes value = __builtin_convertvector(gm_lanes_of_words(sums), gm_float_lanes) * gm_lanes_splat(x->unit);
    if (x->addend != NULL) {
        value = value + gm_lanes_of_s16(x->addend + at) * gm_lanes_splat(x->addend_unit);
    }
    if (x->scale != NULL) {
        value = value * gm_lanes_load(x->scale + channel);
    }
    return gm_lanes_choose(gm_lanes_that_pass(&x->mask, at), value, gm_lanes_splat(0.0f));
}

GM_SIMD_INLINE void make_pixels(void *kernel, const size_t *at, uint32_t count, uint32_t output, uint32_t outputs,
                                const uint32_t *sums, uint32_t step)
{
    conv_grad_x_kernel *c = kernel;
    gm_lanes_made lanes = c->lanes;
    const gm_grad_x_s16 x = *c->x;
    size_t first = c->first + (size_t)output * c->step;
    uint32_t i = 0, channel = c->channel + output;
    for (; c->step == 1 && outputs - i >= GM_LANES; i += GM_LANES) {
        for (uint32_t p = 0; p < count; p++) {
            size_t here = first + at[p] + i;
            gm_make_lanes(&lanes, finish_lanes(&x, sums + p * step + i, here, channel + i), here);
        }
    }
    for (; i < outputs; i++) {
        for (uint32_t p = 0; p < count; p++) {
            uint32_t here = (uint32_t)(first + at[p] + (size_t)i * c->step);
            gm_make(lanes.made, lanes.to, here, gm_finish_s16_sum(&x, sums[p * step + i], here, channel + i));
        }
    }
    c->lanes = lanes;
}

static GM_SIMD_TARGET void make_group(gm_s16_windows *windows, conv_grad_x_kernel *kernel)
{
    gm_s16_all_phases(windows, kernel, read_gradients, make_pixels);
}

static GM_SIMD_TARGET void make_depthwise(gm_s16_windows *windows, conv_grad_x_kernel *kernel)
{
    const gm_insn_conv_grad_x_s16 *insn = kernel->x->insn;
    gm_s16_depthwise_groups(windows, insn->groups, insn->w_group, kernel, read_pairs_of_gradients, make_pixels);
}

static void make_groups(gm_s16_windows *windows, conv_grad_x_kernel *kernel)
{
    const gm_insn_conv_grad_x_s16 *insn = kernel->x->insn;
    for (uint32_t g = 0; g < insn->groups; g++) {
        make_group(windows, kernel);
        windows->w += insn->w_group;
        kernel->dy += insn->y_group;
        kernel->first += insn->x_group;
        kernel->channel += insn->in_channels;
    }
}

int gm_simd_conv_grad_x_s16(const gm_session *session, const gm_grad_x_s16 *x, gm_gradient_s16 *made, int16_t *dx)
{
    const gm_insn_conv_grad_x_s16 *insn = x->insn;
    gm_s16_windows windows = GM_S16_WINDOWS(session, insn, insn->out_channels, insn->in_channels);
    conv_grad_x_kernel kernel = {.x = x, .dy = x->dy, .step = insn->x_channel, .lanes = {.made = made, .to = dx}};
    if (!gm_simd_runs() || !gm_window_fits(insn->kernel_h, insn->kernel_w)) {
        return 0;
    }
    GM_TRANSPOSED_AXES(&windows.rows, &windows.columns, insn);
    windows.source = (gm_layout){insn->y_batch, insn->y_h, insn->y_w, insn->y_group, insn->y_channel};
    windows.target = (gm_layout){insn->x_batch, insn->x_h, insn->x_w, insn->x_group, insn->x_channel};
    windows.w_output = insn->w_in_channel, windows.w_input = insn->w_out_channel;
    if (insn->in_channels == 1 && insn->out_channels == 1 && insn->groups >= GM_LANES && insn->y_group == 1 &&
        gm_s16_suits_depthwise(&windows)) {
        kernel.step = insn->x_group;
        make_depthwise(&windows, &kernel);
    } else {
        make_groups(&windows, &kernel);
    }
    gm_see_lanes(&kernel.lanes);
    return 1;
}

#endif
