/*
 * CONV on Cortex-M with FPU: for each kernel cell, in their order, all outputs that it reaches take their products with
 * it. So each output has one sum, in the order of docs/NUMERICS.md, and no loop asks where the input ends.
 */
#include "../arch.h"
#include "taps.h"
#include "walk.h"

#if GM_WITH_CONV && GM_ARCH_ARM_M

typedef struct conv {
    const gm_insn_conv *insn;
    gm_window window;
    gm_layout x, y;
} conv;

static gm_product product_of(const gm_insn_conv *insn)
{
    return (gm_product){
        .rows = insn->out_h, .columns = insn->out_w, .sums = insn->channels, .outputs = insn->maps,
        .in = { insn->stride_h * insn->x_h, insn->stride_w * insn->x_w, insn->x_channel },
        .out = { insn->y_h, insn->y_w, insn->y_map },
        .w_in = insn->w_channel, .w_out = insn->w_map,
    };
}

/* What is done for one kernel cell: its rectangle, from x, w and y at its place. */
enum way { SUMS_OF_CHANNELS, CHANNEL_BY_CHANNEL, DEPTHWISE };

static void sums_of_channels(const gm_insn_conv *insn, const gm_tap *tap, const float *x, const float *w, float *y)
{
    gm_product p = product_of(insn);
    p.rows = tap->rows, p.columns = tap->columns;
    gm_tap_product(&p, x, w, y);
}

/* Channels one after another, where they are few: all maps of a pixel take their product with one x. */
static void channel_by_channel(const gm_insn_conv *insn, const gm_tap *tap, const float *x, const float *w, float *y)
{
    const gm_walk walk = { tap->rows, tap->columns, tap->x_row, tap->x_column, tap->y_row, tap->y_column };
    for (uint32_t c = 0; c < insn->channels; c++) {
        gm_walk_outer(&walk, x + c * insn->x_channel, y, insn->maps, w + c * insn->w_channel, insn->w_map);
    }
}

/* One channel and one map in each group, groups contiguous. */
static void depthwise(const gm_insn_conv *insn, const gm_tap *tap, const float *x, const float *w, float *y)
{
    const gm_walk walk = { tap->rows, tap->columns, tap->x_row, tap->x_column, tap->y_row, tap->y_column };
    gm_walk_scaled(&walk, x, y, insn->groups, w, insn->w_group);
}

static void add_cell(const gm_insn_conv *insn, const gm_tap *tap, const float *x, const float *w, float *y, enum way way)
{
    if (way == DEPTHWISE) {
        depthwise(insn, tap, x, w, y);
    } else if (way == CHANNEL_BY_CHANNEL) {
        channel_by_channel(insn, tap, x, w, y);
    } else {
        sums_of_channels(insn, tap, x, w, y);
    }
}

static void each_cell(const conv *c, const float *x, const float *w, float *y, enum way way)
{
    const gm_insn_conv *insn = c->insn;
    for (uint32_t k = 0; k < insn->kernel_h; k++) {
        for (uint32_t l = 0; l < insn->kernel_w; l++) {
            gm_tap tap = gm_tap_of(&c->window, &c->x, &c->y, k, l);
            if (tap.rows > 0) {
                add_cell(insn, &tap, x + tap.x, w + k * insn->w_h + l * insn->w_w, y + tap.y, way);
            }
        }
    }
}

/* One sample; depthwise all groups at once. */
static void sample(const conv *c, const float *x, const float *w, const float *bias, float *y)
{
    const gm_insn_conv *insn = c->insn;
    gm_product all = product_of(insn);
    int is_depthwise = insn->channels == 1 && insn->maps == 1 && insn->x_group == 1 && insn->y_group == 1;
    int few = insn->channels < 4 && insn->y_map == 1;
    uint32_t groups = is_depthwise ? 1 : insn->groups;
    if (is_depthwise) {
        all.outputs = insn->groups, all.out.channel = 1;
    }
    for (uint32_t g = 0; g < groups; g++) {
        gm_start_pixels(&all, bias ? bias + g * insn->maps : NULL, y);
        each_cell(c, x, w, y, is_depthwise ? DEPTHWISE : few ? CHANNEL_BY_CHANNEL : SUMS_OF_CHANNELS);
        if (insn->activation == GM_ACTIVATION_RELU) {
            gm_relu_pixels(&all, y);
        }
        x += insn->x_group, w += insn->w_group, y += insn->y_group;
    }
}

int gm_kernel_conv(const struct gm_session *session, const void *instruction)
{
    const gm_insn_conv *insn = instruction;
    const conv c = {
        .insn = insn,
        .window = GM_WINDOW(insn),
        .x = { insn->x_batch, insn->x_h, insn->x_w, insn->x_group, insn->x_channel },
        .y = { insn->y_batch, insn->y_h, insn->y_w, insn->y_group, insn->y_map },
    };
    const float *x = gm_f32(session, insn->x), *w = gm_f32(session, insn->w);
    const float *bias = gm_f32_optional(session, insn->bias);
    float *y = gm_f32_out(session, insn->y);
    for (uint32_t b = 0; b < insn->batch; b++) {
        sample(&c, x + b * insn->x_batch, w, bias, y + b * insn->y_batch);
    }
    return GM_OK;
}

#endif
