/*
 * Sums over a window, seen from the pixel that takes the sum: an output of CONV, or an input of
 * CONV_TRANSPOSE. On each axis pixel d and kernel tap k meet the source at base(d) + delta[k], if
 * their phases agree and that is inside the source. A convolution has one phase; a transposed one
 * has as many as its stride.
 */
#ifndef GM_SIMD_WINDOW_REGIONS_H
#define GM_SIMD_WINDOW_REGIONS_H

#include "../../../window.h"

/* The longest supported kernel axis, and the most taps. */
#define GM_KERNEL_LIMIT 32u
#define GM_TAP_LIMIT 256u

typedef struct gm_axis {
    uint32_t source, pixels, kernel;
    uint32_t advance, shift, phases; /* d advance + shift is base(d) phases + the pixel's phase */
    uint32_t delta[GM_KERNEL_LIMIT], phase[GM_KERNEL_LIMIT];
} gm_axis;

/* Pixels first + i phases, which meet the source in the same taps, at at[] + i advance. */
typedef struct gm_stretch {
    uint32_t first, count, taps;
    uint32_t tap[GM_KERNEL_LIMIT], at[GM_KERNEL_LIMIT];
} gm_stretch;

/* Stretches of both axes: the taps and where the first pixel meets them, in
 * the order of the sum. */
typedef struct gm_region {
    gm_stretch rows, columns;
    uint32_t taps;
    uint32_t number[GM_TAP_LIMIT]; /* row-major in the kernel */
    size_t source[GM_TAP_LIMIT];   /* offsets */
} gm_region;

static inline int gm_window_fits(uint32_t kernel_h, uint32_t kernel_w)
{
    return kernel_h <= GM_KERNEL_LIMIT && kernel_w <= GM_KERNEL_LIMIT && kernel_h * kernel_w <= GM_TAP_LIMIT;
}

static inline void gm_conv_axis(gm_axis *axis, uint32_t in, uint32_t out, uint32_t kernel, uint32_t stride,
                                uint32_t dilation, uint32_t pad)
{
    axis->source = in, axis->pixels = out, axis->kernel = kernel;
    axis->advance = stride, axis->shift = 0u - pad, axis->phases = 1;
    for (uint32_t k = 0; k < kernel; k++) {
        axis->delta[k] = k * dilation;
        axis->phase[k] = 0;
    }
}

static inline void gm_transposed_axis(gm_axis *axis, uint32_t in, uint32_t out, uint32_t kernel, uint32_t stride,
                                      uint32_t dilation, uint32_t pad)
{
    axis->source = out, axis->pixels = in, axis->kernel = kernel;
    axis->advance = 1, axis->shift = pad, axis->phases = stride;
    for (uint32_t k = 0; k < kernel; k++) {
        axis->delta[k] = 0u - k * dilation / stride;
        axis->phase[k] = k * dilation % stride;
    }
}

/* The axes of any window instruction, seen from its outputs or, transposed, from its inputs. */
#define GM_CONV_AXES(rows, columns, insn)                                                                          \
    do {                                                                                                           \
        gm_conv_axis(rows, (insn)->in_h, (insn)->out_h, (insn)->kernel_h, (insn)->stride_h, (insn)->dilation_h,    \
                     (insn)->pad_h);                                                                               \
        gm_conv_axis(columns, (insn)->in_w, (insn)->out_w, (insn)->kernel_w, (insn)->stride_w, (insn)->dilation_w, \
                     (insn)->pad_w);                                                                               \
    } while (0)
#define GM_TRANSPOSED_AXES(rows, columns, insn)                                                                       \
    do {                                                                                                              \
        gm_transposed_axis(rows, (insn)->in_h, (insn)->out_h, (insn)->kernel_h, (insn)->stride_h, (insn)->dilation_h, \
                           (insn)->pad_h);                                                                            \
        gm_transposed_axis(columns, (insn)->in_w, (insn)->out_w, (insn)->kernel_w, (insn)->stride_w,                  \
                           (insn)->dilation_w, (insn)->pad_w);                                                        \
    } while (0)

/* The stretch that begins at pixel `first`. */
static inline void gm_stretch_from(const gm_axis *axis, uint32_t first, gm_stretch *s)
{
    uint32_t reach = first * axis->advance + axis->shift;
    uint32_t base = axis->phases == 1 ? reach : reach / axis->phases, phase = reach - base * axis->phases;
    s->first = first, s->taps = 0;
    s->count = axis->phases == 1 ? axis->pixels - first : (axis->pixels - first - 1) / axis->phases + 1;
    for (uint32_t k = 0; k < axis->kernel; k++) {
        if (axis->phase[k] != phase) {
            continue;
        }
        uint32_t at = base + axis->delta[k];
        uint32_t until = at < axis->source ? axis->source - at : 0u - at; /* the source's end, or its beginning */
        uint32_t alike = axis->advance == 1 ? until : (until - 1) / axis->advance + 1;
        s->count = s->count < alike ? s->count : alike;
        if (at < axis->source) {
            s->tap[s->taps] = k;
            s->at[s->taps++] = at;
        }
    }
}

static inline void gm_first_stretch(const gm_axis *axis, gm_stretch *s)
{
    gm_stretch_from(axis, 0, s);
}

/* Advances to the next stretch: those of one phase, then those of the next. Returns 0 after the
 * last one of the last phase. */
static inline int gm_next_stretch(const gm_axis *axis, gm_stretch *s)
{
    uint32_t next = s->first + s->count * axis->phases;
    if (next >= axis->pixels) {
        next = next % axis->phases + 1;
        if (next >= axis->phases || next >= axis->pixels) {
            return 0;
        }
    }
    gm_stretch_from(axis, next, s);
    return 1;
}

static inline void gm_list_region_taps(gm_region *region, const gm_axis *columns, const gm_layout *source)
{
    region->taps = 0;
    for (uint32_t k = 0; k < region->rows.taps; k++) {
        size_t row = (size_t)region->rows.at[k] * source->h;
        for (uint32_t l = 0; l < region->columns.taps; l++) {
            region->number[region->taps] = region->rows.tap[k] * columns->kernel + region->columns.tap[l];
            region->source[region->taps++] = row + (size_t)region->columns.at[l] * source->w;
        }
    }
}

/* Iterates over all regions: do { ... } while (gm_next_region(...)). */
static inline void gm_first_region(gm_region *region, const gm_axis *rows, const gm_axis *columns,
                                   const gm_layout *source)
{
    gm_first_stretch(rows, &region->rows);
    gm_first_stretch(columns, &region->columns);
    gm_list_region_taps(region, columns, source);
}

static inline int gm_next_region(gm_region *region, const gm_axis *rows, const gm_axis *columns,
                                 const gm_layout *source)
{
    if (!gm_next_stretch(columns, &region->columns)) {
        if (!gm_next_stretch(rows, &region->rows)) {
            return 0;
        }
        gm_first_stretch(columns, &region->columns);
    }
    gm_list_region_taps(region, columns, source);
    return 1;
}

#endif
