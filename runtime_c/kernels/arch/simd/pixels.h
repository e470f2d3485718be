/*
 * Sums over a window, seen from the pixel that takes the sum: an output of CONV, or an input of CONV_TRANSPOSE. On each
 * axis pixel d and kernel cell k meet the source at base(d) + delta[k], if their phases agree and the source has it.
 * A convolution has one phase; a transposed one has as many as its stride.
 */
#ifndef GM_SIMD_PIXELS_H
#define GM_SIMD_PIXELS_H

#include "../../window.h"

/* The longest kernel axis that is taken. */
#define GM_KERNEL_LIMIT 32u

typedef struct gm_axis {
    uint32_t source, pixels, kernel, stride, pad, phases;
    uint32_t delta[GM_KERNEL_LIMIT], phase[GM_KERNEL_LIMIT];
} gm_axis;

static inline void gm_conv_axis(gm_axis *axis, uint32_t in, uint32_t out, uint32_t kernel, uint32_t stride,
                                uint32_t dilation, uint32_t pad)
{
    axis->source = in, axis->pixels = out, axis->kernel = kernel;
    axis->stride = stride, axis->pad = pad, axis->phases = 1;
    for (uint32_t k = 0; k < kernel; k++) {
        axis->delta[k] = k * dilation;
        axis->phase[k] = 0;
    }
}

static inline void gm_transposed_axis(gm_axis *axis, uint32_t in, uint32_t out, uint32_t kernel, uint32_t stride,
                                      uint32_t dilation, uint32_t pad)
{
    axis->source = out, axis->pixels = in, axis->kernel = kernel;
    axis->stride = stride, axis->pad = pad, axis->phases = stride;
    for (uint32_t k = 0; k < kernel; k++) {
        axis->delta[k] = 0u - k * dilation / stride;
        axis->phase[k] = k * dilation % stride;
    }
}

/* Where pixel d of a convolution, or of a transposed one, meets the source; its phase. */
static inline uint32_t gm_axis_base(const gm_axis *axis, uint32_t d, int transposed, uint32_t *phase)
{
    if (!transposed) {
        *phase = 0;
        return d * axis->stride - axis->pad;
    }
    *phase = axis->stride == 1 ? 0 : (d + axis->pad) % axis->stride;
    return axis->stride == 1 ? d + axis->pad : (d + axis->pad) / axis->stride;
}

/* Source index of a pixel and a cell; at least axis->source where there is none. */
static inline uint32_t gm_axis_index(const gm_axis *axis, uint32_t base, uint32_t phase, uint32_t k)
{
    return phase == axis->phase[k] ? base + axis->delta[k] : UINT32_MAX;
}

/* All pixels of a batch, those of one phase after each other, so that a tile's pixels use the same cells. */
typedef struct gm_place {
    uint32_t batch, row, column;
} gm_place;

static inline int gm_axis_next(const gm_axis *axis, uint32_t *d)
{
    uint32_t phase = axis->phases == 1 ? 0 : *d % axis->phases;
    *d += axis->phases;
    if (*d >= axis->pixels) {
        *d = phase + 1 < axis->phases && phase + 1 < axis->pixels ? phase + 1 : 0;
    }
    return *d != 0;
}

static inline void gm_place_next(gm_place *at, const gm_axis *rows, const gm_axis *columns)
{
    if (!gm_axis_next(columns, &at->column) && !gm_axis_next(rows, &at->row)) {
        at->batch++;
    }
}

/* Sums of one kind over a batch: dest[b,row,column,group,output] from source[b,i,j,group,input] and weights. */
typedef struct gm_window_sum {
    gm_axis rows, columns;
    gm_layout source, dest;
    uint32_t batch, groups, inputs, outputs;
    uint32_t w_group, w_output, w_input, w_h, w_w;
    const float *x, *w, *bias;
    float *y;
    int accumulate; /* start from dest */
    int relu;       /* cut at 0 */
    int transposed; /* of CONV_TRANSPOSE, which adds +0 so that an empty sum is no -0 */
} gm_window_sum;

#endif
