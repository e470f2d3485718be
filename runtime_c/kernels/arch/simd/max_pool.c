/*
 * MAX_POOL and MAX_POOL_INDEX_GRAD with vectors of adjacent channels:
 * y = max over the taps of x, index = the first tap that has it, dx[pixel] = sum of dy over the
 * windows whose index is the tap that covers the pixel.
 */
#include "../../../generated/instructions/max_pool.h"
#include "../../../generated/instructions/max_pool_index_grad.h"
#include "blocks/window_regions.h"
#include "simd.h"
#include "vector.h"

#if GM_ARCH_SIMD && (GM_WITH_MAX_POOL || GM_WITH_MAX_POOL_INDEX_GRAD)

#define CHANNELS GM_LANES
#define SQUARE_TAPS 4u /* of a window of 2x2 */

/* The compiler's own vectors: these kernels compare and select, for which vector.h has nothing. */
typedef float floats __attribute__((vector_size(4 * CHANNELS)));
typedef int32_t words __attribute__((vector_size(4 * CHANNELS)));

/* CHANNELS floats, `step` apart. */
GM_SIMD_INLINE floats load_apart(const float *p, uint32_t step)
{
    floats v = {0};
    if (step == 1) {
        memcpy(&v, p, sizeof v);
        return v;
    }
    GM_UNROLL
    for (uint32_t c = 0; c < CHANNELS; c++) {
        v[c] = p[(size_t)c * step];
    }
    return v;
}

GM_SIMD_INLINE void store_apart(float *p, uint32_t step, floats v)
{
    if (step == 1) {
        memcpy(p, &v, sizeof v);
        return;
    }
    GM_UNROLL
    for (uint32_t c = 0; c < CHANNELS; c++) {
        p[(size_t)c * step] = v[c];
    }
}

/* Selects a in lanes with a mask of ones, b in lanes with zeros. */
GM_SIMD_INLINE words choose(words mask, words a, words b)
{
#if defined(__x86_64__)
    return (words)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)mask);
#else
    return (mask & a) | (~mask & b);
#endif
}

#endif

#if GM_ARCH_SIMD && GM_WITH_MAX_POOL

typedef struct pool_call {
    const gm_insn_max_pool *insn;
    const gm_region *region;
    uint32_t no_tap;
} pool_call;

/* In all lanes: the index for no tap, and all ones unless a RELU blocks gradients. */
typedef struct pool_lanes {
    words no_tap, passes;
} pool_lanes;

/* CHANNELS of an output pixel: the first largest of its `taps`, and its index. x: of the window of
 * the region's first pixel. */
GM_SIMD_INLINE void pool_pixel(const pool_lanes *p, const size_t *source, const uint32_t *tap, uint32_t taps,
                               uint32_t y_channel, const float *x, float *y, uint8_t *index)
{
    floats best = (floats){0} - GM_INFINITY;
    words number = p->no_tap;
    if (taps > 0) {
        best = load_apart(x + source[0], 1);
        number = (words){0} + (int32_t)tap[0];
    }
    for (uint32_t i = 1; i < taps; i++) {
        floats value = load_apart(x + source[i], 1);
        words taken = ~(words)(value <= best) & (words)(best == best);
        best = (floats)choose(taken, (words)value, (words)best);
        number = choose(taken, (words){0} + (int32_t)tap[i], number);
    }
    store_apart(y, y_channel, best);
    if (index != NULL) {
        gm_vec_store_bytes(index, (gm_words)choose((words)(best > 0.0f) | p->passes, number, p->no_tap));
    }
}

/* The pixels of a row. y_channel is a constant if it is 1, taps if it is SQUARE_TAPS. */
GM_SIMD_INLINE void pool_pixels(const pool_call *p, const size_t *source, const uint32_t *tap, uint32_t taps,
                                uint32_t y_channel, const float *x, float *y, uint8_t *index)
{
    const gm_insn_max_pool *insn = p->insn;
    size_t channels = insn->channels, x_step = (size_t)insn->stride_w * insn->x_w, y_step = insn->y_w;
    const pool_lanes lanes = {(words){0} + (int32_t)p->no_tap, (words){0} - (int32_t)(insn->relu == 0)};
    for (uint32_t left = p->region->columns.count; left > 0; left--, x += x_step, y += y_step) {
        for (size_t c = 0; c < channels; c += CHANNELS) {
            pool_pixel(&lanes, source, tap, taps, y_channel, x + c, y + c * y_channel, index ? index + c : NULL);
        }
        index = index ? index + channels : NULL;
    }
}

/* One row of a region. For 2x2 windows the offsets stay in registers. */
static GM_SIMD_TARGET void pool_row(const pool_call *p, const float *x, float *y, uint8_t *index)
{
    const gm_region *region = p->region;
    if (!GM_BYTES_COUNT && region->taps == SQUARE_TAPS && p->insn->y_channel == 1) {
        size_t source[SQUARE_TAPS];
        uint32_t tap[SQUARE_TAPS];
        memcpy(source, region->source, sizeof source);
        memcpy(tap, region->number, sizeof tap);
        pool_pixels(p, source, tap, SQUARE_TAPS, 1, x, y, index);
    } else {
        pool_pixels(p, region->source, region->number, region->taps, p->insn->y_channel, x, y, index);
    }
}

static void pool_region(const pool_call *p, const float *x, float *y, uint8_t *index)
{
    const gm_insn_max_pool *insn = p->insn;
    const gm_region *region = p->region;
    for (uint32_t b = 0; b < insn->batch; b++) {
        for (uint32_t i = 0; i < region->rows.count; i++) {
            uint32_t row = region->rows.first + i, column = region->columns.first;
            size_t pixel = ((size_t)b * insn->out_h + row) * insn->out_w + column;
            pool_row(p, x + (size_t)b * insn->x_batch + (size_t)i * insn->stride_h * insn->x_h,
                     y + (size_t)b * insn->y_batch + (size_t)row * insn->y_h + (size_t)column * insn->y_w,
                     index ? index + pixel * insn->channels : NULL);
        }
    }
}

int gm_simd_max_pool(const gm_insn_max_pool *insn, const float *x, float *y, uint8_t *index, uint32_t no_tap)
{
    const gm_layout source = {insn->x_batch, insn->x_h, insn->x_w, 0, insn->x_channel};
    gm_axis rows, columns;
    gm_region region;
    if (!gm_simd_runs() || insn->x_channel != 1 || insn->channels % CHANNELS != 0 ||
        !gm_window_fits(insn->kernel_h, insn->kernel_w)) {
        return 0;
    }
    GM_CONV_AXES(&rows, &columns, insn);
    gm_first_region(&region, &rows, &columns, &source);
    do {
        pool_region(&(pool_call){insn, &region, no_tap}, x, y, index);
    } while (gm_next_region(&region, &rows, &columns, &source));
    return 1;
}

#endif

#if GM_ARCH_SIMD && GM_WITH_MAX_POOL_INDEX_GRAD

/* A window that covers some pixel with its tap `number`, and the offsets of its index and dy. */
typedef struct cover {
    size_t index, dy;
    int32_t number;
} cover;

typedef struct covers {
    cover at[GM_TAP_LIMIT];
    uint32_t count;
} covers;

/* The windows that cover the first pixel of a region. */
static void find_windows(covers *found, const gm_insn_max_pool_index_grad *insn, const gm_region *region)
{
    const gm_stretch *rows = &region->rows, *columns = &region->columns;
    found->count = 0;
    for (uint32_t k = 0; k < rows->taps; k++) {
        for (uint32_t l = 0; l < columns->taps; l++) {
            size_t i = rows->at[k], j = columns->at[l];
            found->at[found->count++] = (cover){(i * insn->out_w + j) * insn->channels, i * insn->y_h + j * insn->y_w,
                                                (int32_t)(rows->tap[k] * insn->kernel_w + columns->tap[l])};
        }
    }
}

/* dx of CHANNELS channels at one pixel, which `count` windows cover. */
GM_SIMD_INLINE void sum_covering_windows(const covers *w, uint32_t count, const uint8_t *index, const float *dy,
                                         uint32_t dy_channel, float *dx)
{
    floats sum = {0};
    for (uint32_t i = 0; i < count; i++) {
        words mine = (words)((words)gm_vec_load_bytes(index + w->at[i].index) == w->at[i].number);
        /* A sum that starts from +0 is never -0, so adding +0 changes nothing. */
        sum += (floats)(mine & (words)load_apart(dy + w->at[i].dy, dy_channel));
    }
    store_apart(dx, 1, sum);
}

/* A row of `pixels` pixels. y_channel and count are constants if they are 1. */
GM_SIMD_INLINE void gather_pixels(const gm_insn_max_pool_index_grad *insn, const covers *w, uint32_t pixels,
                                  const uint8_t *index, const float *dy, float *dx, uint32_t y_channel, uint32_t count)
{
    size_t channels = insn->channels, y_w = insn->y_w, x_w = (size_t)insn->stride_w * insn->x_w;
    for (uint32_t column = 0; column < pixels; column++, index += channels, dy += y_w, dx += x_w) {
        for (size_t c = 0; c < channels; c += CHANNELS) {
            sum_covering_windows(w, count, index + c, dy + c * y_channel, y_channel, dx + c);
        }
    }
}

static GM_SIMD_TARGET void gather_row(const gm_insn_max_pool_index_grad *insn, const covers *w, uint32_t pixels,
                                      const uint8_t *index, const float *dy, float *dx)
{
    if (w->count == 1 && insn->y_channel == 1) {
        gather_pixels(insn, w, pixels, index, dy, dx, 1, 1);
    } else {
        gather_pixels(insn, w, pixels, index, dy, dx, insn->y_channel, w->count);
    }
}

static void gather_region(const gm_insn_max_pool_index_grad *insn, const gm_region *region, const uint8_t *index,
                          const float *dy, float *dx)
{
    covers w;
    find_windows(&w, insn, region);
    for (uint32_t b = 0; b < insn->batch; b++) {
        for (uint32_t i = 0; i < region->rows.count; i++) {
            size_t row = region->rows.first + i * insn->stride_h, column = region->columns.first;
            gather_row(insn, &w, region->columns.count,
                       index + ((size_t)b * insn->out_h + i) * insn->out_w * insn->channels,
                       dy + (size_t)b * insn->y_batch + (size_t)i * insn->y_h,
                       dx + (size_t)b * insn->x_batch + row * insn->x_h + column * insn->x_w);
        }
    }
}

/* Whether each input is in exactly one window: windows of the stride's size side by side. */
static int windows_tile_input(const gm_insn_max_pool_index_grad *insn)
{
    return insn->kernel_h == insn->stride_h && insn->kernel_w == insn->stride_w && insn->dilation_h == 1 &&
           insn->dilation_w == 1 && insn->pad_h == 0 && insn->pad_w == 0 &&
           insn->in_h == insn->out_h * insn->stride_h && insn->in_w == insn->out_w * insn->stride_w;
}

/* dx of CHANNELS channels in one window. x_h, x_w: the steps from row to row and
 * from pixel to pixel. */
GM_SIMD_INLINE void spread_window(const uint8_t *index, const float *dy, float *dx, uint32_t y_channel, size_t x_h,
                                  size_t x_w, uint32_t kernel_h, uint32_t kernel_w)
{
    words tap = (words)gm_vec_load_bytes(index);
    floats gradient = load_apart(dy, y_channel);
    GM_UNROLL
    for (uint32_t k = 0; k < kernel_h; k++) {
        GM_UNROLL
        for (uint32_t l = 0; l < kernel_w; l++) {
            words mine = (words)(tap == (int32_t)(k * kernel_w + l));
            /* A sum that starts from +0 is never -0. */
            store_apart(dx + k * x_h + l * x_w, 1, (floats)(mine & (words)gradient) + 0.0f);
        }
    }
}

/* A row of windows. y_channel and the kernel's size are constants if they are 1 and 2x2. */
GM_SIMD_INLINE void spread_windows(const gm_insn_max_pool_index_grad *insn, const uint8_t *index, const float *dy,
                                   float *dx, uint32_t y_channel, uint32_t kernel_h, uint32_t kernel_w)
{
    size_t channels = insn->channels, y_w = insn->y_w, x_h = insn->x_h, x_w = insn->x_w;
    for (uint32_t left = insn->out_w; left > 0; left--, index += channels, dy += y_w, dx += kernel_w * x_w) {
        for (size_t c = 0; c < channels; c += CHANNELS) {
            spread_window(index + c, dy + c * y_channel, dx + c, y_channel, x_h, x_w, kernel_h, kernel_w);
        }
    }
}

static GM_SIMD_TARGET void spread_row(const gm_insn_max_pool_index_grad *insn, const uint8_t *index, const float *dy,
                                      float *dx)
{
    if (insn->kernel_h == 2 && insn->kernel_w == 2 && insn->y_channel == 1) {
        spread_windows(insn, index, dy, dx, 1, 2, 2);
    } else {
        spread_windows(insn, index, dy, dx, insn->y_channel, insn->kernel_h, insn->kernel_w);
    }
}

/* All of dx, if each input is in exactly one window. */
static void spread_all(const gm_insn_max_pool_index_grad *insn, const uint8_t *index, const float *dy, float *dx)
{
    for (uint32_t b = 0; b < insn->batch; b++) {
        for (uint32_t row = 0; row < insn->out_h; row++) {
            spread_row(insn, index, dy + (size_t)b * insn->y_batch + (size_t)row * insn->y_h,
                       dx + (size_t)b * insn->x_batch + (size_t)row * insn->stride_h * insn->x_h);
            index += (size_t)insn->out_w * insn->channels;
        }
    }
}

int gm_simd_max_pool_index_grad(const gm_insn_max_pool_index_grad *insn, const uint8_t *index, const float *dy,
                                float *dx)
{
    const gm_layout source = {insn->y_batch, insn->y_h, insn->y_w, 0, insn->y_channel};
    gm_axis rows, columns;
    gm_region region;
    if (!gm_simd_runs() || insn->x_channel != 1 || insn->channels % CHANNELS != 0 ||
        !gm_window_fits(insn->kernel_h, insn->kernel_w)) {
        return 0;
    }
    if (!GM_BYTES_COUNT && windows_tile_input(insn)) {
        spread_all(insn, index, dy, dx);
        return 1;
    }
    GM_TRANSPOSED_AXES(&rows, &columns, insn);
    gm_first_region(&region, &rows, &columns, &source);
    do {
        gather_region(insn, &region, index, dy, dx);
    } while (gm_next_region(&region, &rows, &columns, &source));
    return 1;
}

#endif
