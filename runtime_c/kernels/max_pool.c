#include "arch/simd/simd.h"
#include "window.h"

/* In place of a cell's number: the window has none, or its gradient ends here. */
#define NO_CELL 255

#if GM_WITH_MAX_POOL || GM_WITH_MAX_POOL_GRAD

/* A cell of a window: its offset in x, and its number, row-major. */
typedef struct cell {
    uint32_t at, number;
} cell;

/* The first largest cell of the window at output (row, column); at: GM_NO_OUTPUT where it has none. NaN counts as the
 * largest. x: of one batch and channel. */
static cell largest(const float *x, const gm_window *w, const gm_layout *layout, uint32_t row, uint32_t column)
{
    cell best = { GM_NO_OUTPUT, 0 };
    for (uint32_t k = 0; k < w->kernel_h; k++) {
        uint32_t i = gm_input_index(row, k, w->stride_h, w->dilation_h, w->pad_h);
        for (uint32_t l = 0; l < w->kernel_w && i < w->in_h; l++) {
            uint32_t j = gm_input_index(column, l, w->stride_w, w->dilation_w, w->pad_w);
            uint32_t at = i * layout->h + j * layout->w;
            if (j < w->in_w && (best.at == GM_NO_OUTPUT || (!(x[at] <= x[best.at]) && x[best.at] == x[best.at]))) {
                best.at = at;
                best.number = k * w->kernel_w + l;
            }
        }
    }
    return best;
}

#endif

#if GM_WITH_MAX_POOL

/* Whether a gradient will go through the window whose largest cell this is. */
static int is_passed(const gm_insn_max_pool *insn, const cell *best, float y)
{
    return best->at != GM_NO_OUTPUT && (insn->relu == 0 || y > 0.0f);
}

int gm_kernel_max_pool(const struct gm_session *session, const void *instruction)
{
    const gm_insn_max_pool *insn = instruction;
    const gm_window window = GM_WINDOW(insn);
    const gm_layout layout = { insn->x_batch, insn->x_h, insn->x_w, 0, insn->x_channel };
    uint8_t *index = insn->index == GM_NONE ? NULL : gm_u8_out(session, insn->index);
#if GM_ARCH_SIMD
    if (gm_simd_max_pool(insn, gm_f32(session, insn->x), gm_f32_out(session, insn->y), index, NO_CELL)) {
        return GM_OK;
    }
#endif
    for (uint32_t b = 0; b < insn->batch; b++) {
        for (uint32_t row = 0; row < insn->out_h; row++) {
            for (uint32_t column = 0; column < insn->out_w; column++) {
                const float *x = gm_f32(session, insn->x) + b * insn->x_batch;
                float *y = gm_f32_out(session, insn->y) + b * insn->y_batch + row * insn->y_h + column * insn->y_w;
                for (uint32_t c = 0; c < insn->channels; c++, x += insn->x_channel, y += insn->y_channel) {
                    cell best = largest(x, &window, &layout, row, column);
                    *y = best.at == GM_NO_OUTPUT ? -GM_INFINITY : x[best.at];
                    if (index != NULL) {
                        *index++ = is_passed(insn, &best, *y) ? (uint8_t)best.number : NO_CELL;
                    }
                }
            }
        }
    }
    return GM_OK;
}

#endif

#if GM_WITH_MAX_POOL_GRAD

/* Sum of dy over the windows in which cell (row, column) is the first largest. x, dy: of one batch and channel. */
static float gather(const gm_insn_max_pool_grad *insn, const gm_window *w, const gm_layout *layout, const float *x,
                    const float *dy, uint32_t row, uint32_t column)
{
    float sum = 0.0f;
    uint32_t self = row * layout->h + column * layout->w;
    for (uint32_t k = 0; k < w->kernel_h; k++) {
        uint32_t o = gm_output_index(row, k, w->stride_h, w->dilation_h, w->pad_h, w->out_h);
        for (uint32_t l = 0; l < w->kernel_w && o != GM_NO_OUTPUT; l++) {
            uint32_t p = gm_output_index(column, l, w->stride_w, w->dilation_w, w->pad_w, w->out_w);
            if (p != GM_NO_OUTPUT && largest(x, w, layout, o, p).at == self) {
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
    const gm_layout layout = { insn->x_batch, insn->x_h, insn->x_w, 0, insn->x_channel };
    for (uint32_t b = 0; b < insn->batch; b++) {
        const float *x = gm_f32(session, insn->x) + b * insn->x_batch;
        const float *dy = gm_f32(session, insn->dy) + b * insn->y_batch;
        for (uint32_t row = 0; row < insn->in_h; row++) {
            for (uint32_t column = 0; column < insn->in_w; column++) {
                float *dx = gm_f32_out(session, insn->dx) + b * insn->x_batch + row * insn->x_h + column * insn->x_w;
                for (uint32_t c = 0; c < insn->channels; c++) {
                    dx[c * insn->x_channel] = gather(insn, &window, &layout, x + c * insn->x_channel,
                                                     dy + c * insn->y_channel, row, column);
                }
            }
        }
    }
    return GM_OK;
}

#endif

#if GM_WITH_MAX_POOL_INDEX_GRAD

/* Adds dy to dx in the channels whose window has its gradient at this cell. */
static void add_won(const gm_insn_max_pool_index_grad *insn, const uint8_t *index, const float *dy, uint32_t cell,
                    float *dx)
{
    for (uint32_t c = 0; c < insn->channels; c++) {
        if (index[c] == cell) {
            dx[c * insn->x_channel] += dy[c * insn->y_channel];
        }
    }
}

/* dx of all channels at (row, column). index, dy: of one batch. */
static void gather_won(const gm_insn_max_pool_index_grad *insn, const uint8_t *index, const float *dy, uint32_t row,
                       uint32_t column, float *dx)
{
    const gm_window w = GM_WINDOW(insn);
    for (uint32_t c = 0; c < insn->channels; c++) {
        dx[c * insn->x_channel] = 0.0f;
    }
    for (uint32_t k = 0; k < w.kernel_h; k++) {
        uint32_t o = gm_output_index(row, k, w.stride_h, w.dilation_h, w.pad_h, w.out_h);
        for (uint32_t l = 0; l < w.kernel_w && o != GM_NO_OUTPUT; l++) {
            uint32_t p = gm_output_index(column, l, w.stride_w, w.dilation_w, w.pad_w, w.out_w);
            if (p != GM_NO_OUTPUT) {
                add_won(insn, index + (o * w.out_w + p) * insn->channels, dy + o * insn->y_h + p * insn->y_w,
                        k * w.kernel_w + l, dx);
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
        for (uint32_t row = 0; row < insn->in_h; row++) {
            for (uint32_t column = 0; column < insn->in_w; column++) {
                float *dx = gm_f32_out(session, insn->dx) + b * insn->x_batch + row * insn->x_h + column * insn->x_w;
                gather_won(insn, index, dy, row, column, dx);
            }
        }
    }
    return GM_OK;
}

#endif
