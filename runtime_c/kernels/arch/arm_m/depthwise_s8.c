/*
 * Depthwise CONV_S8 on Cortex-M: four channels after another; the rows under the kernel are in the
 * panel (blocks/depthwise_pixels.h), each widened once.
 */
#include "../../../generated/instructions/conv_s8.h"
#include "conv_s8.h"

#include "blocks/depthwise_3x3.h"
#include "blocks/depthwise_inputs.h"
#include "blocks/depthwise_kernel.h"
#include "blocks/depthwise_pixels.h"

#if GM_WITH_CONV_S8 && GM_ARCH_PAIRS

/* The panel: weights for kernels that begin with an even column, then with an
 * odd one, then rows. */
typedef struct depthwise_s8 {
    const gm_insn_conv_s8 *insn;
    uint32_t first; /* channel */
    gm_depthwise_kernel kernel;
    gm_depthwise_inputs inputs;
    uint32_t *panel;
} depthwise_s8;

static uint32_t *input_rows_of(const depthwise_s8 *d)
{
    return d->panel + 2 * d->kernel.set_words;
}

/* ---- Rows of outputs ------------------------------------------------------------------------- */

/* Outputs whose channels cannot be stored as one word. */
static void each_output(const depthwise_s8 *d, gm_depthwise_pixels *pixels, int8_t *y)
{
    const gm_insn_conv_s8 *insn = d->insn;
    int8_t four[GM_DEPTHWISE_CHANNELS];
    for (uint32_t column = 0; column < insn->out_w; column++, y += insn->y_w) {
        pixels->y = four, pixels->left = 1;
        gm_depthwise_row(pixels, insn->kernel_h, insn->kernel_w);
        for (uint32_t c = 0; c < d->inputs.channels; c++) {
            y[c * insn->y_group] = four[c];
        }
    }
}

static void outputs_of_row(const depthwise_s8 *d, gm_depthwise_pixels *pixels, uint32_t row, int8_t *y)
{
    const gm_insn_conv_s8 *insn = d->insn;
    uint32_t rows = insn->kernel_h, turn = row * insn->stride_h % rows;
    uint32_t *weights = d->panel + (turn > 0 ? rows - turn : 0) * GM_DEPTHWISE_CHANNELS;
    pixels->weights[0] = weights, pixels->weights[1] = weights + d->kernel.set_words;
    pixels->column = 0;
    if (d->inputs.channels < GM_DEPTHWISE_CHANNELS || insn->y_group != 1) {
        each_output(d, pixels, y);
        return;
    }
    pixels->y = y, pixels->left = insn->out_w;
    gm_depthwise_row(pixels, rows, insn->kernel_w);
}

/* One sample of four channels. Rows count from the first padding row. */
static void convolve_each_row(const depthwise_s8 *d, gm_depthwise_pixels *pixels, const int8_t *x, int8_t *y)
{
    const gm_insn_conv_s8 *insn = d->insn;
    uint32_t next = 0;
    for (uint32_t row = 0; row < insn->out_h; row++) {
        uint32_t first = row * insn->stride_h;
        for (next = next < first ? first : next; next < first + insn->kernel_h; next++) {
            uint32_t i = next - insn->pad_h, *to = input_rows_of(d) + next % insn->kernel_h * GM_DEPTHWISE_CHANNELS;
            gm_pack_depthwise_inputs(&d->inputs, i < insn->in_h ? x + i * insn->x_h : NULL, to);
        }
        outputs_of_row(d, pixels, row, y + row * insn->y_h);
    }
}

/* ---- Channels -------------------------------------------------------------------------------- */

/* The parameters of four channels; `some` holds them if fewer are left. offsets: NULL if absent. */
typedef struct channel_numbers {
    const float *multipliers, *offsets;
    const int32_t *bias;
    struct {
        float multipliers[GM_DEPTHWISE_CHANNELS], offsets[GM_DEPTHWISE_CHANNELS];
        int32_t bias[GM_DEPTHWISE_CHANNELS];
    } some;
} channel_numbers;

static const int32_t no_depthwise_bias[GM_DEPTHWISE_CHANNELS];

static void take_some(channel_numbers *n, uint32_t channels)
{
    for (uint32_t c = 0; c < GM_DEPTHWISE_CHANNELS; c++) {
        n->some.multipliers[c] = c < channels ? n->multipliers[c] : 0.0f;
        n->some.offsets[c] = c < channels && n->offsets ? n->offsets[c] : 0.0f;
        n->some.bias[c] = c < channels ? n->bias[c] : 0;
    }
    n->multipliers = n->some.multipliers, n->bias = n->some.bias;
    n->offsets = n->offsets ? n->some.offsets : NULL;
}

static void find_numbers(const struct gm_session *session, const depthwise_s8 *d, channel_numbers *n)
{
    const gm_insn_conv_s8 *insn = d->insn;
    const float *offsets = gm_f32_optional(session, insn->offsets);
    n->multipliers = gm_f32(session, insn->multipliers) + d->first;
    n->offsets = offsets ? offsets + d->first : NULL;
    n->bias = insn->bias == GM_NONE ? no_depthwise_bias : gm_i32(session, insn->bias) + d->first;
    if (d->inputs.channels < GM_DEPTHWISE_CHANNELS) {
        take_some(n, d->inputs.channels);
    }
}

/* Whether there is faster code for 3x3 kernels. */
static int takes_3x3(const depthwise_s8 *d)
{
#if GM_ARCH_DSP
    const gm_insn_conv_s8 *insn = d->insn;
    return insn->kernel_h == 3 && insn->kernel_w == 3 && insn->stride_w <= 2 && insn->y_group == 1 &&
           d->inputs.channels == GM_DEPTHWISE_CHANNELS;
#else
    (void)d;
    return 0;
#endif
}

/* Its sums are between the weights, or after all rows if more of them fit there. */
static void choose_3x3(const depthwise_s8 *d, gm_depthwise_pixels *pixels)
{
#if GM_ARCH_DSP
    uint32_t used = 2 * d->kernel.set_words + d->inputs.pairs * d->inputs.pair_words;
    uint32_t behind = (d->insn->panel_words - used) / (2 * GM_DEPTHWISE_CHANNELS) * 2;
    if (!d->kernel.is_by_pairs) {
        return;
    }
    pixels->sums = gm_words_between_3x3(d->panel);
    pixels->sums_outputs = GM_WORDS_BETWEEN_3X3 / GM_DEPTHWISE_CHANNELS;
    if (behind > pixels->sums_outputs) {
        pixels->sums = d->panel + used, pixels->sums_outputs = behind;
    }
#else
    (void)d, (void)pixels;
#endif
}

/* Whether gm_are_narrow() and GM_ALL_BYTES() hold. */
static uint32_t is_narrow(const depthwise_s8 *d, const channel_numbers *n)
{
#if GM_ARCH_DSP && !GM_ARCH_HELIUM
    const gm_insn_conv_s8 *insn = d->insn;
    float most = gm_most_of_products((float)insn->kernel_h * (float)insn->kernel_w, d->inputs.zero, d->kernel.zero);
    return GM_ALL_BYTES(insn) && gm_are_narrow(n->multipliers, n->offsets, n->bias, GM_DEPTHWISE_CHANNELS, most);
#else
    (void)d, (void)n;
    return 0;
#endif
}

static void each_sample(const struct gm_session *session, const depthwise_s8 *d)
{
    const gm_insn_conv_s8 *insn = d->insn;
    channel_numbers numbers;
    find_numbers(session, d, &numbers);
    gm_depthwise_pixels pixels = {
        .x = input_rows_of(d), .pair_bytes = 4 * d->inputs.pair_words, .stride = insn->stride_w,
        .window_bytes = 4 * gm_pairs_under(insn->kernel_w) * d->inputs.pair_words,
        .weights_skip = 4 * (insn->kernel_h - 1) * GM_DEPTHWISE_CHANNELS,
        .multipliers = numbers.multipliers, .offsets = numbers.offsets,
        .bias = numbers.bias, .y_step = insn->y_w,
        .zero = gm_twice(insn->y_zero), .low = gm_four_times(insn->low), .high = gm_four_times(insn->high),
        .range = GM_RANGE(insn), .is_narrow = is_narrow(d, &numbers),
    };
    const int8_t *x = gm_i8(session, insn->x) + d->first;
    int8_t *y = gm_i8_out(session, insn->y) + d->first * insn->y_group;
    choose_3x3(d, &pixels);
    for (uint32_t b = 0; b < insn->batch; b++) {
        convolve_each_row(d, &pixels, x + b * insn->x_batch, y + b * insn->y_batch);
    }
}

/* Returns 0 if the panel is too small. */
static int fits(const gm_insn_conv_s8 *insn, depthwise_s8 *d)
{
    uint64_t pairs = (uint64_t)(insn->out_w - 1) * insn->stride_w / 2 + insn->kernel_w / 2 + 1;
    uint64_t rows = (uint64_t)insn->kernel_h * GM_DEPTHWISE_CHANNELS;
    if (insn->kernel_h > 255 || insn->kernel_w > 255 || pairs > UINT32_MAX / rows ||
        pairs * rows + 2 * d->kernel.set_words > insn->panel_words) {
        return 0;
    }
    d->inputs.pairs = (uint32_t)pairs, d->inputs.pair_words = (uint32_t)rows;
    return 1;
}

int gm_arm_depthwise_s8(const struct gm_session *session, const gm_insn_conv_s8 *insn)
{
    depthwise_s8 d = {
        .insn = insn,
        .inputs = {.columns = insn->in_w, .step = insn->x_w, .pad = insn->pad_w, .zero = gm_nearest_int8(insn->x_zero)},
        .kernel = {.rows = insn->kernel_h, .columns = insn->kernel_w, .row_step = (int32_t)insn->w_h,
                   .column_step = (int32_t)insn->w_w, .channel_step = (int32_t)insn->w_group,
                   .zero = gm_nearest_int8(insn->w_zero), .set_words = gm_depthwise_set_words(insn->kernel_h, insn->kernel_w),
                   .is_one_row = insn->out_h == 1},
        .panel = (uint32_t *)(void *)(session->arena + insn->panel),
    };
    if (insn->in_channels != 1 || insn->out_channels != 1 || insn->x_group != 1 || insn->dilation_h != 1 ||
        insn->dilation_w != 1 || !fits(insn, &d)) {
        return 0;
    }
    for (; d.first < insn->groups; d.first += GM_DEPTHWISE_CHANNELS) {
        const int8_t *w = gm_i8(session, insn->w) + d.first * insn->w_group;
        d.inputs.channels = insn->groups - d.first < GM_DEPTHWISE_CHANNELS ? insn->groups - d.first : GM_DEPTHWISE_CHANNELS;
        d.kernel.channels = d.inputs.channels, d.kernel.is_by_pairs = takes_3x3(&d);
        gm_pack_depthwise_kernel(&d.kernel, w, d.panel);
        each_sample(session, &d);
    }
    return 1;
}

#endif
