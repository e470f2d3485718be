/*
 * Weight gradients of a first layer with Helium, for inputs with one channel: 8 output
 * channels by two kernel taps that reach the same outputs, over all pixels. Machine
 * instructions for each multiply-accumulate in a long row: 0.63 if their inputs are
 * contiguous, 0.69 if not, and 1 for one tap.
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

#define OUTPUTS_OF_ONE 8u
#define TAPS_OF_ONE 40u /* of an output channel; the sums of 8 are on the stack */

/* Pixels under two taps, steps in bytes: to the next pixel of a row, and from the end of a row to
 * the next one; from a sum to that of the next output channel; from the first tap's sum and input
 * to those of the second, 0 if there is none. */
typedef struct pixels_of_taps {
    uint32_t x_step, dy_step, columns, rows, x_skip, dy_skip, sum_out, sum_second, x_second;
    float *sums;
} pixels_of_taps;

/* Inputs to r4 and, for two taps, r5. */
#define ONE_INPUT LINE("ldr r4, [%[x]]")
#define TWO_INPUTS LINE("ldr r4, [%[x]]") LINE("ldr r5, [%[x], r2]")
#define TWO_NEIGHBOURS LINE("ldrd r4, r5, [%[x]]")

/* Loads or stores of the sums of 8 output channels, at r2 and r9. BOTH keeps what
 * only two taps need. */
#define TWO_TAPS(what) what
#define ONE_TAP(what)
#define SUMS_OF_TAPS(what, BOTH)                                                                              \
    LINE("ldr r4, [%[pixels], %[sum_out]]")                                                                   \
    LINE("mov r6, #0") LINE("vidup.u32 q7, r6, #1") LINE("vmul.i32 q7, q7, r4")                               \
    LINE("ldr r2, [%[pixels], %[sums]]") LINE("add r9, r2, r4, lsl #2")                                       \
    LINE(what " q0, [r2, q7]") LINE(what " q1, [r9, q7]")                                                     \
    BOTH(LINE("ldr r5, [%[pixels], %[sum_second]]") LINE("add r2, r5") LINE("add r9, r5")                     \
         LINE(what " q2, [r2, q7]") LINE(what " q3, [r9, q7]"))

/* Defines a function that adds the products of inputs and output gradients to the sums. It returns
 * 0, and does nothing, if subnormals were flushed. */
#define DEFINE_ADD_TAPS(name, BOTH, X)                                                                         \
    __attribute__((noinline)) static int name(const float *x, const float *dy, const pixels_of_taps *pixels)  \
    {                                                                                                         \
        register uint32_t flushed __asm__("r12");                                                             \
        __asm__ volatile(HELIUM                                                                               \
                         CLEAR_FLUSHED(r12)                                                                   \
                         SUMS_OF_TAPS("vldrw.u32", BOTH)                                                      \
                         LINE("ldrd r8, r9, [%[pixels]]") LINE("ldrd r10, r12, [%[pixels], %[columns]]")      \
                         LINE("ldrd r11, r6, [%[pixels], %[x_skip]]") LINE("ldr r2, [%[pixels], %[x_second]]") \
                         "1:\n\t"                                                                             \
                         LINE("dls lr, r10")                                                                  \
                         "2:\n\t"                                                                             \
                         X LINE("add %[x], r8")                                                               \
                         LINE("vldrw.u32 q6, [%[dy]]") LINE("vldrw.u32 q7, [%[dy], #16]") LINE("add %[dy], r9") \
                         VFMA(q0, q6, r4) VFMA(q1, q7, r4) BOTH(VFMA(q2, q6, r5) VFMA(q3, q7, r5))            \
                         LINE("le lr, 2b")                                                                    \
                         LINE("add %[x], r11") LINE("add %[dy], r6")                                          \
                         LINE("subs r12, #1")                                                                 \
                         LINE("bne 1b")                                                                       \
                         IF_FLUSHED(r12, 3f)                                                                  \
                         SUMS_OF_TAPS("vstrw.32", BOTH)                                                       \
                         "3:\n\t"                                                                             \
                         : [x] "+r"(x), [dy] "+r"(dy), "=&r"(flushed)                                         \
                         : [pixels] "r"(pixels), OFFSET(pixels_of_taps, columns), OFFSET(pixels_of_taps, x_skip), \
                           OFFSET(pixels_of_taps, sum_out), OFFSET(pixels_of_taps, sum_second),               \
                           OFFSET(pixels_of_taps, x_second), OFFSET(pixels_of_taps, sums)                     \
                         : "r2", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "lr", CHANGED);                  \
        return flushed == 0;                                                                                  \
    }

DEFINE_ADD_TAPS(add_two_taps, TWO_TAPS, TWO_INPUTS)
DEFINE_ADD_TAPS(add_two_neighbours, TWO_TAPS, TWO_NEIGHBOURS)
DEFINE_ADD_TAPS(add_one_tap, ONE_TAP, ONE_INPUT)

static int add_pixels_of_taps(const float *x, const float *dy, const pixels_of_taps *pixels)
{
    if (pixels->sum_second == 0) {
        return add_one_tap(x, dy, pixels);
    }
    return pixels->x_second == sizeof *x ? add_two_neighbours(x, dy, pixels) : add_two_taps(x, dy, pixels);
}

/* The same for one tap in plain C. size: from a sum to that of the next output channel. */
static void add_plain_tap(const gm_tap *tap, const float *x, const float *dy, float *sums, uint32_t size)
{
    for (uint32_t i = 0; i < OUTPUTS_OF_ONE; i++, dy++, sums += size) {
        for (uint32_t row = 0; row < tap->rows; row++) {
            for (uint32_t column = 0; column < tap->columns; column++) {
                *sums = GM_MAC(*sums, dy[row * tap->y_row + column * tap->y_column],
                               x[row * tap->x_row + column * tap->x_column]);
            }
        }
    }
}

/* Adds the products of the batch at tap (k, l) and, if one of `down` and `right` is 1, at the
 * tap that far from it. */
static void add_batch(const gm_conv_gradient *g, uint32_t k, uint32_t l, uint32_t down, uint32_t right, const float *x,
                      const float *dy, float *sums)
{
    const gm_window *w = &g->window;
    const gm_tap tap = gm_tap_of(w, &g->x, &g->dy, k, l);
    uint32_t size = w->kernel_h * w->kernel_w, second = down * w->kernel_w + right;
    uint32_t x_second = down * w->dilation_h * g->x.h + right * w->dilation_w * g->x.w;
    float *at = sums + k * w->kernel_w + l;
    const pixels_of_taps pixels = { 4 * tap.x_column, 4 * tap.y_column, tap.columns, tap.rows,
                                    4 * (tap.x_row - tap.columns * tap.x_column),
                                    4 * (tap.y_row - tap.columns * tap.y_column), 4 * size, 4 * second, 4 * x_second, at };
    for (uint32_t b = 0; b < g->batch && tap.rows > 0; b++) {
        const float *x_at = x + b * g->x.batch + tap.x, *dy_at = dy + b * g->dy.batch + tap.y;
        if (!add_pixels_of_taps(x_at, dy_at, &pixels)) {
            add_plain_tap(&tap, x_at, dy_at, at, size);
            if (second > 0) {
                add_plain_tap(&tap, x_at + x_second, dy_at, at + second, size);
            }
        }
    }
}

/* The rows and columns of the kernel that reach the same outputs as the next
 * one: bit k and bit l. */
typedef struct alike {
    uint32_t rows, columns;
} alike;

static int reach_the_same(gm_span a, gm_span b)
{
    return a.first == b.first && a.end == b.end;
}

static alike alike_of(const gm_window *w)
{
    alike same = { 0, 0 };
    for (uint32_t k = 0; k + 1 < w->kernel_h; k++) {
        gm_span here = gm_valid_outputs(k, w->stride_h, w->dilation_h, w->pad_h, w->in_h, w->out_h);
        gm_span next = gm_valid_outputs(k + 1, w->stride_h, w->dilation_h, w->pad_h, w->in_h, w->out_h);
        same.rows |= (uint32_t)reach_the_same(here, next) << k;
    }
    for (uint32_t l = 0; l + 1 < w->kernel_w; l++) {
        gm_span here = gm_valid_outputs(l, w->stride_w, w->dilation_w, w->pad_w, w->in_w, w->out_w);
        gm_span next = gm_valid_outputs(l + 1, w->stride_w, w->dilation_w, w->pad_w, w->in_w, w->out_w);
        same.columns |= (uint32_t)reach_the_same(here, next) << l;
    }
    return same;
}

/* The gradients of 8 output channels, two kernel columns or two kernel rows at a time if they reach
 * the same outputs. dy: at the first output channel. */
static void sums_of_one_channel(const gm_conv_gradient *g, const alike *same, const float *x, const float *dy, float *sums)
{
    const gm_window *w = &g->window;
    for (uint32_t k = 0, rows; k < w->kernel_h; k += rows) {
        rows = 1 + (same->rows >> k & 1);
        for (uint32_t l = 0, columns; l < w->kernel_w; l += columns) {
            columns = 1 + (same->columns >> l & 1);
            if (columns == 1) {
                add_batch(g, k, l, rows - 1, 0, x, dy, sums);
            }
            for (uint32_t i = 0; i < rows && columns == 2; i++) {
                add_batch(g, k + i, l, 0, 1, x, dy, sums);
            }
        }
    }
}

int gm_helium_one_channel(const gm_conv_gradient *g, const float *x, const float *dy, const gm_gradient_target *target)
{
    float room[OUTPUTS_OF_ONE * TAPS_OF_ONE];
    const gm_window *w = &g->window;
    uint32_t size = w->kernel_h * w->kernel_w;
    if (g->in_channels != 1 || g->dy.channel != 1 || target->groups != 1 || target->out_channels % OUTPUTS_OF_ONE > 0 ||
        size > TAPS_OF_ONE || w->kernel_h > 32 || w->kernel_w > 32) {
        return 0;
    }
    const alike same = alike_of(w);
    for (uint32_t m = 0; m < target->out_channels; m += OUTPUTS_OF_ONE) {
        float *sums = target->update ? room : target->w + m * size;
        if (!target->accumulate) {
            gm_start_row(sums, NULL, OUTPUTS_OF_ONE * size);
        }
        sums_of_one_channel(g, &same, x, dy + m, sums);
        if (target->update) {
            gm_rule_args args = *target->update;
            gm_helium_step(target->update, &args, sums, m * size, OUTPUTS_OF_ONE * size);
        }
    }
    return 1;
}

#endif
