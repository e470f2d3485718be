/*
 * Depthwise CONV_GRAD_W_S16 on Cortex-M, four channels after another. For each tap, a row of output
 * gradients is multiplied by a row of inputs, both as pairs of columns. Pairs of gradients begin
 * with an even column for the even taps, and with an odd one for the others.
 */
#include "../../../generated/instructions/conv_grad_w_s16.h"
#include "conv_grad_s16.h"

#include "blocks/depthwise_3x3.h"
#include "blocks/depthwise_inputs.h"
#include "blocks/depthwise_kernel.h"
#include "blocks/depthwise_outputs.h"
#include "blocks/depthwise_pixels.h"
#include "blocks/depthwise_weights.h"
#include "blocks/registers.h"

#if GM_ARCH_CONV_GRAD_W_S16 && GM_ARCH_PAIRS

/* Outputs whose products fit an int32 sum, whatever the values are. */
#define MOST_OUTPUTS 256u

/* The panel: 64-bit sums, then 32-bit sums, both kinds of pairs of a row of
 * gradients, rows of inputs. */
typedef struct depthwise_grad_w {
    const gm_insn_conv_grad_w_s16 *insn;
    const gm_weight_gradients *made;
    gm_depthwise_inputs inputs;
    gm_depthwise_outputs outputs;
    uint32_t pairs;          /* of a row of gradients */
    uint32_t row_words;      /* of a row of inputs */
    uint32_t sum_count;
    int64_t *long_sums;
    uint32_t *sums, *dy, *x;
    int takes_3x3;           /* with depthwise_3x3.h: 32-bit sums by channel, then tap; else by tap, then channel */
} depthwise_grad_w;

/* ---- Products -------------------------------------------------------------------------------- */

#if GM_ARCH_DSP

/* sums[c] += sum over pairs of x dy, for four channels: 9 machine instructions for 8 products. */
__attribute__((noinline)) static void add_products(uint32_t *sums, const uint32_t *x, const uint32_t *dy,
                                                   const uint32_t *x_end)
{
    register uintptr_t r0 __asm__("r0") = (uintptr_t)sums;
    register uintptr_t r1 __asm__("r1") = (uintptr_t)x;
    register uintptr_t r2 __asm__("r2") = (uintptr_t)dy;
    register uintptr_t r3 __asm__("r3") = (uintptr_t)x_end;
    __asm__ volatile(LINE("push {r0, r7}") LINE("push {r3, r7}")
                     LINE("mov r12, r1") LINE("mov lr, r2")
                     LINE("ldm r0, {r0-r3}")
                     "1:\n\t"
                     LINE("ldm r12!, {r4-r7}") LINE("ldm lr!, {r8-r11}")
                     LINE("smlad r0, r4, r8, r0") LINE("smlad r1, r5, r9, r1")
                     LINE("smlad r2, r6, r10, r2") LINE("smlad r3, r7, r11, r3")
                     LINE("ldr r4, [sp]") LINE("cmp r12, r4") LINE("bne 1b")
                     LINE("add sp, #8") LINE("pop {r4, r7}")
                     LINE("stm r4, {r0-r3}")
                     : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)
                     :
                     : "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "cc", "memory");
}

#else

/* The same, one channel after another. */
static void add_products(uint32_t *sums, const uint32_t *x, const uint32_t *dy, const uint32_t *x_end)
{
    for (const uint32_t *channels_end = x + GM_DEPTHWISE_CHANNELS; x != channels_end; x++, dy++, x_end++, sums++) {
        const int16_t *a = (const int16_t *)x, *b = (const int16_t *)dy;
        uint32_t s = *sums;
        for (; a != (const int16_t *)x_end; a += 8, b += 8) {
            s += (uint32_t)(a[0] * b[0]) + (uint32_t)(a[1] * b[1]);
        }
        *sums = s;
    }
}

/* The same for three adjacent taps, beginning with an even one: they meet the values of a
 * pair and the next one. */
static void add_three_taps(uint32_t *sums, const uint32_t *x, const uint32_t *dy, const uint32_t *x_end)
{
    for (const uint32_t *channels_end = x + GM_DEPTHWISE_CHANNELS; x != channels_end; x++, dy++, x_end++, sums++) {
        const int16_t *a = (const int16_t *)x, *b = (const int16_t *)dy;
        uint32_t s = sums[0], t = sums[GM_DEPTHWISE_CHANNELS], u = sums[2 * GM_DEPTHWISE_CHANNELS];
        for (; a != (const int16_t *)x_end; a += 8, b += 8) {
            int32_t left = b[0], right = b[1], x1 = a[1], x2 = a[8];
            s += (uint32_t)(left * a[0]) + (uint32_t)(right * x1);
            t += (uint32_t)(left * x1) + (uint32_t)(right * x2);
            u += (uint32_t)(left * x2) + (uint32_t)(right * a[9]);
        }
        sums[0] = s, sums[GM_DEPTHWISE_CHANNELS] = t, sums[2 * GM_DEPTHWISE_CHANNELS] = u;
    }
}

#endif

#if GM_ARCH_3X3_GRADIENTS

/* A row of outputs by depthwise_3x3.h. */
static void add_3x3_row(const depthwise_grad_w *d, uint32_t o)
{
    uint32_t turn = o * d->insn->stride_h % 3, pairs = GM_ARCH_DSP ? d->outputs.pairs : d->insn->out_w / 2;
    gm_depthwise_3x3_row row = {
        {NULL, NULL, NULL}, d->x, d->dy, d->dy + pairs * GM_DEPTHWISE_CHANNELS, d->insn->out_w % 2,
    };
    for (uint32_t k = 0; k < 3; k++, turn = turn < 2 ? turn + 1 : 0) {
        row.sums[turn] = d->sums + 3 * k;
    }
    gm_depthwise_3x3_gradients(&row, d->insn->stride_w);
}

#else
#define add_3x3_row(d, o) ((void)(d), (void)(o))
#endif

/* All taps of a row of outputs. */
static void add_gradient_row(const depthwise_grad_w *d, uint32_t o)
{
    const gm_insn_conv_grad_w_s16 *insn = d->insn;
    for (uint32_t k = 0; k < insn->kernel_h; k++) {
        uint32_t row = o * insn->stride_h + k;
        const uint32_t *x = d->x + row % insn->kernel_h * d->row_words;
        for (uint32_t l = 0; l < insn->kernel_w && row - insn->pad_h < insn->in_h; l++) {
            const uint32_t *from = x + l / 2 * GM_DEPTHWISE_CHANNELS;
#if !GM_ARCH_DSP
            if (l % 2 == 0 && l + 2 < insn->kernel_w) {
                add_three_taps(d->sums + (k * insn->kernel_w + l) * GM_DEPTHWISE_CHANNELS, from, d->dy,
                               from + d->pairs * GM_DEPTHWISE_CHANNELS);
                l += 2;
                continue;
            }
#endif
            add_products(d->sums + (k * insn->kernel_w + l) * GM_DEPTHWISE_CHANNELS, from, d->dy + l % 2 * d->pairs * GM_DEPTHWISE_CHANNELS,
                         from + d->pairs * GM_DEPTHWISE_CHANNELS);
        }
    }
}

/* Adds the sums to the 64-bit sums, by tap, then channel, and resets them. */
static void keep_sums(const depthwise_grad_w *d)
{
    uint32_t taps = d->sum_count / GM_DEPTHWISE_CHANNELS;
    int64_t *to = d->long_sums;
    for (uint32_t tap = 0; tap < taps; tap++) {
        for (uint32_t c = 0; c < GM_DEPTHWISE_CHANNELS; c++, to++) {
            uint32_t *sum = d->sums + (d->takes_3x3 ? c * taps + tap : tap * GM_DEPTHWISE_CHANNELS + c);
            *to += (int32_t)*sum;
            *sum = 0;
        }
    }
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void pack_depthwise_gradients(const depthwise_grad_w *d, const int16_t *dy)
{
    gm_depthwise_outputs outputs = d->outputs;
    gm_pack_depthwise_outputs(&outputs, dy, d->dy);
    if (!d->takes_3x3) {
        outputs.pad = 1;
        gm_pack_depthwise_outputs(&outputs, dy, d->dy + d->pairs * GM_DEPTHWISE_CHANNELS);
    }
}

/* One sample of these channels. */
static void add_each_row(const depthwise_grad_w *d, const int8_t *x, const int16_t *dy)
{
    const gm_insn_conv_grad_w_s16 *insn = d->insn;
    uint32_t next = 0, outputs = 0;
    for (uint32_t o = 0; o < insn->out_h; o++) {
        uint32_t first = o * insn->stride_h;
        for (next = next < first ? first : next; next < first + insn->kernel_h; next++) {
            uint32_t i = next - insn->pad_h;
            gm_pack_depthwise_inputs(&d->inputs, i < insn->in_h ? x + i * insn->x_h : NULL,
                                     d->x + next % insn->kernel_h * d->row_words);
        }
        outputs += insn->out_w;
        if (outputs > MOST_OUTPUTS) {
            keep_sums(d);
            outputs = insn->out_w;
        }
        pack_depthwise_gradients(d, dy + o * insn->y_h);
        if (d->takes_3x3) {
            add_3x3_row(d, o);
        } else {
            add_gradient_row(d, o);
        }
    }
    keep_sums(d);
}

/* ---- Channels -------------------------------------------------------------------------------- */

static void each_grad_w_channel(const struct gm_session *session, depthwise_grad_w *d)
{
    const gm_insn_conv_grad_w_s16 *insn = d->insn;
    for (uint32_t first = 0; first < insn->groups; first += GM_DEPTHWISE_CHANNELS) {
        uint32_t left = insn->groups - first;
        d->inputs.channels = d->outputs.channels = left < GM_DEPTHWISE_CHANNELS ? left : GM_DEPTHWISE_CHANNELS;
        for (uint32_t i = 0; i < d->sum_count; i++) {
            d->long_sums[i] = 0, d->sums[i] = 0;
        }
        for (uint32_t b = 0; b < insn->batch; b++) {
            add_each_row(d, gm_i8(session, insn->x) + b * insn->x_batch + first,
                     gm_i16(session, insn->dy) + b * insn->y_batch + first);
        }
        gm_store_depthwise_weights(session, insn, d->made, d->long_sums, first, d->inputs.channels);
    }
}

static int suits_depthwise_grad_w(const gm_insn_conv_grad_w_s16 *insn)
{
    return insn->in_channels == 1 && insn->out_channels == 1 && insn->x_group == 1 && insn->y_group == 1 &&
           insn->dilation_h == 1 && insn->dilation_w == 1 && insn->kernel_h <= 255 && insn->kernel_w <= 255 &&
           insn->out_w <= MOST_OUTPUTS;
}

/* Chooses the faster code for 3x3 kernels if it applies and fits: the three rows of each pair of
 * columns are together, and gradients have no zeros between them. words: the words of the panel
 * that are left for inputs and gradients. */
static void choose_3x3_gradients(depthwise_grad_w *d, uint32_t words)
{
#if GM_ARCH_3X3_GRADIENTS
    const gm_insn_conv_grad_w_s16 *insn = d->insn;
    uint32_t dy_pairs = (insn->out_w + 1) / 2 + 1, x_pairs = insn->stride_w * dy_pairs;
    if (insn->kernel_h != 3 || insn->kernel_w != 3 || insn->stride_w > 2 ||
        dy_pairs * GM_DEPTHWISE_CHANNELS + x_pairs * GM_WORDS_OF_3_ROWS > words) {
        return;
    }
    d->takes_3x3 = 1;
    d->outputs.stride = 1, d->outputs.pairs = dy_pairs;
    d->x = d->dy + dy_pairs * GM_DEPTHWISE_CHANNELS;
    d->inputs.pairs = x_pairs, d->inputs.pair_words = GM_WORDS_OF_3_ROWS;
    d->row_words = GM_DEPTHWISE_CHANNELS;
#else
    (void)d, (void)words;
#endif
}

int gm_arm_depthwise_grad_w_s16(const struct gm_session *session, const gm_insn_conv_grad_w_s16 *insn,
                                const gm_weight_gradients *made)
{
    if (!suits_depthwise_grad_w(insn)) {
        return 0;
    }
    uint64_t pairs = (((uint64_t)insn->out_w - 1) * insn->stride_w + 1) / 2 + 1;
    uint64_t row_words = (pairs + insn->kernel_w / 2) * GM_DEPTHWISE_CHANNELS;
    uint32_t sum_count = insn->kernel_h * insn->kernel_w * GM_DEPTHWISE_CHANNELS;
    if (row_words * insn->kernel_h + 2 * pairs * GM_DEPTHWISE_CHANNELS + 3 * sum_count + 1 > insn->panel_words) {
        return 0;
    }
    uint32_t *panel = (uint32_t *)(void *)(session->arena + insn->panel);
    panel += (uintptr_t)panel / 4 % 2; /* 64-bit sums are aligned */
    depthwise_grad_w d = {
        .insn = insn,
        .made = made,
        .inputs = {.columns = insn->in_w, .step = insn->x_w, .pad = insn->pad_w,
                   .zero = gm_nearest_int8(insn->x_zero), .pairs = (uint32_t)row_words / GM_DEPTHWISE_CHANNELS, .pair_words = GM_DEPTHWISE_CHANNELS},
        .outputs = {.columns = insn->out_w, .step = insn->y_w, .stride = insn->stride_w, .pairs = (uint32_t)pairs,
                    .pair_words = GM_DEPTHWISE_CHANNELS},
        .pairs = (uint32_t)pairs, .row_words = (uint32_t)row_words, .sum_count = sum_count,
        .long_sums = (int64_t *)(void *)panel, .sums = panel + 2 * sum_count, .dy = panel + 3 * sum_count,
        .x = panel + 3 * sum_count + 2 * (uint32_t)pairs * GM_DEPTHWISE_CHANNELS,
    };
    choose_3x3_gradients(&d, insn->panel_words - 3 * sum_count - 1);
    each_grad_w_channel(session, &d);
    return 1;
}

#endif
