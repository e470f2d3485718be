/*
 * Depthwise convolutions with kernels three taps wide, with Helium: 4 groups at a time, whose
 * weights of a kernel row, or the sums of these weights' gradients, stay in registers while all
 * pixels pass. Each input is loaded once for up to three products. Machine instructions for each
 * multiply-accumulate in a long row, with strides of 1 and 2: 0.69 and 0.89, gradients of
 * weights 0.61 and 0.81.
 */
#include "../../../conv_gradient.h"
#include "../../../rows.h"
#include "../../arm_m/blocks/registers.h"
#include "../helium.h"

#if GM_ARCH_HELIUM && (GM_WITH_CONV || GM_WITH_CONV_TRANSPOSE || GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE)

/* The rows of outputs that a kernel row reaches: `left` outputs, one or none, without its first
 * tap, then those with all three taps, by threes and then the rest, and `right` ones, one or none,
 * without its last tap. Steps in bytes, those to the next row from behind a row's last input and
 * output. Assembly reads it in this order. */
typedef struct output_rows {
    uint32_t x_step, y_step, threes, rest, edges; /* left + 2 right */
    uint32_t rows, x_skip, y_skip, w_group;
} output_rows;

/* ---- Rows in assembly ------------------------------------------------------------------------ */

/* x is in r4, y in r5; q0 to q2 are weights or sums of three taps, q7 offsets of the four groups in
 * these. */
#define NEXT_X(q) LINE("vldrw.u32 " #q ", [r4]") LINE("add r4, r6")
#define LOAD_Y LINE("vldrw.u32 q6, [r5]")
#define STORE_Y LINE("vstrw.32 q6, [r5]") LINE("add r5, r8")
#define VECTORS(sum, a, b) LINE("vfma.f32 " #sum ", " #a ", " #b)

/* Multiply-adds with the inputs of an output's first, second and third tap: Y adds input times
 * weight to y, and SUM adds input times y to the sums. */
#define Y_LEFT(b, c) LOAD_Y VECTORS(q6, b, q1) VECTORS(q6, c, q2) STORE_Y
#define Y_MIDDLE(a, b, c) LOAD_Y VECTORS(q6, a, q0) VECTORS(q6, b, q1) VECTORS(q6, c, q2) STORE_Y
#define Y_RIGHT(a, b) LOAD_Y VECTORS(q6, a, q0) VECTORS(q6, b, q1) STORE_Y
#define SUM_LEFT(b, c) LOAD_Y LINE("add r5, r8") VECTORS(q1, b, q6) VECTORS(q2, c, q6)
#define SUM_MIDDLE(a, b, c) LOAD_Y LINE("add r5, r8") VECTORS(q0, a, q6) VECTORS(q1, b, q6) VECTORS(q2, c, q6)
#define SUM_RIGHT(a, b) LOAD_Y LINE("add r5, r8") VECTORS(q0, a, q6) VECTORS(q1, b, q6)

/* How a row begins, its left output, three outputs, one, and its right one. With a stride of one
 * the inputs of an output's first two taps are in q3 and q4 before it, else that of its first tap
 * in q3. */
#define BEGIN_1 NEXT_X(q3) NEXT_X(q4)
#define LEFT_1(OF) OF##_LEFT(q3, q4)
#define THREE_1(OF)                                                                                           \
    NEXT_X(q5) OF##_MIDDLE(q3, q4, q5) NEXT_X(q3) OF##_MIDDLE(q4, q5, q3) NEXT_X(q4) OF##_MIDDLE(q5, q3, q4)
#define ONE_1(OF) NEXT_X(q5) OF##_MIDDLE(q3, q4, q5) LINE("vmov q3, q4") LINE("vmov q4, q5")
#define RIGHT_1(OF) OF##_RIGHT(q3, q4)
#define BEGIN_2 NEXT_X(q3)
#define LEFT_2(OF) LINE("vmov q4, q3") NEXT_X(q3) OF##_LEFT(q4, q3)
#define ONE_2(OF) NEXT_X(q4) NEXT_X(q5) OF##_MIDDLE(q3, q4, q5) LINE("vmov q3, q5")
#define THREE_2(OF)                                                                                           \
    NEXT_X(q4) NEXT_X(q5) OF##_MIDDLE(q3, q4, q5) NEXT_X(q4) NEXT_X(q3) OF##_MIDDLE(q5, q4, q3) ONE_2(OF)
#define RIGHT_2(OF) NEXT_X(q4) OF##_RIGHT(q3, q4)

/*
 * The other way round with a stride of two (SPREAD): "x" is the convolution's output and "y" its input, of which each
 * second one, between two outputs, takes the middle tap of the first of them, and each other one the first tap of an output
 * and the last tap of the one before it, which is in q3. The left input, if it is there, has no output before it, the right
 * one none of its own.
 */
#define BEGIN_SPREAD NEXT_X(q3)
#define LEFT_SPREAD(OF) LOAD_Y VECTORS(q6, q3, q0) STORE_Y
#define BETWEEN(a) LOAD_Y VECTORS(q6, a, q1) STORE_Y
#define SPREAD_TO(before, here) BETWEEN(before) NEXT_X(here) LOAD_Y VECTORS(q6, here, q0) VECTORS(q6, before, q2) STORE_Y
#define THREE_SPREAD(OF) SPREAD_TO(q3, q4) SPREAD_TO(q4, q5) SPREAD_TO(q5, q3)
#define ONE_SPREAD(OF) SPREAD_TO(q3, q4) LINE("vmov q3, q4")
#define RIGHT_SPREAD(OF) LOAD_Y VECTORS(q6, q3, q2) STORE_Y

/* At the end of sums; outputs are stored. */
#define END_Y
#define END_SUM                                                                                               \
    LINE("vstrw.32 q0, [r2, q7]") LINE("add r2, #4") LINE("vstrw.32 q1, [r2, q7]") LINE("add r2, #4")         \
    LINE("vstrw.32 q2, [r2, q7]")

/* WITH: what is done where a row has an edge: ANY asks for each row, BOTH knows that there are both. */
#define LEFT_OF_ANY(LEFT) LINE("tst r11, #1") LINE("beq 2f") LEFT "2:\n\t"
#define RIGHT_OF_ANY(RIGHT) LINE("tst r11, #2") LINE("beq 7f") RIGHT "7:\n\t"
#define LEFT_OF_BOTH(LEFT) LEFT
#define RIGHT_OF_BOTH(RIGHT) RIGHT
#define LEFT_OF_SPREAD(LEFT) LEFT_OF_ANY(LEFT)
#define RIGHT_OF_SPREAD(RIGHT) BETWEEN(q3) RIGHT_OF_ANY(RIGHT)

/* Defines a function that returns 0 where subnormal numbers were flushed. OF: Y, to which it adds,
 * and which is without use then; or SUM, where it adds to w, which has not changed then. */
#define DEFINE_ROWS_OF_EDGES(name, OF, STRIDE, WITH)                                                                   \
    __attribute__((noinline)) static int name(const float *x, const float *y, const float *w, const output_rows *l)    \
    {                                                                                                            \
        register uintptr_t r0 __asm__("r0") = (uintptr_t)x; /* then a step, and what was flushed */              \
        register uintptr_t r1 __asm__("r1") = (uintptr_t)y;                                                      \
        register uintptr_t r2 __asm__("r2") = (uintptr_t)w;                                                      \
        register const output_rows *r3 __asm__("r3") = l;                                                        \
        __asm__ volatile(HELIUM                                                                                  \
                         CLEAR_FLUSHED(r12)                                                                      \
                         LINE("ldr r5, [r3, %[w_group]]")                                                        \
                         LINE("mov r4, #0") LINE("vidup.u32 q7, r4, #1") LINE("vmul.i32 q7, q7, r5")             \
                         LINE("vldrw.u32 q0, [r2, q7]") LINE("add r2, #4")                                       \
                         LINE("vldrw.u32 q1, [r2, q7]") LINE("add r2, #4")                                       \
                         LINE("vldrw.u32 q2, [r2, q7]") LINE("sub r2, #8")                                       \
                         LINE("ldm r3, {r6, r8, r9, r10, r11, r12}")                                             \
                         LINE("mov r4, r0") LINE("mov r5, r1")                                                   \
                         LINE("ldrd r0, r1, [r3, %[x_skip]]")                                                    \
                         "1:\n\t"                                                                                \
                         BEGIN_##STRIDE                                                                          \
                         LEFT_OF_##WITH(LEFT_##STRIDE(OF))                                                       \
                         LINE("wls lr, r9, 4f")                                                                  \
                         "3:\n\t"                                                                                \
                         THREE_##STRIDE(OF)                                                                      \
                         LINE("le lr, 3b")                                                                       \
                         "4:\n\t"                                                                                \
                         LINE("wls lr, r10, 6f")                                                                 \
                         "5:\n\t"                                                                                \
                         ONE_##STRIDE(OF)                                                                        \
                         LINE("le lr, 5b")                                                                       \
                         "6:\n\t"                                                                                \
                         RIGHT_OF_##WITH(RIGHT_##STRIDE(OF))                                                     \
                         LINE("add r4, r0") LINE("add r5, r1")                                                   \
                         LINE("subs r12, #1")                                                                    \
                         LINE("bne 1b")                                                                          \
                         IF_FLUSHED(r0, 8f)                                                                      \
                         END_##OF                                                                                \
                         "8:\n\t"                                                                                \
                         : "+r"(r0), "+r"(r1), "+r"(r2)                                                          \
                         : "r"(r3), [x_skip] "i"(offsetof(output_rows, x_skip)), [w_group] "i"(offsetof(output_rows, w_group)) \
                         : "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", CHANGED);                    \
        return r0 == 0;                                                                                          \
    }

/* The same of rows of any edges, with a form of its own for a stride of one and both, the usual ones. */
#define DEFINE_OUTPUT_ROWS(name, OF)                                                                                   \
    DEFINE_ROWS_OF_EDGES(name##_of_both_edges, OF, 1, BOTH)                                                            \
    DEFINE_ROWS_OF_EDGES(name##_1, OF, 1, ANY)                                                                         \
    DEFINE_ROWS_OF_EDGES(name##_2, OF, 2, ANY)                                                                         \
    static int name(uint32_t stride, const float *x, const float *y, const float *w, const output_rows *l)             \
    {                                                                                                                  \
        return (stride == 2 ? name##_2 : l->edges == 3 ? name##_of_both_edges : name##_1)(x, y, w, l);                 \
    }

/* ---- Which outputs a kernel row reaches ------------------------------------------------------ */

/* So many elements further, which may be backwards */
static const float *elements_behind(const float *p, uint32_t elements)
{
    return (const float *)((uintptr_t)p + 4 * elements);
}

/* What a kernel row reaches, and how many elements behind the beginning its first input and output are. All groups share
 * it. */
typedef struct kernel_row {
    output_rows of;
    uint32_t x, y;
} kernel_row;

#define MOST_KERNEL_ROWS 5u

/* All of a kernel row's outputs but the rows. Returns 0 where outputs lack other taps than these. */
static int set_columns(const gm_window *w, const gm_layout *x, const gm_layout *y, output_rows *l)
{
    gm_span taps[3];
    for (uint32_t i = 0; i < 3; i++) {
        taps[i] = gm_valid_outputs(i, w->stride_w, 1, w->pad_w, w->in_w, w->out_w);
    }
    uint32_t left = taps[0].first, right = w->out_w - taps[2].end, middle = w->out_w - left - right;
    uint32_t loaded = w->stride_w == 1 ? 2 + middle : 1 + left + 2 * middle + right;
    *l = (output_rows){ 4 * x->w, 4 * y->w, middle / 3, middle % 3, left + 2 * right, 0,
                        4 * (w->stride_h * x->h - loaded * x->w), 4 * (y->h - w->out_w * y->w), 0 };
    return w->kernel_w == 3 && w->dilation_w == 1 && w->stride_w <= 2 && w->pad_w <= 1 && left + right <= w->out_w &&
           right <= 1 && taps[0].end == w->out_w && taps[1].end == w->out_w;
}

/* Sets the rows of each kernel row, where columns are these. x, y: of an input row, and of an output row. */
static void set_rows(const gm_window *w, uint32_t x, uint32_t y, const output_rows *columns, kernel_row *rows)
{
    for (uint32_t k = 0; k < w->kernel_h; k++) {
        gm_span reached = gm_valid_outputs(k, w->stride_h, w->dilation_h, w->pad_h, w->in_h, w->out_h);
        uint32_t row = gm_input_index(reached.first, k, w->stride_h, w->dilation_h, w->pad_h);
        rows[k] = (kernel_row){ *columns, row * x, reached.first * y };
        rows[k].of.rows = reached.end - reached.first;
    }
}

/* The kernel rows of a depthwise convolution. w_group: bytes from the weights of one group to the next. Returns 0 where
 * they are none that can be taken. */
static int set_kernel_rows(const gm_window *w, const gm_layout *x, const gm_layout *y, uint32_t w_group, kernel_row *rows)
{
    output_rows columns;
    if (w->kernel_h > MOST_KERNEL_ROWS || !set_columns(w, x, y, &columns)) {
        return 0;
    }
    columns.w_group = w_group;
    set_rows(w, x->h, y->h, &columns, rows);
    return 1;
}

/* ---- Convolutions ---------------------------------------------------------------------------- */

#if GM_WITH_CONV || GM_WITH_CONV_TRANSPOSE

/* Transposed, x and y are the other way round, and go backwards: each x takes its products in the
 * same order then. */
typedef struct depthwise_conv {
    gm_window window;
    gm_layout x, y;
    uint32_t groups, w_group, w_h;
    int plus_zero; /* + 0 is the last step, and all outputs start from 0 in place of the empty sum: that is the same */
} depthwise_conv;

DEFINE_OUTPUT_ROWS(add_rows, Y)

/* Adds all products of 4 groups. Returns 0 where subnormal numbers were flushed. */
static int add_depthwise_products(const depthwise_conv *d, const kernel_row *rows, const float *x, const float *w,
                                  const float *y)
{
    for (uint32_t k = 0; k < d->window.kernel_h; k++, w += d->w_h, rows++) {
        const float *x_at = elements_behind(x, rows->x), *y_at = elements_behind(y, rows->y);
        if (rows->of.rows > 0 && !add_rows(d->window.stride_w, x_at, y_at, w, &rows->of)) {
            return 0;
        }
    }
    return 1;
}

static float plain_depthwise_sum(const depthwise_conv *d, const float *x, const float *w, uint32_t row, uint32_t column,
                                 float sum)
{
    const gm_window *of = &d->window;
    for (uint32_t tap = 0; tap < 3 * of->kernel_h; tap++) {
        uint32_t i = gm_input_index(row, tap / 3, of->stride_h, of->dilation_h, of->pad_h);
        uint32_t j = gm_input_index(column, tap % 3, of->stride_w, 1, of->pad_w);
        if (i < of->in_h && j < of->in_w) {
            sum = GM_MAC(sum, *elements_behind(x, i * d->x.h + j * d->x.w), w[tap / 3 * d->w_h + tap % 3]);
        }
    }
    return sum;
}

/* One group from the beginning, in plain C */
static void plain_group(const depthwise_conv *d, const float *x, const float *w, float bias, float *y)
{
    for (uint32_t row = 0; row < d->window.out_h; row++) {
        for (uint32_t column = 0; column < d->window.out_w; column++) {
            float *at = (float *)elements_behind(y, row * d->y.h + column * d->y.w);
            float sum = plain_depthwise_sum(d, x, w, row, column, bias);
            *at = d->plus_zero ? sum + 0.0f : sum;
        }
    }
}

static int convolve(const depthwise_conv *d, const float *x, const float *w, const float *bias, float *y)
{
    kernel_row rows[MOST_KERNEL_ROWS];
    if (d->groups % 4 > 0 || !set_kernel_rows(&d->window, &d->x, &d->y, 4 * d->w_group, rows)) {
        return 0;
    }
    for (uint32_t group = 0; group < d->groups; group += 4, x += 4, w += 4 * d->w_group, y += 4) {
        int done = add_depthwise_products(d, rows, x, w, y);
        for (uint32_t i = 0; i < 4 && !done; i++) {
            plain_group(d, x + i, w + i * d->w_group, bias ? bias[group + i] : GM_EMPTY_SUM, y + i);
        }
    }
    return 1;
}

#endif

#if GM_WITH_CONV

int gm_helium_depthwise(const gm_insn_conv *insn, const float *x, const float *w, const float *bias, float *y)
{
    const depthwise_conv d = {
        .window = GM_WINDOW(insn),
        .x = { 0, insn->x_h, insn->x_w, 0, 0 }, .y = { 0, insn->y_h, insn->y_w, 0, 0 },
        .groups = insn->groups, .w_group = insn->w_group, .w_h = insn->w_h,
    };
    return insn->w_w == 1 && convolve(&d, x, w, bias, y);
}

#endif

#if GM_WITH_CONV_TRANSPOSE

/* With a stride of one: a convolution that goes backwards. */
static int transpose_backwards(const gm_insn_conv_transpose *insn, const float *y, const float *w, const float *bias,
                               float *x)
{
    const depthwise_conv d = {
        .window = { insn->out_h, insn->out_w, insn->in_h, insn->in_w, insn->kernel_h, insn->kernel_w, 1, 1,
                    insn->dilation_h, insn->dilation_w, insn->pad_h + insn->in_h - insn->out_h,
                    insn->pad_w + insn->in_w - insn->out_w },
        .x = { 0, 0 - insn->y_h, 0 - insn->y_w, 0, 0 }, .y = { 0, 0 - insn->x_h, 0 - insn->x_w, 0, 0 },
        .groups = insn->groups, .w_group = insn->w_group, .w_h = insn->w_h, .plus_zero = !bias,
    };
    const float *y_last = y + (insn->out_h - 1) * insn->y_h + (insn->out_w - 1) * insn->y_w;
    float *x_last = x + (insn->in_h - 1) * insn->x_h + (insn->in_w - 1) * insn->x_w;
    return insn->stride_h == 1 && insn->pad_h + insn->in_h >= insn->out_h && convolve(&d, y_last, w, bias, x_last);
}

DEFINE_ROWS_OF_EDGES(spread_rows, Y, SPREAD, SPREAD)

/* Adds all products of 4 groups. Returns 0 where subnormal numbers were flushed. */
static int spread_products(const gm_insn_conv_transpose *insn, const kernel_row *rows, const float *y, const float *w,
                           float *x)
{
    for (uint32_t k = 0; k < insn->kernel_h; k++, w += insn->w_h, rows++) {
        if (rows->of.rows > 0 && !spread_rows(y + rows->y, x + rows->x, w, &rows->of)) {
            return 0;
        }
    }
    return 1;
}

static float plain_spread_sum(const gm_insn_conv_transpose *insn, const float *y, const float *w, uint32_t row,
                              uint32_t column, float sum)
{
    for (uint32_t tap = 0; tap < 3 * insn->kernel_h; tap++) {
        uint32_t o = gm_output_index(row, tap / 3, insn->stride_h, insn->dilation_h, insn->pad_h, insn->out_h);
        uint32_t p = gm_output_index(column, tap % 3, insn->stride_w, 1, insn->pad_w, insn->out_w);
        if (o < insn->out_h && p < insn->out_w) {
            sum = GM_MAC(sum, y[o * insn->y_h + p * insn->y_w], w[tap / 3 * insn->w_h + tap % 3]);
        }
    }
    return sum;
}

/* One group from the beginning, in plain C */
static void plain_spread_group(const gm_insn_conv_transpose *insn, const float *y, const float *w, const float *bias,
                               float *x)
{
    for (uint32_t row = 0; row < insn->in_h; row++) {
        for (uint32_t column = 0; column < insn->in_w; column++) {
            float sum = plain_spread_sum(insn, y, w, row, column, bias ? *bias : GM_EMPTY_SUM);
            x[row * insn->x_h + column * insn->x_w] = bias ? sum : sum + 0.0f;
        }
    }
}

/* With a stride of two: each output goes to the inputs under its three taps. */
static int transpose_by_two(const gm_insn_conv_transpose *insn, const float *y, const float *w, const float *bias,
                            float *x)
{
    uint32_t left = insn->pad_w == 0, behind = 2 * insn->out_w - insn->pad_w, right = behind < insn->in_w;
    const output_rows columns = {
        4 * insn->y_w, 4 * insn->x_w, (insn->out_w - 1) / 3, (insn->out_w - 1) % 3, left + 2 * right, 0,
        4 * (insn->y_h - insn->out_w * insn->y_w),
        4 * (insn->stride_h * insn->x_h - (left + 2 * insn->out_w - 1 + right) * insn->x_w), 4 * insn->w_group
    };
    const gm_window window = GM_WINDOW(insn);
    kernel_row rows[MOST_KERNEL_ROWS];
    if (insn->kernel_h > MOST_KERNEL_ROWS || insn->groups % 4 > 0 || insn->kernel_w != 3 || insn->dilation_w != 1 || insn->pad_w > 1 || behind > insn->in_w) {
        return 0;
    }
    set_rows(&window, insn->x_h, insn->y_h, &columns, rows);
    for (uint32_t group = 0; group < insn->groups; group += 4, y += 4, w += 4 * insn->w_group, x += 4) {
        int done = spread_products(insn, rows, y, w, x);
        for (uint32_t i = 0; i < 4 && !done; i++) {
            plain_spread_group(insn, y + i, w + i * insn->w_group, bias ? bias + group + i : NULL, x + i);
        }
    }
    return 1;
}

int gm_helium_depthwise_transpose(const gm_insn_conv_transpose *insn, const float *y, const float *w, const float *bias,
                                  float *x)
{
    int is_way = insn->w_w == 1 && !insn->accumulate;
    return is_way && (insn->stride_w == 1   ? transpose_backwards(insn, y, w, bias, x)
                      : insn->stride_w == 2 ? transpose_by_two(insn, y, w, bias, x)
                                            : 0);
}

#endif

/* ---- Gradients of weights -------------------------------------------------------------------- */

#if GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE

DEFINE_OUTPUT_ROWS(sum_rows, SUM)

/* Tap (k, l) of one group, in plain C */
static void plain_tap(const gm_conv_gradient *g, uint32_t k, uint32_t l, const float *x, const float *dy, float *sum)
{
    const gm_window *w = &g->window;
    for (uint32_t row = 0; row < w->out_h; row++) {
        uint32_t i = gm_input_index(row, k, w->stride_h, w->dilation_h, w->pad_h);
        for (uint32_t column = 0; column < w->out_w; column++) {
            uint32_t j = gm_input_index(column, l, w->stride_w, 1, w->pad_w);
            if (i < w->in_h && j < w->in_w) {
                *sum = GM_MAC(*sum, dy[row * g->dy.h + column * g->dy.w], x[i * g->x.h + j * g->x.w]);
            }
        }
    }
}

/* Adds what one sample gives to the sums of 4 groups, `size` taps each, of kernel row k, which
 * begin at `sums`. */
static void add_sample(const gm_conv_gradient *g, const kernel_row *row, uint32_t k, const float *x, const float *dy,
                       float *sums, uint32_t size)
{
    if (row->of.rows == 0 || sum_rows(g->window.stride_w, x + row->x, dy + row->y, sums, &row->of)) {
        return;
    }
    for (uint32_t i = 0; i < 12; i++) {
        plain_tap(g, k, i % 3, x + i / 3, dy + i / 3, sums + i / 3 * size + i % 3);
    }
}

/* 4 groups; x and dy: at the first. */
static void four_gradients(const gm_conv_gradient *g, const kernel_row *rows, const float *x, const float *dy,
                           float *sums, uint32_t size)
{
    for (uint32_t k = 0; k < g->window.kernel_h; k++) {
        for (uint32_t b = 0; b < g->batch; b++) {
            add_sample(g, rows + k, k, x + b * g->x.batch, dy + b * g->dy.batch, sums + 3 * k, size);
        }
    }
}

int gm_helium_depthwise_gradient(const gm_conv_gradient *g, const float *x, const float *dy,
                                 const gm_gradient_target *target)
{
    kernel_row rows[MOST_KERNEL_ROWS];
    uint32_t size = 3 * g->window.kernel_h;
    float room[36];
    if (g->window.kernel_h > 3 || target->groups % 4 > 0 ||
        !set_kernel_rows(&g->window, &g->x, &g->dy, 4 * size, rows)) {
        return 0;
    }
    for (uint32_t group = 0; group < target->groups; group += 4) {
        float *sums = target->update ? room : target->w + group * size;
        if (!target->accumulate) {
            gm_start_row(sums, NULL, 4 * size);
        }
        four_gradients(g, rows, x + group, dy + group, sums, size);
        if (target->update) {
            gm_rule_args args = *target->update;
            gm_helium_step(target->update, &args, sums, group * size, 4 * size);
        }
    }
    return 1;
}

#endif

#endif
