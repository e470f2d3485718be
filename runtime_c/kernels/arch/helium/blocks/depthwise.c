/*
 * Depthwise convolutions with kernels three taps wide, with Helium: 4 groups at a time. The
 * weights of a kernel row, or the sums of these weights' gradients, stay in registers across all
 * pixels. Each input is loaded once for up to three products, and the first kernel row that
 * reaches an output starts its sum. Machine instructions for each multiply-accumulate in a long
 * row, with strides of 1 and 2: 0.69 and 0.89, for rows that start sums 0.61 and 0.81, for weight
 * gradients 0.61 and 0.81.
 */
#include "../../../../generated/instructions/conv.h"
#include "../../../../generated/instructions/conv_grad_w.h"
#include "../../../../generated/instructions/conv_transpose.h"
#include "../../../../generated/instructions/conv_update.h"
#include "../../../conv_gradient.h"
#include "../../../rows.h"
#include "../../arm_m/blocks/registers.h"
#include "../helium.h"

#if GM_ARCH_HELIUM && (GM_WITH_CONV || GM_WITH_CONV_TRANSPOSE || GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE)

/* A kernel row and the outputs it reaches: `left` outputs of a row, 0 or 1, without its first tap,
 * then those with all three taps, in groups of three and then the rest, and `right` ones, 0 or 1,
 * without its last tap. Steps and skips in bytes. Assembly reads the first fields in this order. */
typedef struct kernel_row {
    uint32_t x_step, y_step, threes, rest, edges; /* left + 2 right */
    uint32_t rows, x_skip, y_skip;                /* skips: to the next row, from the end of a row's inputs and
                                                   * outputs */
    uint32_t w_group;                             /* from the weights of one group to the next */
    uint32_t fresh;                               /* its outputs have no sums yet */
    uint32_t x_next, y_next, w_next, more;        /* if `more` is not 0: to the next kernel row, from the end of the
                                                   * last row */
    uint32_t number, x_row, y_row;                /* its index; from one row to the next */
    uint32_t x, y;                                /* offsets of its first input and output, in elements */
    uint32_t first, row_step;                     /* the rows of outputs: first, first + row_step, ... */
} kernel_row;

#define MOST_KERNEL_ROWS 5u

/* All of them in order. The first `fresh` ones start the sums, each row of outputs
 * with one of these. */
typedef struct kernel_rows {
    uint32_t count, fresh;
    kernel_row rows[MOST_KERNEL_ROWS];
} kernel_rows;

/* ---- Rows in assembly ------------------------------------------------------------------------ */

/* x is in r4, y in r5; q0 to q2 are weights or sums of three taps, q7 offsets of the
 * four groups in these. */
#define NEXT_X(q) LINE("vldrw.u32 " #q ", [r4]") LINE("add r4, r6")
#define LOAD_Y LINE("vldrw.u32 q6, [r5]")
#define STORE_Y LINE("vstrw.32 q6, [r5]") LINE("add r5, r8")
#define VECTORS(sum, a, b) LINE("vfma.f32 " #sum ", " #a ", " #b)

/* The first product of an output: Y has a sum, EMPTY has the empty sum, and ZERO starts from 0. */
#define FIRST_OF_Y(a, w) LOAD_Y VECTORS(q6, a, w)
#define FIRST_OF_EMPTY(a, w) LINE("vmul.f32 q6, " #a ", " #w)
#define FIRST_OF_ZERO(a, w) LINE("vmov.i32 q6, #0") VECTORS(q6, a, w)

/* Multiply-adds with the inputs of an output's first, second and third tap: Y, EMPTY and ZERO add
 * input times weight to y, and SUM adds input times y to the sums. */
#define TO_LEFT(OF, b, c) FIRST_OF_##OF(b, q1) VECTORS(q6, c, q2) STORE_Y
#define TO_MIDDLE(OF, a, b, c) FIRST_OF_##OF(a, q0) VECTORS(q6, b, q1) VECTORS(q6, c, q2) STORE_Y
#define TO_RIGHT(OF, a, b) FIRST_OF_##OF(a, q0) VECTORS(q6, b, q1) STORE_Y
#define Y_LEFT(b, c) TO_LEFT(Y, b, c)
#define Y_MIDDLE(a, b, c) TO_MIDDLE(Y, a, b, c)
#define Y_RIGHT(a, b) TO_RIGHT(Y, a, b)
#define EMPTY_LEFT(b, c) TO_LEFT(EMPTY, b, c)
#define EMPTY_MIDDLE(a, b, c) TO_MIDDLE(EMPTY, a, b, c)
#define EMPTY_RIGHT(a, b) TO_RIGHT(EMPTY, a, b)
#define ZERO_LEFT(b, c) TO_LEFT(ZERO, b, c)
#define ZERO_MIDDLE(a, b, c) TO_MIDDLE(ZERO, a, b, c)
#define ZERO_RIGHT(a, b) TO_RIGHT(ZERO, a, b)
#define SUM_LEFT(b, c) LOAD_Y LINE("add r5, r8") VECTORS(q1, b, q6) VECTORS(q2, c, q6)
#define SUM_MIDDLE(a, b, c) LOAD_Y LINE("add r5, r8") VECTORS(q0, a, q6) VECTORS(q1, b, q6) VECTORS(q2, c, q6)
#define SUM_RIGHT(a, b) LOAD_Y LINE("add r5, r8") VECTORS(q0, a, q6) VECTORS(q1, b, q6)

/* How a row begins, its left output, three outputs, one, and its right one. At stride 1, q3 and q4
 * hold the inputs of an output's first two taps beforehand, else q3 holds that of its first tap. */
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
 * The transposed direction at stride 2 (SPREAD): "x" is the convolution's output and "y" its input.
 * Every second y, between two outputs, takes the middle tap of the first of them; every other one
 * takes the first tap of an output and the last tap of the one before it, which is in q3. The left
 * input, if present, has no output before it, the right one none of its own.
 */
#define BEGIN_SPREAD NEXT_X(q3)
#define LEFT_SPREAD(OF) FIRST_OF_##OF(q3, q0) STORE_Y
#define BETWEEN(OF, a) FIRST_OF_##OF(a, q1) STORE_Y
#define SPREAD_TO(OF, before, here)                                                                           \
    BETWEEN(OF, before) NEXT_X(here) FIRST_OF_##OF(here, q0) VECTORS(q6, before, q2) STORE_Y
#define THREE_SPREAD(OF) SPREAD_TO(OF, q3, q4) SPREAD_TO(OF, q4, q5) SPREAD_TO(OF, q5, q3)
#define ONE_SPREAD(OF) SPREAD_TO(OF, q3, q4) LINE("vmov q3, q4")
#define RIGHT_SPREAD(OF) FIRST_OF_##OF(q3, q2) STORE_Y

/* At the end of a kernel row's sums; outputs are stored already. */
#define END_EMPTY
#define END_ZERO
#define END_SUM                                                                                               \
    LINE("vstrw.32 q0, [r2, q7]") LINE("add r2, #4") LINE("vstrw.32 q1, [r2, q7]") LINE("add r2, #4")         \
    LINE("vstrw.32 q2, [r2, q7]") LINE("sub r2, #8")

/* WITH: how to handle a row's edges, and the outputs that groups of three leave: ANY checks in each
 * row; BOTH knows that both edges are present; ONE also knows that one output is left, and the
 * right one takes its inputs from their current registers. */
#define LEFT_OF_ANY(OF, STRIDE) LINE("tst r11, #1") LINE("beq 2f") LEFT_##STRIDE(OF) "2:\n\t"
#define RIGHT_OF_ANY(OF, STRIDE) REST(OF, STRIDE) LINE("tst r11, #2") LINE("beq 7f") RIGHT_##STRIDE(OF) "7:\n\t"
#define LEFT_OF_BOTH(OF, STRIDE) LEFT_##STRIDE(OF)
#define RIGHT_OF_BOTH(OF, STRIDE) REST(OF, STRIDE) RIGHT_##STRIDE(OF)
#define LEFT_OF_ONE LEFT_OF_BOTH
#define RIGHT_OF_ONE(OF, STRIDE) NEXT_X(q5) OF##_MIDDLE(q3, q4, q5) OF##_RIGHT(q4, q5)
#define LEFT_OF_SPREAD LEFT_OF_ANY
#define RIGHT_OF_SPREAD(OF, STRIDE)                                                                           \
    REST(OF, STRIDE) BETWEEN(OF, q3) LINE("tst r11, #2") LINE("beq 7f") RIGHT_##STRIDE(OF) "7:\n\t"
/* The same with one edge, the right one, and two outputs after the groups of three. */
#define LEFT_OF_TWO(OF, STRIDE)
#define RIGHT_OF_TWO(OF, STRIDE) SPREAD_TO(OF, q3, q4) SPREAD_TO(OF, q4, q3) BETWEEN(OF, q3) RIGHT_##STRIDE(OF)
#define REST(OF, STRIDE)                                                                                      \
    LINE("wls lr, r10, 6f")                                                                                   \
    "5:\n\t"                                                                                                  \
    ONE_##STRIDE(OF)                                                                                          \
    LINE("le lr, 5b")                                                                                         \
    "6:\n\t"

/* All rows of outputs of a kernel row; its fields are loaded. */
#define ROWS_OF_OUTPUTS(OF, STRIDE, WITH)                                                                            \
    "1:\n\t"                                                                                                  \
    BEGIN_##STRIDE                                                                                            \
    LEFT_OF_##WITH(OF, STRIDE)                                                                                \
    LINE("wls lr, r9, 4f")                                                                                    \
    "3:\n\t"                                                                                                  \
    THREE_##STRIDE(OF)                                                                                        \
    LINE("le lr, 3b")                                                                                         \
    "4:\n\t"                                                                                                  \
    RIGHT_OF_##WITH(OF, STRIDE)                                                                               \
    LINE("add r4, r0") LINE("add r5, r1")                                                                     \
    LINE("subs r12, #1")                                                                                      \
    LINE("bne 1b")
#define FRESH_OR_Y(OF, STRIDE, WITH)                                                                          \
    LINE("cmp lr, #0") LINE("beq 8f")                                                                         \
    ROWS_OF_OUTPUTS(OF, STRIDE, WITH)                                                                                \
    LINE("b 9f")                                                                                              \
    "8:\n\t"                                                                                                  \
    ROWS_OF_OUTPUTS(Y, STRIDE, WITH)                                                                                 \
    "9:\n\t"
#define ROWS_OF_SUM(STRIDE, WITH) ROWS_OF_OUTPUTS(SUM, STRIDE, WITH)
#define ROWS_OF_EMPTY(STRIDE, WITH) FRESH_OR_Y(EMPTY, STRIDE, WITH)
#define ROWS_OF_ZERO(STRIDE, WITH) FRESH_OR_Y(ZERO, STRIDE, WITH)

/* The weights or sums of a kernel row, at r2. */
#define LOAD_TAPS                                                                                             \
    LINE("vldrw.u32 q0, [r2, q7]") LINE("add r2, #4")                                                         \
    LINE("vldrw.u32 q1, [r2, q7]") LINE("add r2, #4")                                                         \
    LINE("vldrw.u32 q2, [r2, q7]") LINE("sub r2, #8")

#define ROW_OFFSET(name) [name] "i"(offsetof(kernel_row, name))

/* Defines a function that runs this kernel row and the ones after it; x, y and w point at its first
 * input, output and weights or sums. Returns the kernel row in which subnormals were flushed, else
 * the end of the kernel rows. OF: EMPTY or ZERO, which add to y (fresh rows start this way, and y
 * is invalid if values were flushed); or SUM, which adds to w (the kernel row that flushed values
 * has not changed w). */
#define DEFINE_ROWS_OF_EDGES(name, OF, STRIDE, WITH)                                                          \
    __attribute__((noinline)) static const kernel_row *name(const float *x, const float *y, const float *w,   \
                                                            const kernel_row *row)                            \
    {                                                                                                         \
        register uintptr_t r0 __asm__("r0") = (uintptr_t)x; /* then a step, and the flush flags */           \
        register uintptr_t r1 __asm__("r1") = (uintptr_t)y;                                                   \
        register uintptr_t r2 __asm__("r2") = (uintptr_t)w;                                                   \
        register const kernel_row *r3 __asm__("r3") = row;                                                    \
        __asm__ volatile(HELIUM                                                                               \
                         CLEAR_FLUSHED(r12)                                                                   \
                         LINE("mov r5, r1") LINE("ldr r1, [r3, %[w_group]]")                                  \
                         LINE("mov r4, #0") LINE("vidup.u32 q7, r4, #1") LINE("vmul.i32 q7, q7, r1")          \
                         LINE("mov r4, r0")                                                                   \
                         "10:\n\t"                                                                            \
                         LOAD_TAPS                                                                            \
                         LINE("ldm r3, {r6, r8, r9, r10, r11, r12}")                                          \
                         LINE("ldrd r0, r1, [r3, %[x_skip]]") LINE("ldr lr, [r3, %[fresh]]")                  \
                         ROWS_OF_##OF(STRIDE, WITH)                                                           \
                         IF_FLUSHED(r0, 11f)                                                                  \
                         END_##OF                                                                             \
                         LINE("ldrd r0, r1, [r3, %[x_next]]") LINE("add r4, r0") LINE("add r5, r1")           \
                         LINE("ldrd r0, r1, [r3, %[w_next]]") LINE("add r2, r0")                              \
                         LINE("add r3, %[size]")                                                              \
                         LINE("cmp r1, #0") LINE("bne 10b")                                                   \
                         "11:\n\t"                                                                            \
                         : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)                                             \
                         : ROW_OFFSET(x_skip), ROW_OFFSET(w_group), ROW_OFFSET(fresh), ROW_OFFSET(x_next),    \
                           ROW_OFFSET(w_next), [size] "i"(sizeof(kernel_row))                                 \
                         : "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", CHANGED);                 \
        return r3;                                                                                            \
    }

/* The same for rows with any edges, with specialized forms for stride 1 and both
 * edges, the usual case. */
#define DEFINE_OUTPUT_ROWS(name, OF)                                                                                   \
    DEFINE_ROWS_OF_EDGES(name##_of_one, OF, 1, ONE)                                                                    \
    DEFINE_ROWS_OF_EDGES(name##_of_both_edges, OF, 1, BOTH)                                                            \
    DEFINE_ROWS_OF_EDGES(name##_1, OF, 1, ANY)                                                                         \
    static const kernel_row *name(const float *x, const float *y, const float *w, const kernel_row *row)               \
    {                                                                                                                  \
        if (row->edges != 3) {                                                                                         \
            return name##_1(x, y, w, row);                                                                             \
        }                                                                                                              \
        return row->rest == 1 ? name##_of_one(x, y, w, row) : name##_of_both_edges(x, y, w, row);                      \
    }

/* ---- Which outputs a kernel row reaches ------------------------------------------------------ */

/* Advances by so many elements, perhaps backwards */
static const float *elements_behind(const float *p, uint32_t elements)
{
    return (const float *)((uintptr_t)p + 4 * elements);
}

/* Sets the columns of a row of outputs, and the steps of its rows. Returns 0 if outputs lack
 * other taps than these. */
static int set_columns(const gm_window *w, const gm_layout *x, const gm_layout *y, kernel_row *l)
{
    gm_span taps[3];
    for (uint32_t i = 0; i < 3; i++) {
        taps[i] = gm_valid_outputs(i, w->stride_w, 1, w->pad_w, w->in_w, w->out_w);
    }
    uint32_t left = taps[0].first, right = w->out_w - taps[2].end, middle = w->out_w - left - right;
    uint32_t loaded = w->stride_w == 1 ? 2 + middle : 1 + left + 2 * middle + right;
    *l = (kernel_row){ .x_step = 4 * x->w, .y_step = 4 * y->w, .threes = middle / 3, .rest = middle % 3,
                       .edges = left + 2 * right, .x_row = 4 * w->stride_h * x->h, .y_row = 4 * y->h, .row_step = 1 };
    l->x_skip = l->x_row - 4 * loaded * x->w, l->y_skip = l->y_row - 4 * w->out_w * y->w;
    return w->kernel_w == 3 && w->dilation_w == 1 && w->stride_w <= 2 && w->pad_w <= 1 && left + right <= w->out_w &&
           right <= 1 && taps[0].end == w->out_w && taps[1].end == w->out_w;
}

/* Sets how to advance from one kernel row to another. w_row: bytes from the weights of one to
 * those of the next. */
static void lead_to(kernel_row *row, const kernel_row *next, uint32_t w_row)
{
    row->x_next = 4 * (next->x - row->x) - row->rows * row->x_row;
    row->y_next = 4 * (next->y - row->y) - row->rows * row->y_row;
    row->w_next = (next->number - row->number) * w_row;
    row->more = 1;
}

/* Sets the kernel rows; `columns` has their columns. x, y: elements from one input row to the next,
 * and from one output row. spread: x and y swap sides. */
static void set_rows(const gm_window *w, uint32_t x, uint32_t y, uint32_t w_row, const kernel_row *columns, int spread,
                     kernel_rows *all)
{
    kernel_row *row = all->rows;
    for (uint32_t k = 0; k < w->kernel_h; k++) {
        gm_span reached = gm_valid_outputs(k, w->stride_h, w->dilation_h, w->pad_h, w->in_h, w->out_h);
        uint32_t input = gm_input_index(reached.first, k, w->stride_h, w->dilation_h, w->pad_h);
        if (reached.first < reached.end) {
            *row = *columns;
            row->number = k, row->rows = reached.end - reached.first;
            row->x = spread ? reached.first * y : input * x, row->y = spread ? input * x : reached.first * y;
            row->first = spread ? input : reached.first;
            row++;
        }
    }
    all->count = (uint32_t)(row - all->rows);
    for (uint32_t i = 1; i < all->count; i++) {
        lead_to(&all->rows[i - 1], &all->rows[i], w_row);
    }
}

/* The kernel rows of a depthwise convolution. w_group, w_row: bytes from the weights of one group
 * to the next, and of one kernel row. Returns 0 for unsupported kernels. */
static int set_kernel_rows(const gm_window *w, const gm_layout *x, const gm_layout *y, uint32_t w_group, uint32_t w_row,
                           kernel_rows *all)
{
    kernel_row columns;
    if (w->kernel_h > MOST_KERNEL_ROWS || !set_columns(w, x, y, &columns)) {
        return 0;
    }
    columns.w_group = w_group;
    set_rows(w, x->h, y->h, w_row, &columns, 0, all);
    return 1;
}

/* ---- Convolutions ---------------------------------------------------------------------------- */

#if GM_WITH_CONV || GM_WITH_CONV_TRANSPOSE

/* Sets how many kernel rows start sums. */
static void set_fresh(kernel_rows *all, uint32_t fresh)
{
    all->fresh = fresh;
    for (uint32_t i = 0; i < fresh; i++) {
        all->rows[i].fresh = 1;
    }
}

/* Whether one of the fresh kernel rows starts the sums of a row of outputs. */
static int begins(const kernel_rows *all, uint32_t row)
{
    for (uint32_t i = 0; i < all->fresh; i++) {
        const kernel_row *k = &all->rows[i];
        uint32_t behind = row - k->first; /* if the row is before the first one, this is at least the number of rows */
        if (behind % k->row_step == 0 && behind / k->row_step < k->rows) {
            return 1;
        }
    }
    return 0;
}

/* Starts the other ones of `rows` rows, all groups of each pixel, from bias or, without one, from
 * `none`. y: elements from one row to the next, and from one pixel. */
static void start_other_rows(const kernel_rows *all, const float *bias, float none, uint32_t groups, uint32_t rows,
                             uint32_t columns, const gm_layout *y, const float *at)
{
    const gm_product row = { .rows = 1, .columns = columns, .outputs = groups, .out = { 0, y->w, 1 } };
    for (uint32_t i = 0; i < rows; i++) {
        if (!begins(all, i)) {
            gm_start_pixels_from(&row, bias, none, (float *)elements_behind(at, i * y->h));
        }
    }
}

/* If transposed, x and y are swapped, and run backwards: then each x takes its products
 * in the same order. */
typedef struct depthwise_conv {
    gm_window window;
    gm_layout x, y;
    uint32_t groups, w_group, w_h;
    int plus_zero; /* + 0 is the last step, and all outputs start from 0 instead of the empty sum, which is
                    * equivalent */
} depthwise_conv;

DEFINE_OUTPUT_ROWS(rows_from_empty, EMPTY)
DEFINE_OUTPUT_ROWS(rows_from_zero, ZERO)
DEFINE_ROWS_OF_EDGES(rows_by_two, EMPTY, 2, ANY)

/* Computes 4 groups. x, y, w: at the first kernel row. Returns 0 if subnormals were flushed. */
static int depthwise_products(const depthwise_conv *d, const kernel_rows *all, const float *x, const float *w, const float *y)
{
    const kernel_row *first = all->rows;
    return (d->window.stride_w == 2 ? rows_by_two(x, y, w, first)
            : d->plus_zero          ? rows_from_zero(x, y, w, first)
                                    : rows_from_empty(x, y, w, first)) == first + all->count;
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

/* One group from the start, in plain C */
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
    kernel_rows all;
    if (d->groups % 4 > 0 || !set_kernel_rows(&d->window, &d->x, &d->y, 4 * d->w_group, 4 * d->w_h, &all)) {
        return 0;
    }
    set_fresh(&all, !bias && all.count > 0);
    start_other_rows(&all, bias, d->plus_zero ? 0.0f : GM_EMPTY_SUM, d->groups, d->window.out_h, d->window.out_w, &d->y, y);
    if (all.count == 0) {
        return 1;
    }
    const float *x_at = elements_behind(x, all.rows[0].x), *y_at = elements_behind(y, all.rows[0].y);
    const float *w_at = w + all.rows[0].number * d->w_h;
    for (uint32_t group = 0; group < d->groups; group += 4, x_at += 4, w_at += 4 * d->w_group, y_at += 4) {
        int done = depthwise_products(d, &all, x_at, w_at, y_at);
        for (uint32_t i = group; i < group + 4 && !done; i++) {
            plain_group(d, x + i, w + i * d->w_group, bias ? bias[i] : GM_EMPTY_SUM, y + i);
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

/* At stride 1: a convolution that runs backwards. */
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

DEFINE_ROWS_OF_EDGES(spread_rows, ZERO, SPREAD, SPREAD)
DEFINE_ROWS_OF_EDGES(spread_rows_of_two, ZERO, SPREAD, TWO)

/* Computes 4 groups. x, y, w: at the first kernel row. Returns 0 if subnormals were flushed. */
static int spread_products(const kernel_rows *all, const float *y, const float *w, float *x)
{
    const kernel_row *first = all->rows;
    int of_two = first->edges == 2 && first->rest == 2;
    return (of_two ? spread_rows_of_two(y, x, w, first) : spread_rows(y, x, w, first)) == first + all->count;
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

/* One group from the start, in plain C */
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

/* Returns 0 for unsupported kernels or columns. */
static int set_spread_rows(const gm_insn_conv_transpose *insn, kernel_rows *all)
{
    const gm_window window = GM_WINDOW(insn);
    uint32_t left = insn->pad_w == 0, behind = 2 * insn->out_w - insn->pad_w, right = behind < insn->in_w;
    kernel_row columns = { .x_step = 4 * insn->y_w, .y_step = 4 * insn->x_w, .threes = (insn->out_w - 1) / 3,
                           .rest = (insn->out_w - 1) % 3, .edges = left + 2 * right, .w_group = 4 * insn->w_group,
                           .x_row = 4 * insn->y_h, .y_row = 4 * insn->stride_h * insn->x_h, .row_step = insn->stride_h };
    if (insn->kernel_h > MOST_KERNEL_ROWS || insn->kernel_w != 3 || insn->dilation_w != 1 || insn->pad_w > 1 ||
        behind > insn->in_w) {
        return 0;
    }
    columns.x_skip = columns.x_row - 4 * insn->out_w * insn->y_w;
    columns.y_skip = columns.y_row - 4 * (left + 2 * insn->out_w - 1 + right) * insn->x_w;
    set_rows(&window, insn->x_h, insn->y_h, 4 * insn->w_h, &columns, 1, all);
    return 1;
}

/* The number of leading kernel rows that reach different rows of inputs, and
 * all of their columns. */
static uint32_t spread_apart(const gm_insn_conv_transpose *insn, const kernel_rows *all)
{
    uint32_t reached = 2 * insn->out_w - insn->pad_w + 1, most = insn->dilation_h == 1 ? insn->stride_h : 1, count = 0;
    while (reached >= insn->in_w && count < all->count && all->rows[count].number < most) {
        count++;
    }
    return count;
}

/* At stride 2: each output contributes to the inputs under its three taps. */
static int transpose_by_two(const gm_insn_conv_transpose *insn, const float *y, const float *w, const float *bias,
                            float *x)
{
    const gm_layout layout = { 0, insn->x_h, insn->x_w, 0, 0 };
    kernel_rows all;
    if (insn->groups % 4 > 0 || !set_spread_rows(insn, &all)) {
        return 0;
    }
    set_fresh(&all, bias ? 0 : spread_apart(insn, &all));
    start_other_rows(&all, bias, 0.0f, insn->groups, insn->in_h, insn->in_w, &layout, x);
    if (all.count == 0) {
        return 1;
    }
    const float *y_at = y + all.rows[0].x, *w_at = w + all.rows[0].number * insn->w_h;
    float *x_at = x + all.rows[0].y;
    for (uint32_t group = 0; group < insn->groups; group += 4, y_at += 4, w_at += 4 * insn->w_group, x_at += 4) {
        int done = spread_products(&all, y_at, w_at, x_at);
        for (uint32_t i = group; i < group + 4 && !done; i++) {
            plain_spread_group(insn, y + i, w + i * insn->w_group, bias ? bias + i : NULL, x + i);
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

DEFINE_OUTPUT_ROWS(sum_rows_1, SUM)
DEFINE_ROWS_OF_EDGES(sum_rows_2, SUM, 2, ANY)

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

/* Adds one sample's products to the sums of 4 groups, `size` taps each. */
static void add_sample(const gm_conv_gradient *g, const kernel_rows *all, const float *x, const float *dy, float *sums,
                       uint32_t size)
{
    const kernel_row *row = all->rows, *end = row + all->count;
    for (; row < end; row++) {
        float *at = sums + 3 * row->number;
        row = g->window.stride_w == 2 ? sum_rows_2(x + row->x, dy + row->y, at, row)
                                      : sum_rows_1(x + row->x, dy + row->y, at, row);
        for (uint32_t i = 0; i < 12 && row < end; i++) {
            plain_tap(g, row->number, i % 3, x + i / 3, dy + i / 3, sums + i / 3 * size + 3 * row->number + i % 3);
        }
    }
}

/* Some groups, a multiple of 4; x and dy: at the first. */
static void some_gradients(const gm_conv_gradient *g, const kernel_rows *all, uint32_t groups, const float *x,
                           const float *dy, float *sums, uint32_t size)
{
    for (uint32_t group = 0; group < groups; group += 4, x += 4, dy += 4, sums += 4 * size) {
        for (uint32_t b = 0; b < g->batch; b++) {
            add_sample(g, all, x + b * g->x.batch, dy + b * g->dy.batch, sums, size);
        }
    }
}

#define GROUPS_AT_ONCE 8u

int gm_helium_depthwise_gradient(const gm_conv_gradient *g, const float *x, const float *dy,
                                 const gm_gradient_target *target)
{
    kernel_rows all;
    uint32_t size = 3 * g->window.kernel_h;
    float room[9 * GROUPS_AT_ONCE];
    if (g->window.kernel_h > 3 || target->groups % 4 > 0 ||
        !set_kernel_rows(&g->window, &g->x, &g->dy, 4 * size, 12, &all)) {
        return 0;
    }
    for (uint32_t group = 0, count; group < target->groups; group += count) {
        float *sums = target->update ? room : target->w + group * size;
        count = target->groups - group < GROUPS_AT_ONCE ? 4 : GROUPS_AT_ONCE;
        if (!target->accumulate) {
            gm_start_row(sums, NULL, count * size);
        }
        some_gradients(g, &all, count, x + group, dy + group, sums, size);
        if (target->update) {
            gm_rule_args args = *target->update;
            gm_helium_step(target->update, &args, sums, group * size, count * size);
        }
    }
    return 1;
}

#endif

#endif
