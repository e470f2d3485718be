#include "pixels.h"
#include "simd.h"

/* Channels at once: loops of this many are what compilers turn into vectors. */
#define CHANNELS 8u

#if GM_ARCH_SIMD && GM_WITH_MAX_POOL

/* best[c], number[c]: the first largest of the window's cells and which it is. How many cells it has. */
GM_SIMD_INLINE uint32_t largest_of(const gm_insn_max_pool *insn, const float *x, uint32_t row, uint32_t column,
                                   float *best, uint32_t *number)
{
    uint32_t cells = 0;
    for (uint32_t k = 0; k < insn->kernel_h; k++) {
        uint32_t i = gm_input_index(row, k, insn->stride_h, insn->dilation_h, insn->pad_h);
        for (uint32_t l = 0; l < insn->kernel_w && i < insn->in_h; l++) {
            uint32_t j = gm_input_index(column, l, insn->stride_w, insn->dilation_w, insn->pad_w);
            const float *at = x + (size_t)i * insn->x_h + (size_t)j * insn->x_w;
            if (j >= insn->in_w) {
                continue;
            }
            for (uint32_t c = 0; c < CHANNELS; c++) {
                int taken = cells == 0 || ((!(at[c] <= best[c])) & (best[c] == best[c]));
                best[c] = taken ? at[c] : best[c];
                number[c] = taken ? k * insn->kernel_w + l : number[c];
            }
            cells++;
        }
    }
    return cells;
}

/* x, y, index: of one output pixel's first channel */
static GM_SIMD_TARGET void pool(const gm_insn_max_pool *insn, const float *x, float *y, uint8_t *index, uint32_t row,
                                uint32_t column, uint32_t no_cell)
{
    for (uint32_t c = 0; c < insn->channels; c += CHANNELS) {
        float best[CHANNELS];
        uint32_t number[CHANNELS];
        for (uint32_t i = 0; i < CHANNELS; i++) {
            best[i] = -GM_INFINITY;
            number[i] = no_cell;
        }
        largest_of(insn, x + c, row, column, best, number);
        for (uint32_t i = 0; i < CHANNELS; i++) {
            y[(c + i) * insn->y_channel] = best[i];
        }
        for (uint32_t i = 0; i < CHANNELS && index != NULL; i++) {
            index[c + i] = (uint8_t)(insn->relu != 0 && !(best[i] > 0.0f) ? no_cell : number[i]);
        }
    }
}

int gm_simd_max_pool(const gm_insn_max_pool *insn, const float *x, float *y, uint8_t *index, uint32_t no_cell)
{
    if (!gm_simd_runs() || insn->x_channel != 1 || insn->channels % CHANNELS != 0) {
        return 0;
    }
    for (uint32_t b = 0; b < insn->batch; b++) {
        for (uint32_t row = 0; row < insn->out_h; row++) {
            for (uint32_t column = 0; column < insn->out_w; column++) {
                pool(insn, x + (size_t)b * insn->x_batch,
                     y + (size_t)b * insn->y_batch + (size_t)row * insn->y_h + (size_t)column * insn->y_w, index, row,
                     column, no_cell);
                index = index ? index + insn->channels : NULL;
            }
        }
    }
    return 1;
}

#endif

#if GM_ARCH_SIMD && GM_WITH_MAX_POOL_INDEX_GRAD

/* dx of CHANNELS channels at one pixel, whose window rows and columns start at base_h and base_w. */
static GM_SIMD_TARGET void gather(const gm_insn_max_pool_index_grad *insn, const gm_axis *rows, const gm_axis *columns,
                                  const uint8_t *index, const float *dy, const uint32_t *base, const uint32_t *phase,
                                  float *dx)
{
    float sum[CHANNELS], slope[CHANNELS];
    for (uint32_t c = 0; c < CHANNELS; c++) {
        sum[c] = 0.0f;
    }
    for (uint32_t k = 0; k < rows->kernel; k++) {
        uint32_t o = gm_axis_index(rows, base[0], phase[0], k);
        for (uint32_t l = 0; l < columns->kernel && o < rows->source; l++) {
            uint32_t p = gm_axis_index(columns, base[1], phase[1], l);
            if (p >= columns->source) {
                continue;
            }
            const uint8_t *won = index + ((size_t)o * columns->source + p) * insn->channels;
            const float *from = dy + (size_t)o * insn->y_h + (size_t)p * insn->y_w;
            for (uint32_t c = 0; c < CHANNELS; c++) {
                slope[c] = from[(size_t)c * insn->y_channel];
            }
            for (uint32_t c = 0; c < CHANNELS; c++) { /* a sum from +0 is never -0, so that +0 changes nothing */
                sum[c] += won[c] == k * columns->kernel + l ? slope[c] : 0.0f;
            }
        }
    }
    for (uint32_t c = 0; c < CHANNELS; c++) {
        dx[c] = sum[c];
    }
}

/* One row of pixels of one batch */
static void gather_row(const gm_insn_max_pool_index_grad *insn, const gm_axis *rows, const gm_axis *columns,
                       const uint8_t *index, const float *dy, uint32_t row, float *dx)
{
    uint32_t base[2], phase[2];
    base[0] = gm_axis_base(rows, row, 1, &phase[0]);
    for (uint32_t column = 0; column < insn->in_w; column++) {
        base[1] = gm_axis_base(columns, column, 1, &phase[1]);
        for (uint32_t c = 0; c < insn->channels; c += CHANNELS) {
            gather(insn, rows, columns, index + c, dy + (size_t)c * insn->y_channel, base, phase,
                   dx + (size_t)column * insn->x_w + c);
        }
    }
}

int gm_simd_max_pool_index_grad(const gm_insn_max_pool_index_grad *insn, const uint8_t *index, const float *dy, float *dx)
{
    gm_axis rows, columns;
    if (!gm_simd_runs() || insn->x_channel != 1 || insn->channels % CHANNELS != 0 ||
        insn->kernel_h > GM_KERNEL_LIMIT || insn->kernel_w > GM_KERNEL_LIMIT) {
        return 0;
    }
    gm_transposed_axis(&rows, insn->in_h, insn->out_h, insn->kernel_h, insn->stride_h, insn->dilation_h, insn->pad_h);
    gm_transposed_axis(&columns, insn->in_w, insn->out_w, insn->kernel_w, insn->stride_w, insn->dilation_w, insn->pad_w);
    for (uint32_t b = 0; b < insn->batch; b++) {
        for (uint32_t row = 0; row < insn->in_h; row++) {
            gather_row(insn, &rows, &columns, index, dy, row, dx + (size_t)row * insn->x_h);
        }
        index += (size_t)insn->out_h * insn->out_w * insn->channels;
        dy += insn->y_batch;
        dx += insn->x_batch;
    }
    return 1;
}

#endif
