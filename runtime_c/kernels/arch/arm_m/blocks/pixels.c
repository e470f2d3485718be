/* The first and the last step of each output pixel of a convolution on Cortex-M with FPU: the
 * starting values, and RELU or + 0. */
#include "../../../../generated/instructions/conv.h"
#include "../../../../generated/instructions/conv_transpose.h"
#include "../../../rows.h"
#include "registers.h"
#include "taps.h"

#if GM_ARCH_ARM_M && (GM_WITH_CONV || GM_WITH_CONV_TRANSPOSE)

/* ---- First: bias ----------------------------------------------------------------------------- */

/* Defines fill_<n>: n values to each of `count` pixels, `step` elements apart. */
#define DEFINE_FILL(n, REGISTERS)                                                                  \
    TILE fill_##n(const float *values, float *y, uint32_t count, uint32_t step)                    \
    {                                                                                              \
        __asm__ volatile(LINE("vldmia %[values], {" REGISTERS "}")                                 \
                         LOOP_LABEL(1)                                                             \
                         LINE("vstmia %[y], {" REGISTERS "}")                                      \
                         LINE("add %[y], %[step]")                                                 \
                         LINE("subs %[count], #1")                                                 \
                         LINE("bne 1b")                                                            \
                         : [y] "+r"(y), [count] "+r"(count)                                        \
                         : [values] "r"(values), [step] "r"(4 * step)                              \
                         : CHANGED_LOWER);                                                             \
    }

DEFINE_FILL(8, "s0-s7")
DEFINE_FILL(4, "s0-s3")
DEFINE_FILL(1, "s0")

/* Returns the product with its rows of output pixels joined into one if they are contiguous. */
static gm_product output_with_joined_rows(gm_product p)
{
    if (p.out.row == p.columns * p.out.column) {
        p.columns *= p.rows;
        p.rows = 1;
    }
    return p;
}

/* `none` has 8 copies of the starting value of outputs without a bias. */
static void start_row(const gm_product *p, const float *bias, const float *none, float *out)
{
    for (uint32_t n = 0, count; n < p->outputs; n += count) {
        uint32_t left = p->out.channel == 1 ? p->outputs - n : 1;
        const float *values = bias ? bias + n : none;
        float *at = out + n * p->out.channel;
        count = left >= 8 ? 8 : left >= 4 ? 4 : 1;
        if (count == 8) {
            fill_8(values, at, p->columns, p->out.column);
        } else if (count == 4) {
            fill_4(values, at, p->columns, p->out.column);
        } else {
            fill_1(values, at, p->columns, p->out.column);
        }
    }
}

void gm_start_pixels_from(const gm_product *product, const float *bias, float none, float *out)
{
    const gm_product p = output_with_joined_rows(*product);
    const float nones[8] = { none, none, none, none, none, none, none, none };
    for (uint32_t row = 0; row < p.rows; row++) {
        start_row(&p, bias, nones, out + row * p.out.row);
    }
}

void gm_start_pixels(const gm_product *product, const float *bias, float *out)
{
    gm_start_pixels_from(product, bias, GM_EMPTY_SUM, out);
}

/* ---- Last: RELU, or + 0 ---------------------------------------------------------------------- */

/* Returns the product with its output pixels joined into one with more outputs if
 * they are contiguous. */
static gm_product with_joined_pixels(gm_product p)
{
    p = output_with_joined_rows(p);
    if (p.out.channel == 1 && p.out.column == p.outputs) {
        p.outputs *= p.columns;
        p.columns = 1;
    }
    return p;
}

/* Runs OF(y, y, n) over all adjacent outputs of each pixel. */
#define EACH_PIXEL(product, out, OF)                                                               \
    const gm_product p = with_joined_pixels(*product);                                             \
    uint32_t together = p.out.channel == 1 ? p.outputs : 1;                                        \
    for (uint32_t row = 0; row < p.rows; row++) {                                                  \
        for (uint32_t column = 0; column < p.columns; column++) {                                  \
            float *at = out + row * p.out.row + column * p.out.column;                             \
            for (uint32_t n = 0; n < p.outputs; n += together, at += together * p.out.channel) {   \
                OF(at, at, together);                                                              \
            }                                                                                      \
        }                                                                                          \
    }

void gm_relu_pixels(const gm_product *product, float *out)
{
    EACH_PIXEL(product, out, gm_relu_row)
}

void gm_add_zero_to_pixels(const gm_product *product, float *out)
{
    EACH_PIXEL(product, out, gm_add_zero_row)
}

#endif
