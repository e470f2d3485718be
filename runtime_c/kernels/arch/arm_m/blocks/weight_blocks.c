/*
 * Products with a block of weights in registers. A strided loop (gm_loop) walks the rows
 * and columns of the inputs `a` and the sums `b`, which may have any strides. In each
 * column it multiplies every input by its weights, and adds the products to the sums of all
 * outputs of the block.
 *
 * Machine instructions for each multiply-accumulate in a long row, by inputs and
 * outputs of the block:
 *
 *     outputs   6 inputs   4      3      2      1
 *           4   1.33       1.44   1.58   1.88   2.75    inputs are contiguous
 *           4              1.5                          columns are contiguous
 *           2              1.88                 4.5
 *           1              2.75                 8
 */
#include "../../arch.h"
#include "taps.h"
#include "strided_loop_assembly.h"

#if GM_ARCH_ARM_M

/* ---- Blocks whose inputs are contiguous ------------------------------------------------------ */

/* The sums of a column are in s0 to s3, its inputs in s4 to s7, and the weights from s8 on, by
 * input, then output. */
#define BEGIN_4(inputs) LOAD_STEP(a, inputs, a_step) LINE("vldmia %[b], {s0-s3}")
#define END_4 LINE("vstmia %[b], {s0-s3}") LINE("add %[b], %[b_step]")
#define FIRST MAC_4(s4, s8, s9, s10, s11)
#define SECOND MAC_4(s5, s12, s13, s14, s15)
#define THIRD MAC_4(s6, s16, s17, s18, s19)
#define FOURTH MAC_4(s7, s20, s21, s22, s23)

DEFINE_KEEPING_WEIGHTS(block_1x4, "s8-s11", 0, 0, LOAD_1_STEP(a, s4, a_step) LINE("vldmia %[b], {s0-s3}") FIRST END_4)
#if !GM_ARCH_HELIUM
DEFINE_KEEPING_WEIGHTS(block_2x4, "s8-s15", 0, 0, BEGIN_4("s4, s5") FIRST SECOND END_4)
DEFINE_KEEPING_WEIGHTS(block_3x4, "s8-s19", 0, 0, BEGIN_4("s4-s6") FIRST SECOND THIRD END_4)
DEFINE_KEEPING_WEIGHTS(block_4x4, "s8-s23", 0, 0, BEGIN_4("s4-s7") FIRST SECOND THIRD FOURTH END_4)

/* Blocks of 6 inputs in sequence: one function per block would save and restore FPU
 * registers for each. */
#if GM_APART
/* Weights start at s6, since s30 and s31 hold products: two inputs at a time. */
#define WEIGHTS_6x4 "s6-s29"
#define ADD_6x4                                                                                           \
    LOAD(a, "s4, s5") LINE("vldmia %[b], {s0-s3}")                                                        \
    MAC_4(s4, s6, s7, s8, s9) MAC_4(s5, s10, s11, s12, s13)                                               \
    LOAD(a, "s4, s5")                                                                                     \
    MAC_4(s4, s14, s15, s16, s17) MAC_4(s5, s18, s19, s20, s21)                                           \
    LOAD_STEP(a, "s4, s5", a_step)                                                                        \
    MAC_4(s4, s22, s23, s24, s25) MAC_4(s5, s26, s27, s28, s29)                                           \
    END_4
#else
#define WEIGHTS_6x4 "s8-s31"
#define ADD_6x4                                                                                           \
    LOAD(a, "s4-s7") LINE("vldmia %[b], {s0-s3}")                                                         \
    FIRST SECOND THIRD FOURTH                                                                             \
    LOAD_STEP(a, "s4, s5", a_step)                                                                        \
    MAC_4(s4, s24, s25, s26, s27) MAC_4(s5, s28, s29, s30, s31)                                           \
    END_4
#endif
TILE blocks_6x4(const gm_loop *loop, const float *a, float *b, const float *w, uint32_t blocks)
{
    const uint32_t a_back = 4 * (6 - loop->rows * loop->a_row), b_back = 0 - 4 * loop->rows * loop->b_row;
    const uint32_t all_rows = loop->rows;
    uint32_t rows, left;
    __asm__ volatile("3:\n\t"
                     LINE("vldmia %[w]!, {" WEIGHTS_6x4 "}")
                     LINE("ldr %[rows], %[all_rows]")
                     STRIDED_LOOP(ADD_6x4)
                     LINE("ldr %[rows], %[a_back]") LINE("ldr %[left], %[b_back]")
                     LINE("add %[a], %[rows]") LINE("add %[b], %[left]")
                     LINE("subs %[blocks], #1")
                     LINE("bne 3b")
                     : [a] "+r"(a), [b] "+r"(b), [w] "+r"(w), [blocks] "+r"(blocks), [rows] "=&r"(rows),
                       [left] "=&r"(left)
                     : LOOP_STRIDES(4, 0), [a_back] "m"(a_back), [b_back] "m"(b_back), [all_rows] "m"(all_rows)
                     : CHANGED);
}

#if GM_APART
__attribute__((noinline)) void gm_add_two_rows(const gm_loop *loop, uint32_t next, const float *a, const float *w,
                                               float *b)
{
    uint32_t rows = loop->rows, left;
    __asm__ volatile(LINE("vldmia %[w], {s6-s29}")
                     STRIDED_LOOP(
                         LOAD(a, "s4, s5") LINE("vldmia %[b], {s0-s3}")
                         MAC_4(s4, s6, s7, s8, s9) MAC_4(s5, s10, s11, s12, s13)
                         LOAD_1_STEP(a, s4, a_next)
                         MAC_4(s4, s14, s15, s16, s17)
                         LOAD(a, "s4, s5")
                         MAC_4(s4, s18, s19, s20, s21) MAC_4(s5, s22, s23, s24, s25)
                         LOAD_1_STEP(a, s4, a_step)
                         MAC_4(s4, s26, s27, s28, s29)
                         END_4)
                     : LOOP_CHANGES
                     : LOOP_STRIDES(next + 2, 0), [w] "r"(w), [a_next] "r"(4 * (next - 2))
                     : CHANGED);
}
#endif
#endif

#if !GM_ARCH_HELIUM
DEFINE_KEEPING_WEIGHTS(block_1x8, "s8-s15", 0, 0,
               LOAD_1_STEP(a, s4, a_step) LINE("vldmia %[b], {s16-s23}")
               MAC_2(s16, s4, s8, s17, s4, s9) MAC_2(s18, s4, s10, s19, s4, s11)
               MAC_2(s20, s4, s12, s21, s4, s13) MAC_2(s22, s4, s14, s23, s4, s15)
               LINE("vstmia %[b], {s16-s23}") LINE("add %[b], %[b_step]"))
#endif

#define END_2 LINE("vstmia %[b], {s0, s1}") LINE("add %[b], %[b_step]")
DEFINE_KEEPING_WEIGHTS(block_1x2, "s8, s9", 0, 0,
               LOAD_1_STEP(a, s4, a_step) LINE("vldmia %[b], {s0, s1}") MAC_2_OF(s4, s8, s9) END_2)
DEFINE_KEEPING_WEIGHTS(block_4x2, "s8-s15", 0, 0,
               LOAD_STEP(a, "s4-s7", a_step) LINE("vldmia %[b], {s0, s1}")
               MAC_2_OF(s4, s8, s9) MAC_2_OF(s5, s10, s11) MAC_2_OF(s6, s12, s13) MAC_2_OF(s7, s14, s15)
               END_2)

#define END_1 LINE("vstr s0, [%[b]]") LINE("add %[b], %[b_step]")
DEFINE_KEEPING_WEIGHTS(block_1x1, "s8", 0, 0,
               LOAD_1_STEP(a, s4, a_step) LINE("vldr s0, [%[b]]") MAC_1(s0, s4, s8) END_1)
DEFINE_KEEPING_WEIGHTS(block_4x1, "s8-s11", 0, 0,
               LOAD_STEP(a, "s4-s7", a_step) LINE("vldr s0, [%[b]]")
               MAC_CHAIN_4(s0, s4, s8, s5, s9, s6, s10, s7, s11)
               END_1)

/* ---- A block whose columns are contiguous, but not its inputs -------------------------------- */

#if GM_ARCH_HELIUM
/* Helium has no such block: inputs_of_block() returns one input if inputs are not contiguous. */
#define columns_of_block_4x4(loop, input, a, b, w) ((void)(input))
#else

/* Loads 4 inputs of two adjacent columns, or of one. a advances by two columns in both cases. */
#define LOAD_COLUMNS_0_1(first, second) LOAD_STEP(a, first, a_input) LOAD_STEP(a, second, a_input)
#define LOAD_COLUMNS_2_3(third, fourth) LOAD_STEP(a, third, a_input) LOAD_STEP(a, fourth, a_back)

#if GM_APART
/* Inputs of two columns in s8 to s11, two at a time, weights in s14 to s29. */
#define BLOCK_WEIGHTS "s14-s29"
#define ADD_TWO_COLUMNS                                                                                   \
    LOAD_COLUMNS_0_1("s8, s9", "s10, s11")                                                                \
    MAC_2x4(s8, s9, , , s14, s15, s16, s17) MAC_2x4(s10, s11, , , s18, s19, s20, s21)                     \
    LOAD_COLUMNS_2_3("s8, s9", "s10, s11")                                                                \
    MAC_2x4(s8, s9, , , s22, s23, s24, s25) MAC_2x4(s10, s11, , , s26, s27, s28, s29)
#define ADD_ONE_COLUMN                                                                                    \
    LOAD_COLUMNS_0_1("s8", "s9") LOAD_COLUMNS_2_3("s10", "s11")                                           \
    MAC_4(s8, s14, s15, s16, s17) MAC_4(s9, s18, s19, s20, s21)                                           \
    MAC_4(s10, s22, s23, s24, s25) MAC_4(s11, s26, s27, s28, s29)
#else
/* Inputs of two columns in s8 to s15, weights in s16 to s31. */
#define BLOCK_WEIGHTS "s16-s31"
#define ADD_TWO_COLUMNS                                                                                   \
    LOAD_COLUMNS_0_1("s8, s9", "s10, s11") LOAD_COLUMNS_2_3("s12, s13", "s14, s15")                       \
    MAC_2x4(s8, s9, , , s16, s17, s18, s19) MAC_2x4(s10, s11, , , s20, s21, s22, s23)                     \
    MAC_2x4(s12, s13, , , s24, s25, s26, s27) MAC_2x4(s14, s15, , , s28, s29, s30, s31)
#define ADD_ONE_COLUMN                                                                                    \
    LOAD_COLUMNS_0_1("s8", "s10") LOAD_COLUMNS_2_3("s12", "s14")                                          \
    MAC_4(s8, s16, s17, s18, s19) MAC_4(s10, s20, s21, s22, s23)                                          \
    MAC_4(s12, s24, s25, s26, s27) MAC_4(s14, s28, s29, s30, s31)
#endif

#define TWO_COLUMNS                                                                                       \
    LINE("add %[b1], %[b], %[b_step]")                                                                    \
    LINE("vldmia %[b], {s0-s3}") LINE("vldmia %[b1], {s4-s7}")                                            \
    ADD_TWO_COLUMNS                                                                                       \
    LINE("vstmia %[b], {s0-s3}") LINE("vstmia %[b1], {s4-s7}")                                            \
    LINE("add %[b], %[b1], %[b_step]")
#define ONE_COLUMN LINE("vldmia %[b], {s0-s3}") ADD_ONE_COLUMN END_4

TILE columns_of_block_4x4(const gm_loop *loop, uint32_t input, const float *a, float *b, const float *w)
{
    uint32_t rows = loop->rows, left, moved = (loop->columns + 1) / 2 * 2;
    float *b1;
    __asm__ volatile(LINE("vldmia %[w], {" BLOCK_WEIGHTS "}")
                     "1:\n\t"
                     LINE("subs %[left], %[columns], #2")
                     LINE("blo 3f")
                     LOOP_LABEL(2)
                     TWO_COLUMNS
                     LINE("subs %[left], #2")
                     LINE("bhs 2b")
                     "3:\n\t"
                     LINE("adds %[left], #2")
                     LINE("beq 4f")
                     ONE_COLUMN
                     "4:\n\t"
                     LINE("add %[a], %[a_skip]")
                     LINE("add %[b], %[b_skip]")
                     LINE("subs %[rows], #1")
                     LINE("bne 1b")
                     : [a] "+r"(a), [b] "+r"(b), [b1] "=&r"(b1), [rows] "+r"(rows), [left] "=&r"(left)
                     : [columns] "r"(loop->columns), [a_input] "r"(4 * input), [a_back] "r"(4 * (2 - 3 * input)),
                     [b_step] "r"(4 * loop->b_column), [a_skip] "r"(4 * (loop->a_row - moved)),
                     [b_skip] "r"(gm_loop_skip(loop->b_row, loop->b_column, loop->columns)), [w] "r"(w)
                     : CHANGED);
}

#endif

/* ---- The choice of the block ----------------------------------------------------------------- */

static void add_weight_block(const gm_loop *loop, const float *in, float *out, uint32_t inputs, uint32_t outputs,
                             const float *w)
{
    switch (outputs * 8 + inputs) {
#if !GM_ARCH_HELIUM
    case 8 * 8 + 1: block_1x8(loop, in, out, w); break;
    case 4 * 8 + 4: block_4x4(loop, in, out, w); break;
    case 4 * 8 + 3: block_3x4(loop, in, out, w); break;
    case 4 * 8 + 2: block_2x4(loop, in, out, w); break;
#endif
    case 4 * 8 + 1: block_1x4(loop, in, out, w); break;
    case 2 * 8 + 4: block_4x2(loop, in, out, w); break;
    case 2 * 8 + 1: block_1x2(loop, in, out, w); break;
    case 1 * 8 + 4: block_4x1(loop, in, out, w); break;
    default: block_1x1(loop, in, out, w); break;
    }
}

/* Returns the outputs of the next block. single: it takes inputs one by one. */
static uint32_t outputs_of_block(uint32_t left, int single)
{
    return left >= 8 && single && !GM_ARCH_HELIUM ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

/* Returns the inputs of the next block, apart from those of 6. apart: inputs are not
 * contiguous, but columns are. */
static uint32_t inputs_of_block(uint32_t left, uint32_t outputs, int apart)
{
    if (GM_ARCH_HELIUM && outputs == 4) {
        return 1; /* sums of more inputs run in Helium's tiles */
    }
    if (outputs == 8) {
        return 1;
    }
    if (left >= 4 && !(apart && outputs < 4)) {
        return 4;
    }
    return outputs == 4 && !apart ? left : 1;
}

/* Copies the weights of 4 outputs, input by input. Steps in elements. */
TILE gather_4_outputs(const float *w, uint32_t input, uint32_t output, uint32_t inputs, float *to)
{
    uint32_t w0, w1, w2, w3;
    __asm__ volatile(LOOP_LABEL(1)
                     LINE("ldr %[w0], [%[w]]") LINE("ldr %[w1], [%[w], %[output]]")
                     LINE("ldr %[w2], [%[w], %[output], lsl #1]") LINE("ldr %[w3], [%[w], %[output_3]]")
                     LINE("str %[w0], [%[to]], #4") LINE("str %[w1], [%[to]], #4")
                     LINE("str %[w2], [%[to]], #4") LINE("str %[w3], [%[to]], #4")
                     LINE("add %[w], %[input]")
                     LINE("subs %[inputs], #1")
                     LINE("bne 1b")
                     : [w] "+r"(w), [to] "+r"(to), [inputs] "+r"(inputs), [w0] "=&r"(w0), [w1] "=&r"(w1),
                       [w2] "=&r"(w2), [w3] "=&r"(w3)
                     : [input] "r"(4 * input), [output] "r"(4 * output), [output_3] "r"(12 * output)
                     : "cc", "memory");
}

/* Copies weights: by input, then output. Returns the end of the copy. */
__attribute__((noinline)) static float *gather(const float *w, uint32_t input, uint32_t output, uint32_t inputs,
                                               uint32_t outputs, float *to)
{
    if (outputs == 4) {
        gather_4_outputs(w, input, output, inputs, to);
        return to + 4 * inputs;
    }
    for (; inputs > 0; inputs--, w += input) {
        for (uint32_t n = 0; n < outputs; n++) {
            *to++ = w[n * output];
        }
    }
    return to;
}

/* Copying a block's weights pays off from 16 pixels on. For long sums with contiguous weights,
 * tiles are faster, as they copy none. */
int gm_blocks_suit(const gm_product *product)
{
    const gm_product *p = product;
    int neighbours = (p->in.channel == 1 || p->in.column == 1 || p->sums < 4) &&
        (p->out.channel == 1 || p->outputs == 1);
    int tiles = (p->w_in == 1 || p->w_out == 1) && p->sums >= 64;
    return neighbours && !tiles && p->rows * p->columns >= 16 && (!GM_ARCH_HELIUM || p->sums < 4);
}

void gm_add_panel(const gm_loop *loop, uint32_t step, const float *in, const float *panel, float *out, uint32_t inputs,
                  uint32_t outputs)
{
#if !GM_ARCH_HELIUM
    uint32_t sixes = step == 1 && outputs == 4 ? inputs / 6 : 0;
    if (sixes > 0) {
        blocks_6x4(loop, in, out, panel, sixes);
        inputs -= 6 * sixes, in += 6 * sixes, panel += 6 * 4 * sixes;
    }
#endif
    for (uint32_t count; inputs > 0; inputs -= count, in += count * step, panel += count * outputs) {
        count = step == 1 || loop->a_column == 1 ? inputs_of_block(inputs, outputs, step != 1) : 1;
        if (step != 1 && count > 1) {
            columns_of_block_4x4(loop, step, in, out, panel);
        } else {
            add_weight_block(loop, in, out, count, outputs, panel);
        }
    }
}

/* Inputs whose weights are copied at once: whole blocks. */
#define BLOCK_PANEL_INPUTS 24

void gm_add_blocks(const gm_product *product, const float *in, const float *w, float *out)
{
    const gm_product *p = product;
    gm_loop loop = { p->rows, p->columns, p->in.row, p->in.column, p->out.row, p->out.column };
    loop = gm_turned(&loop);
    uint32_t step = p->sums == 1 ? 1 : p->in.channel;
    float panel[4 * BLOCK_PANEL_INPUTS];
    for (uint32_t n = 0, outputs; n < p->outputs; n += outputs) {
        outputs = outputs_of_block(p->outputs - n, step != 1 && p->sums < 4);
        for (uint32_t i = 0, inputs; i < p->sums; i += inputs) {
            inputs = gm_smaller(p->sums - i, BLOCK_PANEL_INPUTS);
            gather(w + n * p->w_out + i * p->w_in, p->w_in, p->w_out, inputs, outputs, panel);
            gm_add_panel(&loop, step, in + i * step, panel, out + n, inputs, outputs);
        }
    }
}

uint32_t gm_gather_panel(const gm_row_weights *row, const float *w, uint32_t outputs, gm_span inputs, float *panel)
{
    outputs = outputs_of_block(outputs, 0);
    for (uint32_t i = inputs.first, count; i < inputs.end; i += count) {
        uint32_t tap = i / row->inputs_of_tap, input = i % row->inputs_of_tap;
        count = gm_smaller(row->inputs_of_tap - input, inputs.end - i);
        panel = gather(w + tap * row->tap + input * row->input, row->input, row->output, count, outputs, panel);
    }
    return outputs;
}

#endif
