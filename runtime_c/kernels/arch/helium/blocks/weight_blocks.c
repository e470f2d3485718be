/*
 * Blocks of weights in vector registers, for 4 outputs and up to 5 inputs; all pixels pass over
 * each in turn: for sums so short that tiles cost more than they save. Machine instructions for
 * each multiply-accumulate in a long row:
 *
 *     inputs are neighbours     5 inputs 0.55, 4 0.63, 3 0.75, 2 1, 1 1.75
 *     anywhere                  5 inputs 0.75, 4 0.81, 3 0.92
 */
#include <stddef.h>

#include "../../../../generated/instructions/conv.h"
#include "../../arm_m/blocks/registers.h"
#include "../../arm_m/blocks/taps.h"
#include "../helium.h"

#if GM_ARCH_HELIUM && GM_WITH_CONV

/* In bytes: from one pixel to the next, of inputs and outputs; from the end of a row to the next
 * one; from a pixel's first input to each, and from its weight; from the weights of an output to
 * those of the next. Assembly reads it in this order. */
typedef struct steps {
    uint32_t in, out, columns, rows, in_skip, out_skip, inputs[5], weights[5], w_out;
} steps;

/* A block's weights, at r2; q5 has offsets of outputs. */
#define WEIGHTS_OF_INPUT(q) LINE("ldr r4, [r5], #4") LINE("add r4, r2") LINE("vldrw.u32 " #q ", [r4, q5]")
#define LOAD_WEIGHTS                                                                                          \
    LINE("ldr r5, [r3, %[w_out]]") LINE("mov r4, #0") LINE("vidup.u32 q5, r4, #1") LINE("vmul.i32 q5, q5, r5") \
    LINE("add r5, r3, %[weights]")                                                                            \
    WEIGHTS_OF_INPUT(q0) WEIGHTS_OF_INPUT(q1) WEIGHTS_OF_INPUT(q2) WEIGHTS_OF_INPUT(q3) WEIGHTS_OF_INPUT(q4)

/* Inputs at r0, the others r2, r5, r6 and r8 bytes further; sums in q5. */
#define PRODUCT(weights, at) LINE("ldr r4, [r0" at "]") VFMA(q5, weights, r4)
#define BLOCK_ANYWHERE_3 PRODUCT(q0, "") PRODUCT(q1, ", r2") PRODUCT(q2, ", r5")
#define BLOCK_ANYWHERE_4 BLOCK_ANYWHERE_3 PRODUCT(q3, ", r6")
#define BLOCK_ANYWHERE_5 BLOCK_ANYWHERE_4 PRODUCT(q4, ", r8")
#define BLOCK_NEIGHBOURS_1 PRODUCT(q0, "")
#define BLOCK_NEIGHBOURS_2 LINE("ldm r0, {r2, r4}") VFMA(q5, q0, r2) VFMA(q5, q1, r4)
#define BLOCK_NEIGHBOURS_3 LINE("ldm r0, {r2, r4, r5}") VFMA(q5, q0, r2) VFMA(q5, q1, r4) VFMA(q5, q2, r5)
#define BLOCK_NEIGHBOURS_4                                                                                    \
    LINE("ldm r0, {r2, r4, r5, r6}")                                                                          \
    VFMA(q5, q0, r2) VFMA(q5, q1, r4) VFMA(q5, q2, r5) VFMA(q5, q3, r6)
#define BLOCK_NEIGHBOURS_5                                                                                    \
    LINE("ldm r0, {r2, r4, r5, r6, r8}")                                                                      \
    VFMA(q5, q0, r2) VFMA(q5, q1, r4) VFMA(q5, q2, r5) VFMA(q5, q3, r6) VFMA(q5, q4, r8)

/* Defines the loop of a block: out[0..4] += its products in each pixel. Registers that a smaller
 * block does not use hold the first input's weights. */
#define DEFINE_BLOCK(name, PRODUCTS)                                                                                 \
    __attribute__((noinline)) static void name(const float *in, float *out, const float *w, const steps *s)          \
    {                                                                                                                \
        register uintptr_t r0 __asm__("r0") = (uintptr_t)in;                                                         \
        register uintptr_t r1 __asm__("r1") = (uintptr_t)out;                                                        \
        register uintptr_t r2 __asm__("r2") = (uintptr_t)w;                                                          \
        register const steps *r3 __asm__("r3") = s;                                                                  \
        __asm__ volatile(HELIUM                                                                                      \
                         LOAD_WEIGHTS                                                                                \
                         LINE("ldm r3, {r9, r10, r11, r12}")                                                         \
                         LINE("ldrd r2, r5, [r3, %[others]]") LINE("ldrd r6, r8, [r3, %[others] + 8]")               \
                         "1:\n\t"                                                                                    \
                         LINE("dls lr, r11")                                                                         \
                         "2:\n\t"                                                                                    \
                         LINE("vldrw.u32 q5, [r1]")                                                                  \
                         PRODUCTS                                                                                    \
                         LINE("add r0, r9")                                                                          \
                         LINE("vstrw.32 q5, [r1]") LINE("add r1, r10")                                               \
                         LINE("le lr, 2b")                                                                           \
                         LINE("ldrd r4, lr, [r3, %[skips]]") LINE("add r0, r4") LINE("add r1, lr")                   \
                         LINE("subs r12, #1")                                                                        \
                         LINE("bne 1b")                                                                              \
                         : "+r"(r0), "+r"(r1), "+r"(r2)                                                              \
                         : "r"(r3), [skips] "i"(offsetof(steps, in_skip)), [others] "i"(offsetof(steps, inputs) + 4), \
                           [weights] "i"(offsetof(steps, weights)), [w_out] "i"(offsetof(steps, w_out))              \
                         : "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", CHANGED);                        \
    }

DEFINE_BLOCK(block_neighbours_1, BLOCK_NEIGHBOURS_1)
DEFINE_BLOCK(block_neighbours_2, BLOCK_NEIGHBOURS_2)
DEFINE_BLOCK(block_neighbours_3, BLOCK_NEIGHBOURS_3)
DEFINE_BLOCK(block_neighbours_4, BLOCK_NEIGHBOURS_4)
DEFINE_BLOCK(block_neighbours_5, BLOCK_NEIGHBOURS_5)
DEFINE_BLOCK(block_anywhere_3, BLOCK_ANYWHERE_3)
DEFINE_BLOCK(block_anywhere_4, BLOCK_ANYWHERE_4)
DEFINE_BLOCK(block_anywhere_5, BLOCK_ANYWHERE_5)

typedef void block_way(const float *in, float *out, const float *w, const steps *s);
static block_way *const block_ways[2][5] = {
    { block_neighbours_1, block_neighbours_1, block_anywhere_3, block_anywhere_4, block_anywhere_5 },
    { block_neighbours_1, block_neighbours_2, block_neighbours_3, block_neighbours_4, block_neighbours_5 },
};

/* The number of inputs to do at once if so many are left */
static uint32_t inputs_at_once(uint32_t left, int neighbours)
{
    return left == 6 ? 3 : left >= 5 ? 5 : left == 2 && !neighbours ? 1 : left;
}

/* The offset of input i of a pixel, counted over all taps, in elements from the first one */
static uint32_t input_at(const gm_product *p, uint32_t in_tap, uint32_t i)
{
    return i / p->sums * in_tap + i % p->sums * p->in.channel;
}

/* The offset of its weight, in elements from the first one */
static uint32_t weight_at(const gm_product *p, uint32_t i)
{
    return i / p->sums * p->w_tap + i % p->sums * p->w_in;
}

/* The layout of the pixels, with a single column as a row: its steps are computed
 * once for all pixels. */
static steps steps_of(const gm_product *p)
{
    if (p->columns == 1) {
        return (steps){ .in = 4 * p->in.row, .out = 4 * p->out.row, .columns = p->rows, .rows = 1, .w_out = 4 * p->w_out };
    }
    return (steps){ .in = 4 * p->in.column, .out = 4 * p->out.column, .columns = p->columns, .rows = p->rows,
                    .in_skip = 4 * (p->in.row - p->columns * p->in.column),
                    .out_skip = 4 * (p->out.row - p->columns * p->out.column), .w_out = 4 * p->w_out };
}

/* Sets the offsets of `count` inputs from index i on, and of their weights. */
static void set_inputs(const gm_product *p, uint32_t in_tap, uint32_t i, uint32_t count, steps *s)
{
    for (uint32_t j = 0; j < 5; j++) {
        uint32_t input = j < count ? i + j : i;
        s->inputs[j] = 4 * (input_at(p, in_tap, input) - input_at(p, in_tap, i));
        s->weights[j] = 4 * weight_at(p, input);
    }
}

void gm_helium_add_blocks(const gm_product *product, uint32_t in_tap, const float *in, const float *w, float *out)
{
    const gm_product *p = product;
    uint32_t inputs = p->taps * p->sums;
    int neighbours = (p->sums == 1 || p->in.channel == 1) && (p->taps == 1 || in_tap == p->sums);
    steps s = steps_of(p);
    for (uint32_t i = 0, count; i < inputs; i += count) {
        count = inputs_at_once(inputs - i, neighbours);
        set_inputs(p, in_tap, i, count, &s);
        for (uint32_t n = 0; n < p->outputs; n += 4) {
            block_ways[neighbours][count - 1](in + input_at(p, in_tap, i), out + n, w + n * p->w_out, &s);
        }
    }
}

#endif
