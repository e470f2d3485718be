/* CONV_TRANSPOSE on Cortex-M with FPU: like conv.c, with the sides swapped. No loop
 * divides by the stride. */
#include "../../../generated/instructions/conv_transpose.h"
#include "../helium/helium.h"
#include "blocks/taps.h"
#include "blocks/strided_loop.h"

#if GM_WITH_CONV_TRANSPOSE && GM_ARCH_ARM_M

/* A sum over output channels for each kernel tap. */
static void add_transposed_tap_product(const gm_insn_conv_transpose *insn, const float *y, const float *w, float *x,
                                       const gm_tap *tap)
{
    gm_product p = {
        .rows = tap->rows, .columns = tap->columns, .sums = insn->out_channels, .outputs = insn->in_channels,
        .in = { tap->y_row, tap->y_column, insn->y_channel },
        .out = { tap->x_row, tap->x_column, insn->x_channel },
        .w_in = insn->w_out_channel, .w_out = insn->w_in_channel,
    };
    gm_tap_product(&p, y + tap->y, w, x + tap->x);
}

/* One channel and one output channel in each group; groups are contiguous. */
static void add_transposed_depthwise_tap(const gm_insn_conv_transpose *insn, const float *y, const float *w, float *x,
                                         const gm_tap *tap)
{
    const gm_loop loop = { tap->rows, tap->columns, tap->y_row, tap->y_column, tap->x_row, tap->x_column };
    const gm_scaled_taps scaled = { 1, 0, 0, insn->w_group };
    gm_loop_scaled_taps(&loop, &scaled, y + tap->y, x + tap->x, insn->groups, w);
}

/* The kernel's columns that an input column meets at stride 1; none if first is not below end. */
static gm_span taps_of_column(const gm_window *w, uint32_t column)
{
    uint32_t reach = column + w->pad_w;
    uint32_t first = reach < w->out_w ? 0 : (reach - w->out_w) / w->dilation_w + 1, end = reach / w->dilation_w + 1;
    return (gm_span){ first, end < w->kernel_w ? end : w->kernel_w };
}

/* Kernel row k of a depthwise convolution with stride 1, at input columns that meet the same taps.
 * Outputs run backwards from tap to tap, and so do columns, from the last one on. */
static void add_row_of_transposed_taps(const gm_insn_conv_transpose *insn, const float *y, const float *w, float *x, uint32_t k,
                                gm_span taps, gm_span columns)
{
    gm_span rows = gm_valid_outputs(k, insn->stride_h, insn->dilation_h, insn->pad_h, insn->in_h, insn->out_h);
    if (rows.first < rows.end && taps.first < taps.end) {
        uint32_t x_row = gm_input_index(rows.first, k, insn->stride_h, insn->dilation_h, insn->pad_h);
        uint32_t y_column = columns.end - 1 + insn->pad_w - taps.first * insn->dilation_w;
        const gm_loop loop = { rows.end - rows.first, columns.end - columns.first, insn->y_h, 0 - insn->y_w,
                               insn->stride_h * insn->x_h, 0 - insn->x_w };
        const gm_loop longest = gm_turned(&loop);
        const gm_scaled_taps scaled = { taps.end - taps.first, 0 - insn->dilation_w * insn->y_w, insn->w_w, insn->w_group };
        gm_loop_scaled_taps(&longest, &scaled, y + rows.first * insn->y_h + y_column * insn->y_w,
                            x + x_row * insn->x_h + (columns.end - 1) * insn->x_w, insn->groups,
                            w + k * insn->w_h + taps.first * insn->w_w);
    }
}

static void add_each_transposed_row(const gm_insn_conv_transpose *insn, const float *y, const float *w, float *x)
{
    const gm_window window = GM_WINDOW(insn);
    for (uint32_t k = 0; k < insn->kernel_h; k++) {
        gm_span columns = { 0, 0 };
        while (columns.end < insn->in_w) {
            gm_span taps = taps_of_column(&window, columns.first), next;
            do {
                next = taps_of_column(&window, ++columns.end);
            } while (columns.end < insn->in_w && next.first == taps.first && next.end == taps.end);
            add_row_of_transposed_taps(insn, y, w, x, k, taps, columns);
            columns.first = columns.end;
        }
    }
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

/* Whether sums without a bias start from 0 instead of the empty sum. If products round separately,
 * no sum is -0 then, so + 0 would change nothing. */
#define STARTS_FROM_ZERO GM_APART

/* The outputs of `all` from their start. */
static void add_all(const gm_insn_conv_transpose *insn, const gm_product *all, const float *y, const float *w,
                    const float *bias, float *x, int is_depthwise)
{
    if (!insn->accumulate) {
        gm_start_pixels_from(all, bias, STARTS_FROM_ZERO ? 0.0f : GM_EMPTY_SUM, x);
    }
    if (is_depthwise && GM_ARCH_SCALED_TAPS && insn->stride_w == 1) {
        add_each_transposed_row(insn, y, w, x);
    } else if (is_depthwise || !gm_helium_conv_transpose(insn, y, w, x)) {
        add_each_transposed_tap(insn, y, w, x, is_depthwise);
    }
}

/* Depthwise with Helium. Without a bias, outputs start from 0, and + 0 would change nothing.
 * Returns 0 if the outputs are not final. */
static int depthwise(const gm_insn_conv_transpose *insn, const gm_product *all, const float *y, const float *w,
                     const float *bias, float *x)
{
    (void)y, (void)w; /* other processors do not read these here */
    if (!GM_ARCH_HELIUM || insn->accumulate || !gm_helium_depthwise_transpose(insn, y, w, bias, x)) {
        return 0;
    }
    if (bias) {
        gm_add_zero_to_pixels(all, x);
    }
    return 1;
}

/* One sample and group; depthwise, all groups at once. */
static void group(const gm_insn_conv_transpose *insn, const float *y, const float *w, const float *bias, float *x,
                  int is_depthwise)
{
    const gm_product all = { .rows = insn->in_h, .columns = insn->in_w,
                             .outputs = is_depthwise ? insn->groups : insn->in_channels,
                             .out = { insn->x_h, insn->x_w, is_depthwise ? 1 : insn->x_channel } };
    int from_empty = !insn->accumulate && !bias;
    if (is_depthwise ? depthwise(insn, &all, y, w, bias, x)
                     : from_empty && gm_helium_conv_transpose_from_empty(insn, y, w, x)) {
        return;
    }
    add_all(insn, &all, y, w, bias, x, is_depthwise);
    if (!STARTS_FROM_ZERO || !from_empty) {
        gm_add_zero_to_pixels(&all, x); /* a pixel that no window covers is 0, not -0 */
    }
}

int gm_kernel_conv_transpose(const struct gm_session *session, const void *instruction)
{
    const gm_insn_conv_transpose *insn = instruction;
    const float *y = gm_f32(session, insn->y), *w = gm_f32(session, insn->w);
    const float *bias = gm_f32_optional(session, insn->bias);
    float *x = gm_f32_out(session, insn->x);
    int is_depthwise = GM_WITH_DEPTHWISE && insn->in_channels == 1 && insn->out_channels == 1 && insn->x_group == 1 &&
                       insn->y_group == 1;
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
