/*
 * CONV on Cortex-M with FPU: for each kernel tap or row in order, all outputs that it reaches take
 * their products with it. So each output has one sum, in the order of docs/NUMERICS.md, and no
 * inner loop checks the input's bounds.
 */
#include "../../../generated/instructions/conv.h"
#include "../helium/helium.h"
#include "blocks/taps.h"
#include "blocks/strided_loop.h"

#if GM_WITH_CONV && GM_ARCH_ARM_M

typedef struct conv_geometry {
    const gm_insn_conv *insn;
    gm_window window;
    gm_layout x, y;
} conv_geometry;

static gm_product product_of_conv(const gm_insn_conv *insn)
{
    return (gm_product){
        .rows = insn->out_h, .columns = insn->out_w, .sums = insn->in_channels, .outputs = insn->out_channels,
        .in = { insn->stride_h * insn->x_h, insn->stride_w * insn->x_w, insn->x_channel },
        .out = { insn->y_h, insn->y_w, insn->y_channel },
        .w_in = insn->w_in_channel, .w_out = insn->w_out_channel,
    };
}

/* ---- One kernel tap after another ------------------------------------------------------------ */

static void sums_of_channels(const gm_insn_conv *insn, const gm_tap *tap, const float *x, const float *w, float *y)
{
    gm_product p = product_of_conv(insn);
    p.rows = tap->rows, p.columns = tap->columns;
    gm_tap_product(&p, x, w, y);
}

static gm_loop loop_of(const gm_tap *tap)
{
    const gm_loop loop = { tap->rows, tap->columns, tap->x_row, tap->x_column, tap->y_row, tap->y_column };
    return gm_turned(&loop);
}

/* One channel and one output channel in each group; groups are contiguous. */
static void add_depthwise_taps(const gm_insn_conv *insn, const gm_loop *loop, uint32_t taps, const float *x,
                               const float *w, float *y)
{
    const gm_scaled_taps scaled = { taps, insn->dilation_w * insn->x_w, insn->w_w, insn->w_group };
    gm_loop_scaled_taps(loop, &scaled, x, y, insn->groups, w);
}

static void add_conv_tap(const gm_insn_conv *insn, const gm_tap *tap, const float *x, const float *w, float *y,
                         int is_depthwise)
{
    if (GM_WITH_DEPTHWISE && is_depthwise) {
        const gm_loop loop = loop_of(tap);
        add_depthwise_taps(insn, &loop, 1, x, w, y);
    } else {
        sums_of_channels(insn, tap, x, w, y);
    }
}

/* A separate function, as the next one is, so that neither has the other's
 * variables on its stack. */
__attribute__((noinline)) static void add_each_tap(const conv_geometry *c, const float *x, const float *w, float *y,
                                                   int is_depthwise)
{
    const gm_insn_conv *insn = c->insn;
    for (uint32_t k = 0; k < insn->kernel_h; k++) {
        for (uint32_t l = 0; l < insn->kernel_w; l++) {
            gm_tap tap = gm_tap_of(&c->window, &c->x, &c->y, k, l);
            if (tap.rows > 0) {
                add_conv_tap(insn, &tap, x + tap.x, w + k * insn->w_h + l * insn->w_w, y + tap.y, is_depthwise);
            }
        }
    }
}

/* ---- The taps of a kernel row at once -------------------------------------------------------- */

/* Whether the channels are three planes with contiguous columns. */
static int has_planes(const gm_insn_conv *insn)
{
    return GM_ARCH_PLANES && insn->in_channels == 3 && insn->x_w == 1;
}

/* Returns whether a kernel row should be treated as one tap with more channels: its inputs
 * are few and contiguous in x or in planes, output channels are adjacent, and outputs have
 * at least 16 pixels. */
static int taps_are_neighbours(const gm_insn_conv *insn)
{
    return insn->in_channels < 16 && insn->kernel_w * insn->in_channels <= 36 &&
           (((insn->x_channel == 1 || insn->in_channels == 1) && insn->x_w == insn->in_channels) || has_planes(insn)) &&
           insn->dilation_w == 1 && insn->y_channel == 1 && insn->out_h * insn->out_w >= 16;
}

/* The number of taps of a row within a distance from the first of them. */
static uint32_t taps_before(const gm_window *w, uint32_t distance)
{
    uint32_t taps = (distance + w->dilation_w - 1) / w->dilation_w;
    return gm_smaller(taps, w->kernel_w);
}

/* The kernel's columns inside the input at an output column; none if first is not below end. */
static gm_span taps_inside(const gm_window *w, uint32_t column)
{
    uint32_t left = column * w->stride_w, reach = w->in_w + w->pad_w;
    return (gm_span){ taps_before(w, left < w->pad_w ? w->pad_w - left : 0), taps_before(w, left < reach ? reach - left : 0) };
}

/* Output columns that see the same taps of a kernel row. x and y: offsets of the first output, and
 * of its input at the row's first tap, which may be outside the input. */
typedef struct part_of_row {
    gm_span taps;
    uint32_t x, y;
    gm_loop loop;
} part_of_row;

/* Parts that share a copy of the weights. */
#define PARTS 3

/* Returns the number of parts from output column *column on, at most PARTS, and
 * advances *column past them. The columns that see all taps are one part; every other
 * column is a part of its own. */
static uint32_t next_parts(const conv_geometry *c, uint32_t k, uint32_t *column, part_of_row *parts)
{
    const gm_window *w = &c->window;
    uint32_t end = gm_valid_outputs(w->kernel_w - 1, w->stride_w, w->dilation_w, w->pad_w, w->in_w, w->out_w).end;
    uint32_t count = 0, x_tap = w->dilation_w * c->x.w;
    while (*column < w->out_w && count < PARTS) {
        gm_span columns = { *column, *column + 1 }, taps = taps_inside(w, *column);
        if (taps.end - taps.first == w->kernel_w) {
            columns.end = end;
        }
        gm_tap tap = gm_tap_of_columns(w, &c->x, &c->y, k, taps.first, columns);
        part_of_row *part = &parts[count];
        part->taps = taps, part->x = tap.x - taps.first * x_tap, part->y = tap.y, part->loop = loop_of(&tap);
        count += tap.rows > 0 && taps.first < taps.end;
        *column = columns.end;
    }
    return count;
}

/* Returns the number of kernel rows, from k on, to do together: two if they are inside the input
 * for the same outputs, have three inputs each, and multiply and add are separate. */
static uint32_t rows_together(const conv_geometry *c, uint32_t k)
{
    const gm_window *w = &c->window;
    if (!GM_APART || has_planes(c->insn) || w->kernel_w * c->insn->in_channels != 3 || k + 1 == w->kernel_h) {
        return 1;
    }
    gm_span first = gm_rows_of_tap(w, k), second = gm_rows_of_tap(w, k + 1);
    return first.first == second.first && first.end == second.end ? 2 : 1;
}

/* Inputs of a kernel row whose weights are copied at once. */
#define ROW_PANEL_INPUTS 24

/* The weights of some inputs of a kernel row for `outputs` outputs, followed by
 * those of the next row. */
typedef struct row_panel {
    gm_span inputs;
    uint32_t outputs;
    float weights[4 * ROW_PANEL_INPUTS];
} row_panel;

/* One part's products with a panel's inputs in its first `rows` kernel rows. */
static void add_part_of_panel(const gm_insn_conv *insn, const part_of_row *part, const row_panel *panel, uint32_t rows,
                              const float *x, float *y)
{
    const gm_span inputs = panel->inputs;
    uint32_t begin = part->taps.first * insn->in_channels, end = part->taps.end * insn->in_channels;
    uint32_t next = insn->dilation_h * insn->x_h, all = inputs.end - inputs.first, outputs = panel->outputs;
    uint32_t first = begin > inputs.first ? begin : inputs.first, last = gm_smaller(end, inputs.end);
    if (first >= last) {
        return;
    }
    const float *w = panel->weights + (first - inputs.first) * outputs;
    x += part->x + (has_planes(insn) ? first / 3 : first), y += part->y;
    if (has_planes(insn)) {
        gm_add_planes(&part->loop, insn->x_channel, x, w, y, (last - first) / 3, outputs);
        return;
    }
    if (GM_APART && rows == 2 && outputs == 4 && last - first == all) {
        gm_add_two_rows(&part->loop, next, x, w, y);
        return;
    }
    for (uint32_t row = 0; row < rows; row++, x += next, w += all * outputs) {
        gm_add_panel(&part->loop, 1, x, w, y, last - first, outputs);
    }
}

/* All parts, panel by panel. A separate function, so that the other paths of a convolution do not
 * have the panel on their stack. */
__attribute__((noinline)) static void add_parts(const gm_insn_conv *insn, const part_of_row *parts, uint32_t count,
                                                uint32_t rows, const float *x, const float *w, float *y)
{
    row_panel panel;
    uint32_t all = insn->kernel_w * insn->in_channels;
    gm_row_weights weights = { insn->in_channels, insn->w_w, insn->w_in_channel, insn->w_out_channel };
    if (insn->in_channels == 1) { /* one tap with as many inputs is faster to copy */
        weights.inputs_of_tap = insn->kernel_w, weights.input = insn->w_w;
    }
    for (uint32_t first = 0; first < all; first += ROW_PANEL_INPUTS) {
        panel.inputs = (gm_span){ first, gm_smaller(first + ROW_PANEL_INPUTS, all) };
        for (uint32_t n = 0; n < insn->out_channels; n += panel.outputs) {
            float *to = panel.weights;
            for (uint32_t row = 0; row < rows; row++, to += panel.outputs * all) {
                panel.outputs = gm_gather_panel(&weights, w + row * insn->w_h + n * insn->w_out_channel,
                                                insn->out_channels - n, panel.inputs, to);
            }
            for (uint32_t i = 0; i < count; i++) {
                add_part_of_panel(insn, &parts[i], &panel, rows, x, y + n);
            }
        }
    }
}

/* How to add the products with adjacent taps of a kernel row: by plain blocks, by vector blocks,
 * with Helium and flushed subnormals, or by the taps of a depthwise convolution. */
enum row_of_taps { BLOCKS, VECTOR_BLOCKS, DEPTHWISE_BLOCKS };

/* Whether plain blocks are the only kind, so that firmware does without the code to choose. */
#define ALWAYS_BLOCKS (!GM_ARCH_HELIUM && !GM_WITH_DEPTHWISE)

/* One part; parts share nothing. */
static void add_part(const gm_insn_conv *insn, const part_of_row *part, const float *x, const float *w, float *y,
                     enum row_of_taps as)
{
    uint32_t taps = part->taps.end - part->taps.first;
    x += part->x + part->taps.first * insn->dilation_w * insn->x_w, w += part->taps.first * insn->w_w, y += part->y;
#if GM_ARCH_HELIUM
    if (as == VECTOR_BLOCKS) {
        gm_product p = product_of_conv(insn);
        const gm_loop *loop = &part->loop;
        p.rows = loop->rows, p.columns = loop->columns, p.taps = taps, p.w_tap = insn->w_w;
        p.in.row = loop->a_row, p.in.column = loop->a_column, p.out.row = loop->b_row, p.out.column = loop->b_column;
        gm_helium_add_blocks(&p, insn->x_w, x, w, y);
        return;
    }
#endif
    (void)as;
    add_depthwise_taps(insn, &part->loop, taps, x, w, y);
}

/* A separate function, as add_each_tap() is. */
__attribute__((noinline)) static void add_each_kernel_row(const conv_geometry *c, const float *x, const float *w,
                                                          float *y, enum row_of_taps as)
{
    part_of_row parts[PARTS];
    for (uint32_t k = 0, rows; k < c->insn->kernel_h; k += rows, w += rows * c->insn->w_h) {
        rows = ALWAYS_BLOCKS || as == BLOCKS ? rows_together(c, k) : 1;
        for (uint32_t column = 0; column < c->window.out_w;) {
            uint32_t count = next_parts(c, k, &column, parts);
            if (ALWAYS_BLOCKS || as == BLOCKS) {
                add_parts(c->insn, parts, count, rows, x, w, y);
                continue;
            }
            for (uint32_t i = 0; i < count; i++) {
                add_part(c->insn, &parts[i], x, w, y, as);
            }
        }
    }
}

static void each_product(const conv_geometry *c, const float *x, const float *w, float *y, int is_depthwise)
{
    if (is_depthwise ? GM_ARCH_SCALED_TAPS : taps_are_neighbours(c->insn)) {
        add_each_kernel_row(c, x, w, y, is_depthwise ? DEPTHWISE_BLOCKS : BLOCKS);
    } else {
        add_each_tap(c, x, w, y, is_depthwise);
    }
}

#if GM_ARCH_HELIUM

/* For longer sums, tiles are better. With one input channel, a block takes a whole kernel row. */
#define SHORT_SUM(insn) ((insn)->in_channels == 1 ? 54u : 27u)

/* Short sums by vector blocks. Returns 0 if they do not apply, or subnormals were
 * flushed; y is started. */
static int by_vectors(const conv_geometry *c, const gm_product *all, const float *x, const float *w, const float *bias,
                      float *y)
{
    const gm_insn_conv *insn = c->insn;
    if (insn->in_channels * insn->kernel_h * insn->kernel_w > SHORT_SUM(insn) || insn->out_channels % 4 > 0 ||
        insn->y_channel != 1 ||
        insn->dilation_w != 1 || insn->out_h * insn->out_w < 8) {
        return 0;
    }
    gm_helium_forget_flushed();
    add_each_kernel_row(c, x, w, y, VECTOR_BLOCKS);
    if (gm_helium_flushed()) {
        gm_start_pixels(all, bias, y);
        return 0;
    }
    return 1;
}

static int with_helium(const conv_geometry *c, const gm_product *all, const float *x, const float *w, const float *bias,
                       float *y)
{
    return by_vectors(c, all, x, w, bias, y) || gm_helium_conv(c->insn, x, w, y);
}

/* The same for outputs that are not started. */
static int with_helium_from_start(const gm_insn_conv *insn, const float *x, const float *w, const float *bias, float *y,
                                  int is_depthwise)
{
    return is_depthwise ? gm_helium_depthwise(insn, x, w, bias, y) : !bias && gm_helium_conv_from_empty(insn, x, w, y);
}

#else
#define with_helium(c, all, x, w, bias, y) 0
#define with_helium_from_start(insn, x, w, bias, y, is_depthwise) 0
#endif

/* One sample; depthwise, all groups at once. */
static void sample(const conv_geometry *c, const float *x, const float *w, const float *bias, float *y)
{
    const gm_insn_conv *insn = c->insn;
    gm_product all = product_of_conv(insn);
    int is_depthwise = GM_WITH_DEPTHWISE && insn->in_channels == 1 && insn->out_channels == 1 && insn->x_group == 1 &&
                       insn->y_group == 1;
    uint32_t groups = is_depthwise ? 1 : insn->groups;
    if (is_depthwise) {
        all.outputs = insn->groups, all.out.channel = 1;
    }
    for (uint32_t g = 0; g < groups; g++) {
        const float *bias_at = bias ? bias + g * insn->out_channels : NULL;
        if (!with_helium_from_start(insn, x, w, bias_at, y, is_depthwise)) {
            gm_start_pixels(&all, bias_at, y);
            if (is_depthwise || !with_helium(c, &all, x, w, bias_at, y)) {
                each_product(c, x, w, y, is_depthwise);
            }
        }
        if (insn->activation == GM_ACTIVATION_RELU) {
            gm_relu_pixels(&all, y);
        }
        x += insn->x_group, w += insn->w_group, y += insn->y_group;
    }
}

int gm_kernel_conv(const struct gm_session *session, const void *instruction)
{
    const gm_insn_conv *insn = instruction;
    const conv_geometry c = {
        .insn = insn,
        .window = GM_WINDOW(insn),
        .x = { insn->x_batch, insn->x_h, insn->x_w, insn->x_group, insn->x_channel },
        .y = { insn->y_batch, insn->y_h, insn->y_w, insn->y_group, insn->y_channel },
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
