/*
 * MAX_POOL: y[b,o,p,c] = the largest x in the window; padding never wins; NaN does. index[b,o,p,c]
 *   = its tap, row-major; with relu, 255 unless y > 0.
 * MAX_POOL_GRAD: dx = sum over kernel rows and columns of dy of the window that has this element
 *   there, if it is the window's first largest.
 * MAX_POOL_INDEX_GRAD: dx = sum over kernel rows and columns of dy of the window that has this
 *   element there, if the window's index selects it.
 */
#include "../generated/instructions/max_pool.h"
#include "../generated/instructions/max_pool_grad.h"
#include "../generated/instructions/max_pool_index_grad.h"
#include "arch/simd/simd.h"
#include "rows.h"
#include "window.h"

/* The index of a window without a tap inside the input, or with a gradient of 0. */
#define NO_TAP 255

#if GM_WITH_MAX_POOL || GM_WITH_MAX_POOL_GRAD

/* The taps of a window inside the input. Offsets and steps in elements of x. */
typedef struct clipped_window {
    gm_span rows, columns;
    uint32_t at, row_step, column_step;
} clipped_window;

/* The taps of output o inside the input, along one dimension. */
static gm_span taps_inside_input(uint32_t o, uint32_t taps, uint32_t stride, uint32_t dilation, uint32_t pad,
                                 uint32_t in)
{
    gm_span s = {0, taps};
    while (s.first < s.end && gm_input_index(o, s.first, stride, dilation, pad) >= in) {
        s.first++;
    }
    while (s.first < s.end && gm_input_index(o, s.end - 1, stride, dilation, pad) >= in) {
        s.end--;
    }
    return s;
}

static clipped_window clip_window(const gm_window *w, const gm_layout *layout, uint32_t row, uint32_t column)
{
    gm_span rows = taps_inside_input(row, w->kernel_h, w->stride_h, w->dilation_h, w->pad_h, w->in_h);
    gm_span columns = taps_inside_input(column, w->kernel_w, w->stride_w, w->dilation_w, w->pad_w, w->in_w);
    return (clipped_window){
        rows,
        columns,
        gm_input_index(row, rows.first, w->stride_h, w->dilation_h, w->pad_h) * layout->h +
            gm_input_index(column, columns.first, w->stride_w, w->dilation_w, w->pad_w) * layout->w,
        w->dilation_h * layout->h,
        w->dilation_w * layout->w,
    };
}

#endif

#if GM_WITH_MAX_POOL

/* Takes the first tap of a window. If the window has none, x is NULL and tap is NO_TAP. */
static void start_window(const gm_insn_max_pool *insn, const float *x, float *y, uint8_t *index, uint32_t tap)
{
    uint32_t x_step = insn->x_channel, y_step = insn->y_channel;
    for (uint32_t c = 0, n = insn->channels; c < n; c++, y += y_step) {
        *y = x ? x[c * x_step] : -GM_INFINITY;
    }
    if (index != NULL) {
        memset(index, (int)tap, insn->channels);
    }
}

/* Takes another tap in those channels in which it is larger than all before, or the first NaN. */
static void take_tap(const gm_insn_max_pool *insn, const float *x, float *y, uint8_t *index, uint32_t tap)
{
    uint32_t x_step = insn->x_channel, y_step = insn->y_channel;
    for (uint32_t c = 0, n = insn->channels; c < n; c++, x += x_step, y += y_step) {
        float value = *x, most = *y;
#if GM_ARCH_SCALAR
        int taken = !(value <= most) & (most == most);
        *y = gm_chosen(taken, value, most);
        if (index != NULL) {
            index[c] ^= (uint8_t)((index[c] ^ tap) & gm_mask_where(taken));
        }
#else
        if (!(value <= most) && most == most) {
            *y = value;
            if (index != NULL) {
                index[c] = (uint8_t)tap;
            }
        }
#endif
    }
}

/* Sets NO_TAP in channels whose gradient a RELU after the pool will block. */
static void cut_by_relu(const gm_insn_max_pool *insn, const float *y, uint8_t *index)
{
    for (uint32_t c = 0; c < insn->channels; c++) {
        index[c] = gm_is_positive(y[c * insn->y_channel]) ? index[c] : NO_TAP;
    }
}

/* All channels of a window. x: one sample; y, index: this window. */
static void pool_window(const gm_insn_max_pool *insn, const clipped_window *p, const float *x, float *y, uint8_t *index)
{
    uint32_t started = 0;
    for (uint32_t k = p->rows.first, row = p->at; k < p->rows.end; k++, row += p->row_step) {
        for (uint32_t l = p->columns.first, at = row; l < p->columns.end; l++, at += p->column_step, started = 1) {
            uint32_t tap = k * insn->kernel_w + l;
            if (started) {
                take_tap(insn, x + at, y, index, tap);
            } else {
                start_window(insn, x + at, y, index, tap);
            }
        }
    }
    if (!started) {
        start_window(insn, NULL, y, index, NO_TAP);
    } else if (index != NULL && insn->relu) {
        cut_by_relu(insn, y, index);
    }
}

int gm_kernel_max_pool(const struct gm_session *session, const void *instruction)
{
    const gm_insn_max_pool *insn = instruction;
    const gm_window window = GM_WINDOW(insn);
    const gm_layout layout = {insn->x_batch, insn->x_h, insn->x_w, 0, insn->x_channel};
    uint8_t *index = insn->index == GM_NONE ? NULL : gm_u8_out(session, insn->index);
#if GM_ARCH_SIMD
    if (gm_simd_max_pool(insn, gm_f32(session, insn->x), gm_f32_out(session, insn->y), index, NO_TAP)) {
        return GM_OK;
    }
#endif
    for (uint32_t b = 0; b < insn->batch; b++) {
        for (uint32_t row = 0; row < insn->out_h; row++) {
            for (uint32_t column = 0; column < insn->out_w; column++) {
                const float *x = gm_f32(session, insn->x) + b * insn->x_batch;
                float *y = gm_f32_out(session, insn->y) + b * insn->y_batch + row * insn->y_h + column * insn->y_w;
                const clipped_window p = clip_window(&window, &layout, row, column);
                pool_window(insn, &p, x, y, index);
                index = index != NULL ? index + insn->channels : NULL;
            }
        }
    }
    return GM_OK;
}

#endif

#if GM_WITH_MAX_POOL_GRAD

/* Offset of the first largest tap, or GM_NO_OUTPUT. NaN counts as the largest. x: one
 * sample and channel. */
static uint32_t offset_of_largest(const float *x, const clipped_window *p)
{
    uint32_t best = GM_NO_OUTPUT;
    for (uint32_t k = p->rows.first, row = p->at; k < p->rows.end; k++, row += p->row_step) {
        for (uint32_t l = p->columns.first, at = row; l < p->columns.end; l++, at += p->column_step) {
            if (best == GM_NO_OUTPUT || (!(x[at] <= x[best]) && x[best] == x[best])) {
                best = at;
            }
        }
    }
    return best;
}

/* Whether a tap receives the gradient of output (row, column); 0 if there is no such output. */
static int is_largest(const gm_window *w, const gm_layout *layout, const float *x, uint32_t row, uint32_t column,
                      uint32_t tap)
{
    if (column == GM_NO_OUTPUT) {
        return 0;
    }
    const clipped_window p = clip_window(w, layout, row, column);
    return offset_of_largest(x, &p) == tap;
}

/* Sum of dy over the windows in which tap (row, column) is the first largest. x, dy: one
 * sample and channel. */
static float sum_of_won_windows(const gm_insn_max_pool_grad *insn, const gm_window *w, const gm_layout *layout,
                                const float *x, const float *dy, uint32_t row, uint32_t column)
{
    float sum = 0.0f;
    uint32_t self = row * layout->h + column * layout->w;
    for (uint32_t k = 0; k < w->kernel_h; k++) {
        uint32_t o = gm_output_index(row, k, w->stride_h, w->dilation_h, w->pad_h, w->out_h);
        for (uint32_t l = 0; l < w->kernel_w && o != GM_NO_OUTPUT; l++) {
            uint32_t p = gm_output_index(column, l, w->stride_w, w->dilation_w, w->pad_w, w->out_w);
            if (is_largest(w, layout, x, o, p, self)) {
                sum += dy[o * insn->y_h + p * insn->y_w];
            }
        }
    }
    return sum;
}

int gm_kernel_max_pool_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_max_pool_grad *insn = instruction;
    const gm_window window = GM_WINDOW(insn);
    const gm_layout layout = {insn->x_batch, insn->x_h, insn->x_w, 0, insn->x_channel};
    for (uint32_t b = 0; b < insn->batch; b++) {
        const float *x = gm_f32(session, insn->x) + b * insn->x_batch;
        const float *dy = gm_f32(session, insn->dy) + b * insn->y_batch;
        for (uint32_t row = 0; row < insn->in_h; row++) {
            for (uint32_t column = 0; column < insn->in_w; column++) {
                float *dx = gm_f32_out(session, insn->dx) + b * insn->x_batch + row * insn->x_h + column * insn->x_w;
                for (uint32_t c = 0; c < insn->channels; c++) {
                    dx[c * insn->x_channel] = sum_of_won_windows(insn, &window, &layout, x + c * insn->x_channel,
                                                                 dy + c * insn->y_channel, row, column);
                }
            }
        }
    }
    return GM_OK;
}

#endif

#if GM_WITH_MAX_POOL_INDEX_GRAD

/* Adds dy to dx in the channels whose windows selected this tap. */
static void add_where_won(const gm_insn_max_pool_index_grad *insn, const uint8_t *index, const float *dy, uint32_t tap,
                          float *dx)
{
    uint32_t dx_step = insn->x_channel, dy_step = insn->y_channel;
    for (const uint8_t *end = index + insn->channels; index != end; dx += dx_step, dy += dy_step) {
#if GM_ARCH_SCALAR
        *dx += gm_chosen(*index++ == tap, *dy, 0.0f); /* dx is never -0, so adding +0 does not change it */
#else
        if (*index++ == tap) {
            *dx += *dy;
        }
#endif
    }
}

/* Tap (k, l) of all windows that have it inside dx. index, dy, dx: one sample. */
static void add_index_gradient_tap(const gm_insn_max_pool_index_grad *insn, const uint8_t *index, const float *dy,
                                   float *dx, uint32_t k, uint32_t l)
{
    const gm_window w = GM_WINDOW(insn);
    gm_span rows = gm_valid_outputs(k, w.stride_h, w.dilation_h, w.pad_h, w.in_h, w.out_h);
    gm_span columns = gm_valid_outputs(l, w.stride_w, w.dilation_w, w.pad_w, w.in_w, w.out_w);
    for (uint32_t row = rows.first; row < rows.end; row++) {
        uint32_t i = gm_input_index(row, k, w.stride_h, w.dilation_h, w.pad_h);
        for (uint32_t column = columns.first; column < columns.end; column++) {
            uint32_t j = gm_input_index(column, l, w.stride_w, w.dilation_w, w.pad_w);
            add_where_won(insn, index + (row * w.out_w + column) * insn->channels,
                          dy + row * insn->y_h + column * insn->y_w, k * w.kernel_w + l,
                          dx + i * insn->x_h + j * insn->x_w);
        }
    }
}

static void clear_gradient(const gm_insn_max_pool_index_grad *insn, float *dx)
{
    uint32_t step = insn->x_channel;
    for (uint32_t row = 0; row < insn->in_h; row++) {
        for (uint32_t column = 0; column < insn->in_w; column++) {
            float *at = dx + row * insn->x_h + column * insn->x_w;
            for (uint32_t c = insn->channels; c > 0; c--, at += step) {
                *at = 0.0f;
            }
        }
    }
}

int gm_kernel_max_pool_index_grad(const struct gm_session *session, const void *instruction)
{
    const gm_insn_max_pool_index_grad *insn = instruction;
    const uint8_t *index = gm_u8(session, insn->index);
#if GM_ARCH_SIMD
    if (gm_simd_max_pool_index_grad(insn, index, gm_f32(session, insn->dy), gm_f32_out(session, insn->dx))) {
        return GM_OK;
    }
#endif
    for (uint32_t b = 0; b < insn->batch; b++, index += insn->out_h * insn->out_w * insn->channels) {
        const float *dy = gm_f32(session, insn->dy) + b * insn->y_batch;
        float *dx = gm_f32_out(session, insn->dx) + b * insn->x_batch;
        clear_gradient(insn, dx);
        for (uint32_t tap = 0; tap < insn->kernel_h * insn->kernel_w; tap++) {
            add_index_gradient_tap(insn, index, dy, dx, tap / insn->kernel_w, tap % insn->kernel_w);
        }
    }
    return GM_OK;
}

#endif
