/* A convolution as one matrix product for each tap of its kernel. */
#ifndef GM_ARM_M_TAPS_H
#define GM_ARM_M_TAPS_H

#include "../../../../generated/instructions/conv.h"
#include "../../../window.h"
#include "strided_loop.h"

/* The outputs for which a kernel tap is inside the input, and their inputs: a rectangle in both.
 * Offsets of its first element and steps, in elements. */
typedef struct gm_tap {
    uint32_t rows, columns;
    uint32_t x, x_row, x_column;
    uint32_t y, y_row, y_column;
} gm_tap;

static inline uint32_t gm_smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Returns the output rows for which kernel row k is inside the input. As a function, it takes fewer
 * bytes than its divisions in each place. */
gm_span gm_rows_of_tap(const gm_window *window, uint32_t k);

/* Returns the outputs and inputs of tap (k, l). rows and columns are 0 if there are none. */
gm_tap gm_tap_of(const gm_window *window, const gm_layout *x, const gm_layout *y, uint32_t k, uint32_t l);

/* The same for output columns that all have the tap inside the input. */
gm_tap gm_tap_of_columns(const gm_window *window, const gm_layout *x, const gm_layout *y, uint32_t k, uint32_t l,
                         gm_span columns);

/* One side of a product: rows and columns of pixels with channels. */
typedef struct gm_pixels {
    uint32_t row, column, channel;
} gm_pixels;

/* out[r,c,n] += sum over i of in[r,c,i] w[i,n], for all r, c, n. `out` does not
 * overlap `in` or w. */
typedef struct gm_product {
    uint32_t rows, columns, sums, outputs;
    gm_pixels in, out;
    uint32_t w_in, w_out;
    uint32_t taps, w_tap; /* if i runs over adjacent kernel taps, in gm_helium_add_blocks() alone */
} gm_product;

/* Adds the product of one tap. It may join rows, and split outputs: do not use *p again. */
void gm_tap_product(gm_product *p, const float *in, const float *w, float *out);

/* The same for one tap by blocks of weights. All outputs are adjacent, and so are all inputs
 * or columns of `in`. */
void gm_add_blocks(const gm_product *product, const float *in, const float *w, float *out);

/* The weights of a kernel row; inputs count those of the first tap, then those of the next. Inputs
 * per tap, and steps in elements. */
typedef struct gm_row_weights {
    uint32_t inputs_of_tap, tap, input, output;
} gm_row_weights;

/* Copies the weights of the first 4, 2 or 1 of so many outputs, and returns how many outputs: by
 * input, then output. */
uint32_t gm_gather_panel(const gm_row_weights *row, const float *w, uint32_t outputs, gm_span inputs, float *panel);

/* The products of a panel's inputs and outputs, which begin there: b[n] += sum over i of a[i step]
 * w[i,n] in each row and column. Outputs are adjacent. The inner loop is the long one. */
void gm_add_panel(const gm_loop *loop, uint32_t step, const float *in, const float *panel, float *out, uint32_t inputs,
                  uint32_t outputs);

/* Whether three planes of inputs have code of their own; Helium has different code. */
#define GM_ARCH_PLANES (GM_ARCH_ARM_M && GM_WITH_CONV && GM_WITH_PLANES && !GM_ARCH_HELIUM)

/* The same for adjacent taps of three planes. plane: elements from one plane to the next. */
void gm_add_planes(const gm_loop *loop, uint32_t plane, const float *in, const float *panel, float *out, uint32_t taps,
                   uint32_t outputs);

/* The products of a panel of 3 inputs in each of two kernel rows and 4 outputs, with separate
 * multiply and add. next: elements from the inputs of the first row to those of the second. */
void gm_add_two_rows(const gm_loop *loop, uint32_t next, const float *a, const float *w, float *b);

/* Whether blocks are better for a product of one tap. */
int gm_blocks_suit(const gm_product *product);

/* Sets all pixels to bias[n], or to the empty sum without a bias. */
void gm_start_pixels(const gm_product *product, const float *bias, float *out);

/* The same with another value instead of the empty sum. */
void gm_start_pixels_from(const gm_product *product, const float *bias, float none, float *out);

/* The last step of each pixel: RELU, or + 0. */
void gm_relu_pixels(const gm_product *product, float *out);
void gm_add_zero_to_pixels(const gm_product *product, float *out);

/* y[i] = x[i] + 0; x may be y. In elementwise.c. */
void gm_add_zero_row(const float *x, float *y, uint32_t n);

#endif
