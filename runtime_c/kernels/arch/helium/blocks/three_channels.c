/*
 * Weight gradients of a first layer with Helium, for inputs with 3 channels: these by 8 output
 * channels at one kernel tap, over all pixels. Machine instructions for each multiply-accumulate
 * in a long row: 0.58.
 */
#include <stddef.h>

#include "../../../../generated/instructions/conv_grad_w.h"
#include "../../../../generated/instructions/conv_update.h"
#include "../../../../src/gm_internal.h"
#include "../../../../src/numerics.h"
#include "../../../rows.h"
#include "../../arm_m/blocks/taps.h"
#include "../helium.h"

#if GM_ARCH_HELIUM && (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE)

#define OUT_CHANNELS 8u
#define MOST_WEIGHTS 27u /* of an output channel; the sums of 8 are on the stack */

/* Pixels under a tap, steps in bytes: to the next pixel of a row, and from the end of a row to the
 * next one; from a sum to that of the next output channel, and of the next channel; from an input
 * to that of the next channel. */
typedef struct tap_pixels {
    uint32_t x_step, dy_step, columns, rows, x_skip, dy_skip, sum_out, sum_in, x_in;
    float *sums;
} tap_pixels;

/* Loads or stores of sums at r2, and those of the last 4 output channels at r3. */
#define SUMS_OF_CHANNEL(what, q, r)                                                                           \
    LINE(what " " #q ", [r2, q7]") LINE(what " " #r ", [r3, q7]") LINE("add r2, r5") LINE("add r3, r5")
#define SUMS_OF_CHANNELS(what)                                                                                \
    LINE("ldrd r4, r5, [%[pixels], %[sum_out]]")                                                              \
    LINE("mov r6, #0") LINE("vidup.u32 q7, r6, #1") LINE("vmul.i32 q7, q7, r4")                               \
    LINE("ldr r2, [%[pixels], %[sums]]") LINE("add r3, r2, r4, lsl #2")                                                    \
    SUMS_OF_CHANNEL(what, q0, q1) SUMS_OF_CHANNEL(what, q2, q3)                                               \
    LINE(what " q4, [r2, q7]") LINE(what " q5, [r3, q7]")

/* Adds the products of inputs and output gradients to all sums. Returns 0, and does nothing, if
 * subnormals were flushed. */
__attribute__((noinline)) static int add_tap_of_three(const float *x, const float *dy, const tap_pixels *pixels)
{
    uint32_t flushed;
    __asm__ volatile(HELIUM
                     CLEAR_FLUSHED(%[flushed])
                     SUMS_OF_CHANNELS("vldrw.u32")
                     LINE("ldrd r8, r9, [%[pixels]]") LINE("ldr r12, [%[pixels], %[rows]]")
                     LINE("ldr r2, [%[pixels], %[x_in]]") LINE("lsl r3, r2, #1")
                     "1:\n\t"
                     LINE("ldr r4, [%[pixels], %[columns]]") LINE("dls lr, r4")
                     "2:\n\t"
                     LINE("ldr r4, [%[x]]") LINE("ldr r5, [%[x], r2]") LINE("ldr r6, [%[x], r3]") LINE("add %[x], r8")
                     LINE("vldrw.u32 q6, [%[dy]]") LINE("vldrw.u32 q7, [%[dy], #16]") LINE("add %[dy], r9")
                     VFMA(q0, q6, r4) VFMA(q1, q7, r4) VFMA(q2, q6, r5) VFMA(q3, q7, r5) VFMA(q4, q6, r6) VFMA(q5, q7, r6)
                     LINE("le lr, 2b")
                     LINE("ldrd r4, r5, [%[pixels], %[x_skip]]") LINE("add %[x], r4") LINE("add %[dy], r5")
                     LINE("subs r12, #1")
                     LINE("bne 1b")
                     IF_FLUSHED(%[flushed], 3f)
                     SUMS_OF_CHANNELS("vstrw.32")
                     "3:\n\t"
                     : [x] "+r"(x), [dy] "+r"(dy), [flushed] "=&r"(flushed)
                     : [pixels] "r"(pixels), OFFSET(tap_pixels, columns), OFFSET(tap_pixels, rows),
                       OFFSET(tap_pixels, x_skip), OFFSET(tap_pixels, sum_out), OFFSET(tap_pixels, sums),
                       OFFSET(tap_pixels, x_in)
                     : "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r12", "lr", CHANGED);
    return flushed == 0;
}

/* The same in plain C, for one sum */
static void plain_tap_sum(const gm_tap *tap, const float *x, const float *dy, float *sum)
{
    for (uint32_t row = 0; row < tap->rows; row++) {
        for (uint32_t column = 0; column < tap->columns; column++) {
            *sum = GM_MAC(*sum, dy[row * tap->y_row + column * tap->y_column],
                          x[row * tap->x_row + column * tap->x_column]);
        }
    }
}

/* Tap `number` of one sample. x, dy: the sample; sums: the tap. */
static void add_sample_of_three(const gm_conv_gradient *g, const gm_tap *tap, const float *x, const float *dy, float *sums)
{
    uint32_t taps = g->window.kernel_h * g->window.kernel_w, size = 3 * taps;
    const tap_pixels pixels = { 4 * tap->x_column, 4 * tap->y_column, tap->columns, tap->rows,
                                4 * (tap->x_row - tap->columns * tap->x_column),
                                4 * (tap->y_row - tap->columns * tap->y_column), 4 * size, 4 * taps,
                                4 * g->x.channel, sums };
    if (tap->rows == 0 || add_tap_of_three(x + tap->x, dy + tap->y, &pixels)) {
        return;
    }
    for (uint32_t i = 0; i < 3 * OUT_CHANNELS; i++) {
        plain_tap_sum(tap, x + tap->x + i % 3 * g->x.channel, dy + tap->y + i / 3, sums + i / 3 * size + i % 3 * taps);
    }
}

/* The gradients of 8 output channels. dy: at the first. */
static void sums_of_three(const gm_conv_gradient *g, const float *x, const float *dy, float *sums)
{
    const gm_window *w = &g->window;
    for (uint32_t number = 0; number < w->kernel_h * w->kernel_w; number++) {
        const gm_tap tap = gm_tap_of(w, &g->x, &g->dy, number / w->kernel_w, number % w->kernel_w);
        for (uint32_t i = 0; i < g->batch; i++) {
            add_sample_of_three(g, &tap, x + i * g->x.batch, dy + i * g->dy.batch, sums + number);
        }
    }
}

int gm_helium_three_channels(const gm_conv_gradient *g, const float *x, const float *dy,
                             const gm_gradient_target *target)
{
    float room[OUT_CHANNELS * MOST_WEIGHTS];
    uint32_t size = 3 * g->window.kernel_h * g->window.kernel_w;
    if (g->in_channels != 3 || g->dy.channel != 1 || target->groups != 1 ||
        target->out_channels % OUT_CHANNELS > 0 || size > MOST_WEIGHTS) {
        return 0;
    }
    for (uint32_t m = 0; m < target->out_channels; m += OUT_CHANNELS) {
        float *sums = target->update ? room : target->w + m * size;
        if (!target->accumulate) {
            gm_start_row(sums, NULL, OUT_CHANNELS * size);
        }
        sums_of_three(g, x, dy + m, sums);
        if (target->update) {
            gm_rule_args args = *target->update;
            gm_helium_step(target->update, &args, sums, m * size, OUT_CHANNELS * size);
        }
    }
    return 1;
}

#endif
