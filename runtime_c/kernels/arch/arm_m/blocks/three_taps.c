/*
 * Gradients of a three-tap kernel row on Cortex-M with FPU: 24 sums stay in registers across all
 * outputs. Machine instructions for each multiply-accumulate in a long row: 1.5 for 2 output
 * channels by 4 input channels, 1.29 for 8 output channels. For 4 groups, 12 sums stay.
 */
#include "../../../../generated/instructions/conv_grad_w.h"
#include "../../../../generated/instructions/conv_update.h"
#include "three_taps.h"

#include "taps.h"

#if (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE) && GM_ARCH_ARM_M && !GM_ARCH_HELIUM

/*
 * All functions are this loop over rows of outputs. i counts 8 adjacent channels, l three taps:
 *
 *     load sums[i * sums_step + l], for all i and l
 *     for (; rows > 0; rows--, x += x_skip, y += y_skip) {
 *         if (left) ...                             one output, without the first tap
 *         for (n = middle; n > 0; n--) ...          outputs with all three taps
 *         if (right) ...                            one output, without the last tap
 *     }
 *     store them
 *
 *     s[3 i + l]   sums, s0 to s23        x, y    input under the next tap, and output gradient
 *     s24-s30      inputs and             row     the gm_three_taps, for `ldr` of its fields
 *                  output gradients       n       outputs that are left, or what is added
 */
#define EACH_OF_4_SUMS(WHAT, NEXT) WHAT("s0-s2") NEXT WHAT("s3-s5") NEXT WHAT("s6-s8") NEXT WHAT("s9-s11")
#define EACH_SUM(WHAT, NEXT)                                                                                    \
    EACH_OF_4_SUMS(WHAT, NEXT) NEXT                                                                              \
    WHAT("s12-s14") NEXT WHAT("s15-s17") NEXT WHAT("s18-s20") NEXT WHAT("s21-s23")
#define LOAD_SUMS(registers) LINE("vldmia %[sums], {" registers "}")
#define STORE_SUMS(registers) LINE("vstmia %[sums], {" registers "}")
#define FIELD(field) LOAD_FIELD(n, row, field)
#define NEXT_SUM LINE("add %[sums], %[n]")

#define LOAD_ALL_SUMS                                                                                           \
    FIELD(sums_step)                                                                                            \
    EACH_SUM(LOAD_SUMS, NEXT_SUM)                                                                               \
    LINE("rsb %[n], %[n], %[n], lsl #3") /* 7 strides back */                                                   \
    LINE("sub %[sums], %[n]")
#define STORE_ALL_SUMS                                                                                          \
    FIELD(sums_step)                                                                                            \
    EACH_SUM(STORE_SUMS, NEXT_SUM)

/* Runs OUTPUT if the field is not 0 */
#define IF_ANY(field, behind, OUTPUT)                                                                           \
    FIELD(field)                                                                                                \
    LINE("cmp %[n], #0")                                                                                        \
    LINE("beq " #behind "f")                                                                                    \
    OUTPUT                                                                                                      \
    #behind ":\n\t"

#define EACH_ROW_OF_OUTPUTS(OUTPUTS, RIGHT)                                                                     \
    "1:\n\t"                                                                                                    \
    OUTPUTS                                                                                                     \
    LINE("subs %[n], #1")                                                                                       \
    LINE("bne 3b")                                                                                              \
    IF_ANY(right, 5, RIGHT)                                                                                     \
    FIELD(x_skip) LINE("add %[x], %[n]")                                                                        \
    FIELD(y_skip) LINE("add %[y], %[n]")                                                                        \
    LINE("subs %[rows], #1")                                                                                    \
    LINE("bne 1b")

#define DEFINE_THREE_TAPS(name, LOAD_THEM, STORE_THEM, OUTPUTS, RIGHT)                                          \
    TILE name(const gm_three_taps *row, const float *x, const float *y, float *sums)                            \
    {                                                                                                           \
        uint32_t rows = row->rows, n;                                                                           \
        __asm__ volatile(LOAD_THEM EACH_ROW_OF_OUTPUTS(OUTPUTS, RIGHT) STORE_THEM                               \
                         : [x] "+r"(x), [y] "+r"(y), [sums] "+r"(sums), [rows] "+r"(rows), [n] "=&r"(n)         \
                         : [row] "r"(row), [x_step] "r"(row->x_step), [y_step] "r"(row->y_step),                \
                           [x_gap] "r"(row->x_gap), [y_gap] "r"(row->y_gap), OFFSET(gm_three_taps, left),       \
                           OFFSET(gm_three_taps, middle), OFFSET(gm_three_taps, right),                         \
                           OFFSET(gm_three_taps, x_skip), OFFSET(gm_three_taps, y_skip),                        \
                           OFFSET(gm_three_taps, sums_step)                                                     \
                         : CHANGED);                                                                            \
    }

/* Outputs one tap at a time. The one on the left begins after the first tap. */
#define TAP_BY_TAP(LOAD_DY, TAP_0, TAP_1, TAP_2)                                                                \
    FIELD(left)                                                                                                 \
    LINE("cmp %[n], #0")                                                                                        \
    FIELD(middle)                                                                                               \
    LINE("beq 3f")                                                                                              \
    LINE("add %[n], #1")                                                                                        \
    LOAD_DY                                                                                                     \
    LINE("b 4f")                                                                                                \
    LOOP_LABEL(3)                                                                                               \
    LOAD_DY TAP_0 TO_NEXT_TAP                                                                                   \
    "4:\n\t"                                                                                                    \
    TAP_1 TO_NEXT_TAP TAP_2 TO_NEXT_OUTPUT
#define TO_NEXT_TAP LINE("add %[x], %[x_gap]")
#define TO_NEXT_OUTPUT LINE("add %[x], %[x_step]")
#define DEFINE_TAP_BY_TAP(name, LOAD_THEM, STORE_THEM, LOAD_DY, TAP_0, TAP_1, TAP_2)                            \
    DEFINE_THREE_TAPS(name, LOAD_THEM, STORE_THEM, TAP_BY_TAP(LOAD_DY, TAP_0, TAP_1, TAP_2),                    \
                      LOAD_DY TAP_0 TO_NEXT_TAP TAP_1)

/* ---- 2 output channels by 4 input channels --------------------------------------------------- */

/* sums[4 i + j][l] += dy[i] x[l][j]: dy of an output is in s28 and s29, a tap's
 * inputs in s24 to s27. */
#define LOAD_2_DY LOAD_1_STEP(y, s28, y_gap) LOAD_1_STEP(y, s29, y_step)
#define CHANNELS_OF_TAP(c0, c1, c2, c3, d0, d1, d2, d3)                                                         \
    LOAD(x, "s24-s27")                                                                                          \
    MAC_2(c0, s28, s24, c1, s28, s25) MAC_2(c2, s28, s26, c3, s28, s27)                                         \
    MAC_2(d0, s29, s24, d1, s29, s25) MAC_2(d2, s29, s26, d3, s29, s27)
#define TAP_0 CHANNELS_OF_TAP(s0, s3, s6, s9, s12, s15, s18, s21)
#define TAP_1 CHANNELS_OF_TAP(s1, s4, s7, s10, s13, s16, s19, s22)
#define TAP_2 CHANNELS_OF_TAP(s2, s5, s8, s11, s14, s17, s20, s23)

DEFINE_TAP_BY_TAP(row_of_2_by_4_channels, LOAD_ALL_SUMS, STORE_ALL_SUMS, LOAD_2_DY, TAP_0, TAP_1, TAP_2)

/* ---- 8 output channels, one input channel ---------------------------------------------------- */

/* sums[i][l] += dy[i] x[l]: an output's three inputs are in s24 to s26, four of its dy at a time in
 * s27 to s30, or two if products take registers too. Two output channels do their taps together. */
#define TAPS_1_AND_2(a, b, c, dy, d, e, f, dz) MAC_2(b, s25, dy, e, s25, dz) MAC_2(c, s26, dy, f, s26, dz)
#define TAPS_0_AND_1(a, b, c, dy, d, e, f, dz) MAC_2(a, s24, dy, d, s24, dz) MAC_2(b, s25, dy, e, s25, dz)
#define TAPS_0_TO_2(a, b, c, dy, d, e, f, dz) \
    MAC_2(a, s24, dy, d, s24, dz) TAPS_1_AND_2(a, b, c, dy, d, e, f, dz)
#if GM_APART
#define LAST_DY 2
#define EACH_OUT_CHANNEL(TAPS)                                                                                  \
    LOAD(y, "s27, s28") TAPS(s0, s1, s2, s27, s3, s4, s5, s28)                                                  \
    LOAD(y, "s27, s28") TAPS(s6, s7, s8, s27, s9, s10, s11, s28)                                                \
    LOAD(y, "s27, s28") TAPS(s12, s13, s14, s27, s15, s16, s17, s28)                                            \
    LOAD_STEP(y, "s27, s28", y_step) TAPS(s18, s19, s20, s27, s21, s22, s23, s28)
#else
#define LAST_DY 4
#define EACH_OUT_CHANNEL(TAPS)                                                                                  \
    LOAD(y, "s27-s30") TAPS(s0, s1, s2, s27, s3, s4, s5, s28) TAPS(s6, s7, s8, s29, s9, s10, s11, s30)          \
    LOAD_STEP(y, "s27-s30", y_step)                                                                             \
    TAPS(s12, s13, s14, s27, s15, s16, s17, s28) TAPS(s18, s19, s20, s29, s21, s22, s23, s30)
#endif

DEFINE_THREE_TAPS(row_of_8_out_channels, LOAD_ALL_SUMS, STORE_ALL_SUMS,
                  IF_ANY(left, 2, LINE("vldmia %[x], {s25, s26}") LINE("add %[x], %[x_gap]") EACH_OUT_CHANNEL(TAPS_1_AND_2))
                  FIELD(middle)
                  LOOP_LABEL(3) LOAD_STEP(x, "s24-s26", x_step) EACH_OUT_CHANNEL(TAPS_0_TO_2),
                  LINE("vldmia %[x], {s24, s25}") EACH_OUT_CHANNEL(TAPS_0_AND_1))

/* ---- 4 groups -------------------------------------------------------------------------------- */

#if GM_ARCH_TAPS_OF_GROUPS

/* sums[i][l] += dy[i] x[l][i]: dy of an output is in s12 to s15, a tap's inputs in s16 to s19. */
#define GROUPS_OF_TAP(c0, c1, c2, c3)                                                                           \
    LOAD(x, "s16-s19") MAC_2(c0, s12, s16, c1, s13, s17) MAC_2(c2, s14, s18, c3, s15, s19)
#define LOAD_DY_OF_GROUPS LOAD_STEP(y, "s12-s15", y_step)
#define LOAD_SUMS_OF_GROUPS                                                                                     \
    FIELD(sums_step)                                                                                            \
    EACH_OF_4_SUMS(LOAD_SUMS, NEXT_SUM)                                                                          \
    LINE("sub %[sums], %[n]") LINE("sub %[sums], %[sums], %[n], lsl #1") /* 3 strides back */
#define STORE_SUMS_OF_GROUPS FIELD(sums_step) EACH_OF_4_SUMS(STORE_SUMS, NEXT_SUM)
#define GROUPS_0 GROUPS_OF_TAP(s0, s3, s6, s9)
#define GROUPS_1 GROUPS_OF_TAP(s1, s4, s7, s10)
#define GROUPS_2 GROUPS_OF_TAP(s2, s5, s8, s11)

DEFINE_TAP_BY_TAP(row_of_4_groups, LOAD_SUMS_OF_GROUPS, STORE_SUMS_OF_GROUPS, LOAD_DY_OF_GROUPS, GROUPS_0, GROUPS_1,
                  GROUPS_2)

#else
#define row_of_4_groups row_of_2_by_4_channels /* not called */
#endif

/* ---- Selection ------------------------------------------------------------------------------ */

/* Divides the outputs of a row. Returns 0 if other taps than these, or taps of more outputs, are
 * outside the input. */
static int divide_row(const gm_window *w, gm_three_taps *row)
{
    uint32_t behind_last = (w->out_w - 1) * w->stride_w + 3 - w->pad_w; /* input columns that are reached */
    if (w->kernel_w != 3 || w->dilation_w != 1 || w->pad_w > 1 || behind_last > w->in_w + 1) {
        return 0;
    }
    row->left = w->pad_w;
    row->right = behind_last == w->in_w + 1;
    row->middle = w->out_w - row->left - row->right;
    return w->out_w > row->left + row->right;
}

/* x begins at the input's first column. After a row of outputs it is at the next one's first tap;
 * after `right` it has not left that output: it is at the output's second tap or its first. */
static void find_steps(const gm_conv_gradient *g, enum gm_neighbours of, gm_three_taps *row)
{
    const gm_window *w = &g->window;
    uint32_t size = (uint32_t)sizeof(float), tap = g->x.w, output = w->stride_w * tap;
    uint32_t end = (w->out_w * w->stride_w - w->pad_w) * tap;
    if (of != GM_8_OUT_CHANNELS) {
        row->x_gap = size * (tap - 4);
        row->x_step = size * (output - 2 * tap - 4);
        row->y_step = size * (g->dy.w - (of == GM_2_BY_4_CHANNELS ? g->dy.channel : 0));
        end -= row->right ? output - tap - 4 : 0;
    } else {
        row->x_gap = size * (output - 1);
        row->x_step = size * output;
        row->y_step = size * (g->dy.w - (8 - LAST_DY));
        end -= row->right ? output : 0;
    }
    row->y_gap = size * g->dy.channel;
    row->x_skip = size * (w->stride_h * g->x.h - end);
    row->y_skip = size * (g->dy.h - w->out_w * g->dy.w);
}

int gm_three_taps_of(const gm_conv_gradient *g, uint32_t k, enum gm_neighbours of, uint32_t sums_step,
                     gm_three_taps *row)
{
    const gm_window *w = &g->window;
    gm_span rows = gm_rows_of_tap(w, k);
    int neighbours = of == GM_2_BY_4_CHANNELS ? g->x.channel == 1
        : of == GM_4_GROUPS                   ? g->x.group == 1 && g->dy.group == 1
                                              : g->x.w == 1 && g->dy.channel == 1;
    if (!neighbours || !divide_row(w, row)) {
        return 0;
    }
    find_steps(g, of, row);
    row->rows = rows.end - rows.first;
    row->sums_step = (uint32_t)sizeof(float) * sums_step;
    row->x = gm_input_index(rows.first, k, w->stride_h, w->dilation_h, w->pad_h) * g->x.h;
    row->y = rows.first * g->dy.h;
    return 1;
}

void gm_add_three_taps(const gm_conv_gradient *g, const gm_three_taps *row, enum gm_neighbours of, const float *x,
                       const float *dy, float *sums)
{
    for (uint32_t b = 0; b < g->batch && row->rows > 0; b++) {
        const float *x_at = x + b * g->x.batch + row->x, *dy_at = dy + b * g->dy.batch + row->y;
        if (of == GM_2_BY_4_CHANNELS) {
            row_of_2_by_4_channels(row, x_at, dy_at, sums);
        } else if (of == GM_4_GROUPS) {
            row_of_4_groups(row, x_at, dy_at, sums);
        } else {
            row_of_8_out_channels(row, x_at, dy_at, sums);
        }
    }
}

#endif
