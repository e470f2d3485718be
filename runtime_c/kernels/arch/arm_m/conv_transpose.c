/* CONV_TRANSPOSE on Cortex-M with FPU: as conv.c, with the sides changed. No loop divides by the
 * stride. */
#include "../helium/helium.h"
#include "blocks/taps.h"
#include "blocks/strided_loop.h"

#if GM_WITH_CONV_TRANSPOSE && GM_ARCH_ARM_M

/* A sum over output channels for each kernel tap. */
static void add_transposed_tap_product(const gm_insn_conv_transpose *insn, const float *y, const float *w, float *x,
                                       const gm_tap *tap)
{
    const gm_product p = {
        .rows = tap->rows, .columns = tap->columns, .sums = insn->out_channels, .outputs = insn->in_channels,
        .in = { tap->y_row, tap->y_column, insn->y_channel },
        .out = { tap->x_row, tap->x_column, insn->x_channel },
        .w_in = insn->w_out_channel, .w_out = insn->w_in_channel, .taps = 1,
    };
    gm_tap_product(&p, y + tap->y, w, x + tap->x);
}

/* One channel and one output channel in each group, groups contiguous. */
static void add_transposed_depthwise_tap(const gm_insn_conv_transpose *insn, const float *y, const float *w, float *x,
                                         const gm_tap *tap)
{
    const gm_loop loop = { tap->rows, tap->columns, tap->y_row, tap->y_column, tap->x_row, tap->x_column };
    gm_loop_scaled(&loop, y + tap->y, x + tap->x, insn->groups, w, insn->w_group);
}

static void add_each_transposed_tap(const gm_insn_conv_transpose *insn, const float *y, const float *w, float *x,
                                    int is_depthwise)
{
    const gm_window window = GM_WINDOW(insn);
    const gm_layout x_layout = { 0, insn->x_h, insn->x_w, 0, 0 }, y_layout = { 0, insn->y_h, insn->y_w, 0, 0 };
    for (uint32_t k = 0; k < insn->kernel_h; k++) {
        for (uint32_t l = 0; l < insn->kernel_w; l++) {
            gm_tap tap = gm_tap_of(&window, &x_layout, &y_layout, k, l);
            if (tap.rows > 0) {
                const float *at = w + k * insn->w_h + l * insn->w_w;
                if (is_depthwise) {
                    add_transposed_depthwise_tap(insn, y, at, x, &tap);
                } else {
                    add_transposed_tap_product(insn, y, at, x, &tap);
                }
            }
        }
    }
}

/* One sample and group; depthwise all groups at once. */
static void group(const gm_insn_conv_transpose *insn, const float *y, const float *w, const float *bias, float *x,
                  int is_depthwise)
{
    const gm_product all = { .rows = insn->in_h, .columns = insn->in_w,
                             .outputs = is_depthwise ? insn->groups : insn->in_channels,
                             .out = { insn->x_h, insn->x_w, is_depthwise ? 1 : insn->x_channel } };
    if (!insn->accumulate) {
        gm_start_pixels(&all, bias, x);
    }
    if (!(is_depthwise ? gm_helium_depthwise_transpose(insn, y, w, bias, x)
                       : gm_helium_conv_transpose(insn, y, w, x))) {
        add_each_transposed_tap(insn, y, w, x, is_depthwise);
    }
    gm_add_zero_to_pixels(&all, x); /* a pixel that no window saw is 0, not -0 */
}

int gm_kernel_conv_transpose(const struct gm_session *session, const void *instruction)
{
    const gm_insn_conv_transpose *insn = instruction;
    const float *y = gm_f32(session, insn->y), *w = gm_f32(session, insn->w);
    const float *bias = gm_f32_optional(session, insn->bias);
    float *x = gm_f32_out(session, insn->x);
    int is_depthwise = insn->in_channels == 1 && insn->out_channels == 1 && insn->x_group == 1 && insn->y_group == 1;
    uint32_t groups = is_depthwise ? 1 : insn->groups;
    for (uint32_t b = 0; b < insn->batch; b++) {
        for (uint32_t g = 0; g < groups; g++) {
            group(insn, y + b * insn->y_batch + g * insn->y_group, w + g * insn->w_group,
                  bias ? bias + g * insn->in_channels : NULL, x + b * insn->x_batch + g * insn->x_group, is_depthwise);
        }
    }
    return GM_OK;
}

#endif
