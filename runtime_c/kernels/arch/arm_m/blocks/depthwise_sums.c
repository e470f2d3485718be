/*
 * Outputs of depthwise_pixels.h without the DSP extension: the sums of a few outputs, one channel
 * after another, and how they are finished.
 */
#include "depthwise_kernel.h"
#include "depthwise_pixels.h"
#include "registers.h"
#include "scaled.h"

#if GM_ARCH_PAIRS && !GM_ARCH_DSP

/* Outputs whose sums are buffered at a time: an even number, so that the next ones begin with the
 * same column of a pair. */
#define OUTPUTS_AT_ONCE 8u

/* One channel of several outputs. Steps are in words. */
typedef struct kernel_sums {
    const uint32_t *x;          /* of the pair with which the first kernel begins */
    uint32_t *to;               /* by output, GM_DEPTHWISE_CHANNELS apart */
    const uint32_t *twos_end, *end; /* of x: after outputs taken two at a time, and after all; each kernel begins one
                                     * pair later */
    uint32_t bias;
    const uint32_t *weights;
} kernel_sums;

#if defined(__thumb2__)

/*
 * 3x3 kernels that begin with the first column of a pair. Two adjacent outputs take 38 machine
 * instructions; then one at a time, 24.
 *
 *     r0  x    r1  to    r2  an input    r3, r4  sums    r5 to lr  weights
 */
#define SUMS_OFFSET(member) [member] "i"(offsetof(kernel_sums, member))
#define INPUT(at) LINE("ldrsh r2, [r0, #" #at "]")
#define MULTIPLY_ADD(sum, weight) LINE("mla " #sum ", r2, " #weight ", " #sum)
#define KERNEL_ROW(a, b, c, first, second, third)                                                  \
    LINE("ldrsh " #a ", [r3, #" #first "]") LINE("ldrsh " #b ", [r3, #" #second "]")               \
    LINE("ldrsh " #c ", [r3, #" #third "]")
#define TWO_OF_ROW(a, b, c, x0, x1, x2, x3)                                                        \
    INPUT(x0) MULTIPLY_ADD(r3, a) INPUT(x1) MULTIPLY_ADD(r3, b) MULTIPLY_ADD(r4, a)                \
    INPUT(x2) MULTIPLY_ADD(r3, c) MULTIPLY_ADD(r4, b) INPUT(x3) MULTIPLY_ADD(r4, c)
#define ONE_OF_ROW(a, b, c, x0, x1, x2, x3)                                                        \
    INPUT(x0) MULTIPLY_ADD(r3, a) INPUT(x1) MULTIPLY_ADD(r3, b) INPUT(x2) MULTIPLY_ADD(r3, c)
#define EACH_KERNEL_ROW(OF_ROW)                                                                           \
    OF_ROW(r5, r6, r7, 0, 2, 48, 50) OF_ROW(r8, r9, r10, 16, 18, 64, 66) OF_ROW(r11, r12, lr, 32, 34, 80, 82)

__attribute__((noinline)) static void sums_of_3_by_3(const kernel_sums *sums)
{
    register uintptr_t r0 __asm__("r0") = (uintptr_t)sums;
    __asm__ volatile(LINE("push {r0, r7}")
                     LINE("ldr r3, [r0, %[weights]]")
                     KERNEL_ROW(r5, r6, r7, 0, 2, 80) KERNEL_ROW(r8, r9, r10, 16, 18, 96)
                     KERNEL_ROW(r11, r12, lr, 32, 34, 112)
                     LINE("ldrd r1, r2, [r0, %[twos_end]]") LINE("ldr r3, [r0, %[bias]]")
                     LINE("push {r1, r2, r3, r4}")
                     LINE("ldrd r0, r1, [r0, %[x]]")
                     LINE("ldr r2, [sp]") LINE("cmp r0, r2") LINE("beq 2f")
                     "1:\n\t"
                     LINE("ldr r3, [sp, #8]") LINE("mov r4, r3")
                     EACH_KERNEL_ROW(TWO_OF_ROW)
                     LINE("str r4, [r1, #16]") LINE("str r3, [r1], #32")
                     LINE("add r0, #48") LINE("ldr r2, [sp]") LINE("cmp r0, r2") LINE("bne 1b")
                     "2:\n\t"
                     LINE("ldr r2, [sp, #4]") LINE("cmp r0, r2") LINE("beq 4f")
                     "3:\n\t"
                     LINE("ldr r3, [sp, #8]")
                     EACH_KERNEL_ROW(ONE_OF_ROW)
                     LINE("str r3, [r1], #16")
                     LINE("add r0, #48") LINE("ldr r2, [sp, #4]") LINE("cmp r0, r2") LINE("bne 3b")
                     "4:\n\t"
                     LINE("add sp, #16")
                     LINE("pop {r0, r7}")
                     : "+r"(r0)
                     : SUMS_OFFSET(x), SUMS_OFFSET(twos_end), SUMS_OFFSET(bias), SUMS_OFFSET(weights)
                     : "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "cc", "memory");
}

/* The sums of n outputs of channel c, if the kernel suits. Otherwise returns
 * 0, and does nothing. */
static int sum_3_by_3(const gm_depthwise_pixels *p, uint32_t rows, uint32_t columns, uint32_t c, uint32_t n, uint32_t *to)
{
    const uint32_t pair_words = 3 * GM_DEPTHWISE_CHANNELS;
    if (rows != 3 || columns != 3 || p->stride > 2 || p->column % 2 > 0) {
        return 0;
    }
    const uint32_t *x = p->x + p->column / 2 * pair_words + c;
    uint32_t twos = p->stride == 1 ? n / 2 : 0;
    const kernel_sums sums = {x, to + c, x + twos * pair_words, x + (n - twos) * pair_words, (uint32_t)p->bias[c],
                               p->weights[0] + c};
    sums_of_3_by_3(&sums);
    return 1;
}

#else
#define sum_3_by_3(p, rows, columns, c, n, to) ((void)(columns), 0)
#endif

/* One channel of a kernel; its weights skip `skip` values after each pair. */
typedef struct kernel_channel {
    const int16_t *x, *end;
    uint32_t rows, skip, bias;
} kernel_channel;

/* The output of one kernel, and that of another one on the same pairs. */
static inline void sum_two_kernels(const kernel_channel *k, const int16_t *w, const int16_t *other, uint32_t *sums)
{
    uint32_t s = k->bias, t = k->bias;
    for (const int16_t *x = k->x; x != k->end; w += k->skip, other += k->skip) {
        for (const int16_t *column_end = x + 8 * k->rows; x != column_end; x += 8, w += 8, other += 8) {
            int32_t left = x[0], right = x[1];
            s += (uint32_t)(left * w[0]) + (uint32_t)(right * w[1]);
            t += (uint32_t)(left * other[0]) + (uint32_t)(right * other[1]);
        }
    }
    sums[0] = s, sums[GM_DEPTHWISE_CHANNELS] = t;
}

static inline uint32_t sum_kernel(const kernel_channel *k, const int16_t *w)
{
    uint32_t s = k->bias;
    for (const int16_t *x = k->x; x != k->end; w += k->skip) {
        for (const int16_t *column_end = x + 8 * k->rows; x != column_end; x += 8, w += 8) {
            s += (uint32_t)(x[0] * w[0]) + (uint32_t)(x[1] * w[1]);
        }
    }
    return s;
}

/* The same for any kernel. */
static void sum_any_kernel(const gm_depthwise_pixels *p, uint32_t rows, uint32_t c, uint32_t n, uint32_t *to)
{
    const int16_t *even = (const int16_t *)(p->weights[0] + c), *odd = (const int16_t *)(p->weights[1] + c);
    uint32_t column = p->column, window = p->window_bytes / sizeof *even;
    kernel_channel k = {.rows = rows, .skip = p->weights_skip / (uint32_t)sizeof *even, .bias = (uint32_t)p->bias[c]};
    to += c;
    while (n > 0) {
        uint32_t two = p->stride == 1 && column % 2 == 0 && n > 1;
        k.x = (const int16_t *)(p->x + column / 2 * (p->pair_bytes / 4) + c), k.end = k.x + window;
        if (two) {
            sum_two_kernels(&k, even, odd, to);
        } else {
            *to = sum_kernel(&k, column % 2 ? odd : even);
        }
        n -= 1 + two, to += (1 + two) * GM_DEPTHWISE_CHANNELS, column += (1 + two) * p->stride;
    }
}

/* The sums of the next n outputs. */
static void sum_next_outputs(gm_depthwise_pixels *p, uint32_t rows, uint32_t columns, uint32_t n, uint32_t *to)
{
    for (uint32_t c = 0; c < GM_DEPTHWISE_CHANNELS; c++) {
        if (!sum_3_by_3(p, rows, columns, c, n, to)) {
            sum_any_kernel(p, rows, c, n, to);
        }
    }
    p->column += n * p->stride, p->left -= n;
}

/* Outputs of a channel whose multiplier has a factor. sums: up to the end. */
static void store_whole_range(const gm_output_range *range, const float *multiplier, int32_t factor, const uint32_t *sums,
                              const uint32_t *end, int8_t *y, uint32_t y_step)
{
    int32_t zero = range->zero;
    for (; sums != end; sums += GM_DEPTHWISE_CHANNELS, y += y_step) {
        *y = gm_scaled_to_whole_int8((int32_t)*sums, factor, zero, multiplier, range);
    }
}

/* Channel c of the next n outputs. */
static void store_outputs(const gm_depthwise_pixels *p, const gm_int8_bounds *bounds, const uint32_t *sums, uint32_t n,
                          uint32_t c, int8_t *y)
{
    const float *multiplier = p->multipliers + c, *offset = p->offsets ? p->offsets + c : NULL;
    const uint32_t *end = sums + n * GM_DEPTHWISE_CHANNELS;
    int32_t factor = gm_int8_factor(multiplier, offset);
    if (factor > 0 && gm_are_whole(bounds)) {
        store_whole_range(&p->range, multiplier, factor, sums, end, y, p->y_step);
        return;
    }
    for (; sums != end; sums += GM_DEPTHWISE_CHANNELS, y += p->y_step) {
        *y = factor > 0 ? gm_scaled_to_int8((int32_t)*sums, factor, bounds, multiplier, &p->range)
                        : gm_int8_of_sum((int32_t)*sums, multiplier, offset, &p->range);
    }
}

void gm_depthwise_row(gm_depthwise_pixels *p, uint32_t rows, uint32_t columns)
{
    const gm_int8_bounds bounds = gm_int8_bounds_of(&p->range);
    int8_t *y = p->y;
    while (p->left > 0) {
        uint32_t sums[OUTPUTS_AT_ONCE * GM_DEPTHWISE_CHANNELS], n = p->left < OUTPUTS_AT_ONCE ? p->left : OUTPUTS_AT_ONCE;
        sum_next_outputs(p, rows, columns, n, sums);
        for (uint32_t c = 0; c < GM_DEPTHWISE_CHANNELS; c++) {
            store_outputs(p, &bounds, sums + c, n, c, y + c);
        }
        y += n * p->y_step;
    }
    p->y = y;
}

void gm_depthwise_sums(gm_depthwise_pixels *p, uint32_t rows, uint32_t columns)
{
    sum_next_outputs(p, rows, columns, p->left, p->y);
}

#endif
