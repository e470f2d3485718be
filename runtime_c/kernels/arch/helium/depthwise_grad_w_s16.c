/*
 * Depthwise CONV_GRAD_W_S16 with Helium, four channels after another. For each tap, a row of output
 * gradients is multiplied by a row of inputs, in which columns with the same remainder modulo the
 * stride are contiguous.
 */
#include "../../../generated/instructions/conv_grad_w_s16.h"
#include "conv_grad_s16.h"

#include "../arm_m/blocks/depthwise_weights.h"
#include "blocks/column_products.h"

#if GM_ARCH_CONV_GRAD_W_S16 && GM_ARCH_HELIUM

/* Outputs whose products fit an int32 sum, whatever the values are. */
enum { OUTPUTS_OF_A_SUM = 256, COLUMN_NUMBERS = GM_COLUMN_CHANNELS };

/* The panel: 64-bit sums, then 32-bit sums, a row of gradients, rows of inputs. */
typedef struct depthwise_columns {
    const gm_insn_conv_grad_w_s16 *insn;
    gm_column_products products; /* what all rows share */
    uint32_t run, row;           /* columns with one remainder, and elements of a row of inputs */
    uint32_t sum_count;
    int64_t *long_sums;          /* by tap, then channel */
    uint32_t *sums;
    int16_t *dy, *x;
} depthwise_columns;

/* ---- Rows ------------------------------------------------------------------------------------ */

static void pack_zero_columns(int16_t *to, uint32_t n)
{
    for (; n > 0; n--, to += COLUMN_NUMBERS) {
        __builtin_memset(to, 0, COLUMN_NUMBERS * sizeof *to);
    }
}

/* The columns of a row of inputs with one remainder, counted from the padding on. */
static void pack_run(const depthwise_columns *d, const int8_t *x, uint32_t remainder, int16_t *to)
{
    const gm_insn_conv_grad_w_s16 *insn = d->insn;
    uint32_t stride = insn->stride_w, before = 0, inside = 0;
    if (remainder < insn->pad_w) {
        before = (insn->pad_w - remainder + stride - 1) / stride;
    }
    before = x == NULL || before > d->run ? d->run : before;
    uint32_t first = before * stride + remainder - insn->pad_w;
    if (before < d->run && first < insn->in_w) {
        inside = (insn->in_w - first + stride - 1) / stride;
        inside = inside < d->run - before ? inside : d->run - before;
        gm_widen_columns(to + before * COLUMN_NUMBERS, x + first * insn->x_w, inside, stride * insn->x_w, COLUMN_NUMBERS,
                         gm_nearest_int8(insn->x_zero));
    }
    pack_zero_columns(to, before);
    pack_zero_columns(to + (before + inside) * COLUMN_NUMBERS, d->run - before - inside);
}

/* One row of inputs, or NULL: zeros. */
static void pack_row_of_inputs(const depthwise_columns *d, const int8_t *x, int16_t *to)
{
    uint32_t runs = d->insn->stride_w < d->insn->kernel_w ? d->insn->stride_w : d->insn->kernel_w;
    for (uint32_t remainder = 0; remainder < runs; remainder++) {
        pack_run(d, x, remainder, to + remainder * d->run * COLUMN_NUMBERS);
    }
}

static void pack_row_of_columns(const depthwise_columns *d, const int16_t *dy)
{
    int16_t *to = d->dy;
    for (uint32_t left = d->insn->out_w; left > 0; left--, dy += d->insn->y_w, to += COLUMN_NUMBERS) {
        __builtin_memcpy(to, dy, COLUMN_NUMBERS * sizeof *to);
    }
}

/* All taps of a row of outputs. */
static void add_row_of_outputs(depthwise_columns *d, uint32_t o)
{
    const gm_insn_conv_grad_w_s16 *insn = d->insn;
    uint32_t stride = insn->stride_w, columns = insn->kernel_w;
    for (uint32_t k = 0; k < insn->kernel_h; k++) {
        uint32_t row = o * insn->stride_h + k;
        const int16_t *x = d->x + row % insn->kernel_h * d->row;
        for (uint32_t l = 0; l < stride && l < columns && row - insn->pad_h < insn->in_h; l++) {
            d->products.x = x + l * d->run * COLUMN_NUMBERS;
            d->products.sums = d->sums + (k * columns + l) * COLUMN_NUMBERS;
            d->products.taps = (columns - l + stride - 1) / stride;
            gm_add_column_products(&d->products);
        }
    }
}

/* Adds the sums to the 64-bit sums, and resets them. */
static void keep_column_sums(const depthwise_columns *d)
{
    for (uint32_t i = 0; i < d->sum_count; i++) {
        d->long_sums[i] += (int32_t)d->sums[i];
        d->sums[i] = 0;
    }
}

/* One sample of these channels. */
static void add_each_row_of_outputs(depthwise_columns *d, const int8_t *x, const int16_t *dy)
{
    const gm_insn_conv_grad_w_s16 *insn = d->insn;
    uint32_t next = 0, outputs = 0;
    for (uint32_t o = 0; o < insn->out_h; o++) {
        uint32_t first = o * insn->stride_h;
        for (next = next < first ? first : next; next < first + insn->kernel_h; next++) {
            uint32_t i = next - insn->pad_h;
            pack_row_of_inputs(d, i < insn->in_h ? x + i * insn->x_h : NULL, d->x + next % insn->kernel_h * d->row);
        }
        outputs += insn->out_w;
        if (outputs > OUTPUTS_OF_A_SUM) {
            keep_column_sums(d);
            outputs = insn->out_w;
        }
        pack_row_of_columns(d, dy + o * insn->y_h);
        add_row_of_outputs(d, o);
    }
    keep_column_sums(d);
}

/* ---- The choice ------------------------------------------------------------------------------ */

static int suits_columns(const gm_insn_conv_grad_w_s16 *insn)
{
    return insn->in_channels == 1 && insn->out_channels == 1 && insn->groups % COLUMN_NUMBERS == 0 && insn->x_group == 1 &&
           insn->y_group == 1 && insn->dilation_h == 1 && insn->dilation_w == 1 && insn->kernel_h <= 255 &&
           insn->kernel_w <= 255 && insn->out_w <= OUTPUTS_OF_A_SUM;
}

/* Returns 0 if the panel is too small. */
static int divide_panel_of_columns(const struct gm_session *session, depthwise_columns *d)
{
    const gm_insn_conv_grad_w_s16 *insn = d->insn;
    uint32_t stride = insn->stride_w, runs = stride < insn->kernel_w ? stride : insn->kernel_w;
    uint32_t run = insn->out_w + (insn->kernel_w - 1) / stride, times = (insn->out_w + 7) / GM_COLUMNS_AT_ONCE;
    uint32_t *panel = (uint32_t *)(void *)(session->arena + insn->panel);
    panel += (uintptr_t)panel / 4 % 2; /* 64-bit sums are aligned */
    d->sum_count = insn->kernel_h * insn->kernel_w * COLUMN_NUMBERS;
    d->run = run, d->row = runs * run * COLUMN_NUMBERS;
    uint32_t dy_words = times * GM_COLUMNS_AT_ONCE * COLUMN_NUMBERS / 2, beyond = dy_words - insn->out_w * COLUMN_NUMBERS / 2;
    if (3 * d->sum_count + 1 + dy_words + (uint64_t)insn->kernel_h * d->row / 2 + beyond > insn->panel_words) {
        return 0;
    }
    d->long_sums = (int64_t *)(void *)panel, d->sums = panel + 2 * d->sum_count;
    d->dy = (int16_t *)(void *)(d->sums + d->sum_count), d->x = d->dy + 2 * dy_words;
    d->products.dy = d->dy, d->products.times = times;
    d->products.sums_step = stride * COLUMN_NUMBERS * (uint32_t)sizeof(uint32_t);
    pack_zero_columns(d->dy, times * GM_COLUMNS_AT_ONCE);
    return 1;
}

int gm_helium_depthwise_grad_w_s16(const struct gm_session *session, const gm_insn_conv_grad_w_s16 *insn,
                                   const gm_weight_gradients *made)
{
    depthwise_columns d = {.insn = insn};
    if (!suits_columns(insn) || !divide_panel_of_columns(session, &d)) {
        return 0;
    }
    for (uint32_t first = 0; first < insn->groups; first += COLUMN_NUMBERS) {
        pack_zero_columns((int16_t *)d.long_sums, 3 * d.sum_count / 2);
        for (uint32_t b = 0; b < insn->batch; b++) {
            add_each_row_of_outputs(&d, gm_i8(session, insn->x) + b * insn->x_batch + first,
                                    gm_i16(session, insn->dy) + b * insn->y_batch + first);
        }
        gm_store_depthwise_weights(session, insn, made, d.long_sums, first, COLUMN_NUMBERS);
    }
    return 1;
}

#endif
