/*
 * MAX_POOL and MAX_POOL_INDEX_GRAD with vectors of neighbouring channels:
 * y = max over the taps of x, index = the first tap that has it, dx[pixel] = sum of dy over the
 * windows whose index is the tap under which the pixel lies.
 */
#include "blocks/window_regions.h"
#include "simd.h"
#include "vector.h"

#if GM_ARCH_SIMD && (GM_WITH_MAX_POOL || GM_WITH_MAX_POOL_INDEX_GRAD)

#define CHANNELS GM_LANES

/* The vectors of the compiler itself: these kernels compare and choose, for which vector.h has
 * nothing. */
typedef float floats __attribute__((vector_size(4 * CHANNELS)));
typedef int32_t words __attribute__((vector_size(4 * CHANNELS)));

/* CHANNELS floats that lie `step` apart. */
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

GM_SIMD_INLINE floats choose(words mask, floats a, floats b)
{
    return (floats)((mask & (words)a) | (~mask & (words)b));
}

#endif

#if GM_ARCH_SIMD && GM_WITH_MAX_POOL

typedef struct pool_call {
    const gm_insn_max_pool *insn;
    const gm_region *region;
    uint32_t no_tap;
} pool_call;

/* CHANNELS of an output pixel: the first largest tap of its window, and which it is. x: of the
 * region's first pixel's window. */
GM_SIMD_INLINE void pool_pixel(const pool_call *p, const float *x, float *y, uint8_t *index)
{
    const gm_region *region = p->region;
    floats best = (floats){0} - GM_INFINITY;
    words number = (words){0} + (int32_t)p->no_tap;
    if (region->taps > 0) {
        best = load_apart(x + region->source[0], 1);
        number = (words){0} + (int32_t)region->number[0];
    }
    for (uint32_t i = 1; i < region->taps; i++) {
        floats value = load_apart(x + region->source[i], 1);
        words taken = ~(words)(value <= best) & (words)(best == best);
        best = choose(taken, value, best);
        number = (taken & ((words){0} + (int32_t)region->number[i])) | (~taken & number);
    }
    store_apart(y, p->insn->y_channel, best);
    if (index != NULL) {
        words passed = (words)(best > 0.0f) | ((words){0} - (int32_t)(p->insn->relu == 0));
        words kept = (passed & number) | (~passed & ((words){0} + (int32_t)p->no_tap));
        gm_vec_store_bytes(index, (gm_words)kept);
    }
}

/* One row of a region. */
static GM_SIMD_TARGET void pool_row(const pool_call *p, const float *x, float *y, uint8_t *index)
{
    const gm_insn_max_pool *insn = p->insn;
    for (uint32_t column = 0; column < p->region->columns.count; column++) {
        for (uint32_t c = 0; c < insn->channels; c += CHANNELS) {
            pool_pixel(p, x + c, y + (size_t)c * insn->y_channel, index ? index + c : NULL);
        }
        x += (size_t)insn->stride_w * insn->x_w;
        y += insn->y_w;
        index = index ? index + insn->channels : NULL;
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

/* A window that has some pixel under its tap `number`, and where its index and dy lie. */
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
        /* A sum that starts from +0 is never -0, so that adding +0 changes nothing. */
        sum += (floats)(mine & (words)load_apart(dy + w->at[i].dy, dy_channel));
    }
    store_apart(dx, 1, sum);
}

/* A row of `pixels` pixels. y_channel and count are constants where they are 1. */
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
    GM_TRANSPOSED_AXES(&rows, &columns, insn);
    gm_first_region(&region, &rows, &columns, &source);
    do {
        gather_region(insn, &region, index, dy, dx);
    } while (gm_next_region(&region, &rows, &columns, &source));
    return 1;
}

#endif
