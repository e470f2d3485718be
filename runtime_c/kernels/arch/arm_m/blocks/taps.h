/* A convolution as one matrix product for each tap of its kernel. */
#ifndef GM_ARM_M_TAPS_H
#define GM_ARM_M_TAPS_H

#include "../../../../generated/instructions/conv.h"
#include "../../../window.h"
#include "strided_loop.h"

/* The outputs for which a kernel tap lies inside the input, and their inputs: a rectangle in both.
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

/* Returns the rows of outputs for which kernel row k lies inside the input. As a function, it takes fewer bytes than its
 * divisions in each place. */
gm_span gm_rows_of_tap(const gm_window *window, uint32_t k);

/* Returns the outputs and inputs of tap (k, l). rows and columns are 0 where there are none. */
gm_tap gm_tap_of(const gm_window *window, const gm_layout *x, const gm_layout *y, uint32_t k, uint32_t l);

/* The same of some columns of outputs, for all of which the tap lies inside. */
gm_tap gm_tap_of_columns(const gm_window *window, const gm_layout *x, const gm_layout *y, uint32_t k, uint32_t l,
                         gm_span columns);

/* One side of a product: rows and columns of pixels with channels. */
typedef struct gm_pixels {
    uint32_t row, column, channel;
} gm_pixels;

/* out[r,c,n] += sum over i of in[r,c,i] w[i,n], for all r, c, n. `out` lies apart from `in` and w. */
typedef struct gm_product {
    uint32_t rows, columns, sums, outputs;
    gm_pixels in, out;
    uint32_t w_in, w_out;
    uint32_t taps, w_tap; /* where i counts sums of neighbouring kernel taps, in gm_helium_add_blocks() alone */
} gm_product;

/* Adds the product of one tap. Its rows may be joined into one, and its outputs divided: *p is not to be used again. */
void gm_tap_product(gm_product *p, const float *in, const float *w, float *out);

/* The same of one tap by blocks of weights. All outputs are neighbours, and so are all inputs or columns of `in`. */
void gm_add_blocks(const gm_product *product, const float *in, const float *w, float *out);

/* The weights of a kernel row, of which inputs count those of the first tap, then those of the next: inputs of a tap, and
 * steps in elements. */
typedef struct gm_row_weights {
    uint32_t inputs_of_tap, tap, input, output;
} gm_row_weights;

/* Copies weights of the first 4, 2 or 1 of so many outputs, and returns how many of these they are: by input, then output. */
uint32_t gm_gather_panel(const gm_row_weights *row, const float *w, uint32_t outputs, gm_span inputs, float *panel);

/* The products of inputs and outputs of a panel, which begin there: b[n] += sum over i of a[i step] w[i,n] in each row and
 * column. Outputs are neighbours. The inner loop is the long one. */
void gm_add_panel(const gm_loop *loop, uint32_t step, const float *in, const float *panel, float *out, uint32_t inputs,
                  uint32_t outputs);

/* Whether three planes of inputs have a way of their own: Helium has another. */
#define GM_ARCH_PLANES (GM_ARCH_ARM_M && GM_WITH_CONV && GM_WITH_PLANES && !GM_ARCH_HELIUM)

/* The same of neighbouring taps of three planes. plane: elements from one to the next. */
void gm_add_planes(const gm_loop *loop, uint32_t plane, const float *in, const float *panel, float *out, uint32_t taps,
                   uint32_t outputs);

/* The products of a panel of 3 inputs in each of two rows of a kernel and 4 outputs, where products and sums are apart.
 * next: elements from the inputs of the first row to those of the second. */
void gm_add_two_rows(const gm_loop *loop, uint32_t next, const float *a, const float *w, float *b);

/* Whether that is the better way for a product of one tap. */
int gm_blocks_suit(const gm_product *product);

/* Sets all pixels to bias[n], or to the empty sum where there is none. */
void gm_start_pixels(const gm_product *product, const float *bias, float *out);

/* The same with another number in place of the empty sum. */
void gm_start_pixels_from(const gm_product *product, const float *bias, float none, float *out);

/* The last step of each pixel: RELU, or + 0. */
void gm_relu_pixels(const gm_product *product, float *out);
void gm_add_zero_to_pixels(const gm_product *product, float *out);

/* y[i] = x[i] + 0; x may be y. In elementwise.c. */
void gm_add_zero_row(const float *x, float *y, uint32_t n);

#endif
