#include "pixels.h"
#include "simd.h"
#include "vector.h"

#if GM_ARCH_SIMD && (GM_WITH_MAX_POOL || GM_WITH_MAX_POOL_INDEX_GRAD)

#define CHANNELS GM_LANES

/* Compilers' own vectors: these kernels compare and choose, for which vector.h has no functions. */
typedef float floats __attribute__((vector_size(4 * CHANNELS)));
typedef int32_t words __attribute__((vector_size(4 * CHANNELS)));
typedef uint8_t cells __attribute__((vector_size(CHANNELS)));

#endif

#if GM_ARCH_SIMD && GM_WITH_MAX_POOL

/* best[c], number[c]: the first largest of the window's cells and which it is; as they were where it has none. */
GM_SIMD_INLINE void largest_of(const gm_insn_max_pool *insn, const float *x, uint32_t row, uint32_t column,
                               floats *best, words *number)
{
    words first = ~(words){0}, largest, cell;
    memcpy(&largest, best, sizeof largest);
    for (uint32_t k = 0; k < insn->kernel_h; k++) {
        uint32_t i = gm_input_index(row, k, insn->stride_h, insn->dilation_h, insn->pad_h);
        for (uint32_t l = 0; l < insn->kernel_w && i < insn->in_h; l++) {
            uint32_t j = gm_input_index(column, l, insn->stride_w, insn->dilation_w, insn->pad_w);
            if (j < insn->in_w) {
                floats value;
                memcpy(&value, x + (size_t)i * insn->x_h + (size_t)j * insn->x_w, sizeof value);
                words taken = first | (~(words)(value <= *best) & (words)(*best == *best));
                memcpy(&cell, &value, sizeof cell);
                largest = (taken & cell) | (~taken & largest);
                memcpy(best, &largest, sizeof largest);
                *number = (taken & ((words){0} + (int32_t)(k * insn->kernel_w + l))) | (~taken & *number);
                first = (words){0};
            }
        }
    }
}

/* x, y, index: of one output pixel's first channel */
static GM_SIMD_TARGET void pool(const gm_insn_max_pool *insn, const float *x, float *y, uint8_t *index, uint32_t row,
                                uint32_t column, uint32_t no_cell)
{
    for (uint32_t c = 0; c < insn->channels; c += CHANNELS) {
        floats best = (floats){0} - GM_INFINITY;
        words number = (words){0} + (int32_t)no_cell;
        largest_of(insn, x + c, row, column, &best, &number);
        if (insn->y_channel == 1) {
            memcpy(y + c, &best, sizeof best);
        }
        for (uint32_t i = 0; i < CHANNELS && insn->y_channel != 1; i++) {
            y[(size_t)(c + i) * insn->y_channel] = best[i];
        }
        if (index != NULL) {
            words passed = (words)(best > 0.0f) | ((words){0} - (int32_t)(insn->relu == 0));
            cells packed = __builtin_convertvector((passed & number) | (~passed & ((words){0} + (int32_t)no_cell)), cells);
            memcpy(index + c, &packed, sizeof packed);
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

/* Columns by cells of a window that there is a table for. */
#define ON_COLUMNS 1024u

/* dx of CHANNELS channels at one pixel. rows, columns: output indices whose windows' cells k and l lie on it. */
GM_SIMD_INLINE void gather(const gm_insn_max_pool_index_grad *insn, const uint32_t *rows, const uint32_t *columns,
                                  const uint8_t *index, const float *dy, float *dx)
{
    floats sum = {0};
    for (uint32_t k = 0; k < insn->kernel_h; k++) {
        for (uint32_t l = 0; l < insn->kernel_w && rows[k] < insn->out_h; l++) {
            if (columns[l] >= insn->out_w) {
                continue;
            }
            const float *from = dy + (size_t)rows[k] * insn->y_h + (size_t)columns[l] * insn->y_w;
            floats slope;
            words bits;
            cells won;
            memcpy(&won, index + ((size_t)rows[k] * insn->out_w + columns[l]) * insn->channels, sizeof won);
            if (insn->y_channel == 1) {
                memcpy(&slope, from, sizeof slope);
            }
            for (uint32_t c = 0; c < CHANNELS && insn->y_channel != 1; c++) {
                slope[c] = from[(size_t)c * insn->y_channel];
            }
            memcpy(&bits, &slope, sizeof bits);
            bits &= __builtin_convertvector(won, words) == (int32_t)(k * insn->kernel_w + l);
            memcpy(&slope, &bits, sizeof slope);
            sum += slope; /* a sum from +0 is never -0, so that +0 changes nothing */
        }
    }
    memcpy(dx, &sum, sizeof sum);
}

/* Output indices of one axis whose cells k lie on an input; UINT32_MAX where there is none. */
static void outputs_of_input(const gm_axis *axis, uint32_t input, uint32_t *outputs)
{
    uint32_t phase, base = gm_axis_base(axis, input, 1, &phase);
    for (uint32_t k = 0; k < axis->kernel; k++) {
        outputs[k] = gm_axis_index(axis, base, phase, k);
    }
}

/* One row of pixels of one batch; on_columns: outputs_of_input() of each column. */
static GM_SIMD_TARGET void gather_row(const gm_insn_max_pool_index_grad *insn, const uint32_t *on_row,
                                      const uint32_t *on_columns, const uint8_t *index, const float *dy, float *dx)
{
    for (uint32_t column = 0; column < insn->in_w; column++) {
        const uint32_t *on_column = on_columns + column * insn->kernel_w;
        for (uint32_t c = 0; c < insn->channels; c += CHANNELS) {
            gather(insn, on_row, on_column, index + c, dy + (size_t)c * insn->y_channel,
                   dx + (size_t)column * insn->x_w + c);
        }
    }
}

int gm_simd_max_pool_index_grad(const gm_insn_max_pool_index_grad *insn, const uint8_t *index, const float *dy, float *dx)
{
    gm_axis rows, columns;
    uint32_t on_row[GM_KERNEL_LIMIT], on_columns[ON_COLUMNS];
    if (!gm_simd_runs() || insn->x_channel != 1 || insn->channels % CHANNELS != 0 ||
        insn->kernel_h > GM_KERNEL_LIMIT || insn->kernel_w > GM_KERNEL_LIMIT ||
        insn->in_w > ON_COLUMNS / insn->kernel_w) {
        return 0;
    }
    gm_transposed_axis(&rows, insn->in_h, insn->out_h, insn->kernel_h, insn->stride_h, insn->dilation_h, insn->pad_h);
    gm_transposed_axis(&columns, insn->in_w, insn->out_w, insn->kernel_w, insn->stride_w, insn->dilation_w, insn->pad_w);
    for (uint32_t column = 0; column < insn->in_w; column++) {
        outputs_of_input(&columns, column, on_columns + column * insn->kernel_w);
    }
    for (uint32_t b = 0; b < insn->batch; b++) {
        for (uint32_t row = 0; row < insn->in_h; row++) {
            outputs_of_input(&rows, row, on_row);
            gather_row(insn, on_row, on_columns, index, dy, dx + (size_t)row * insn->x_h);
        }
        index += (size_t)insn->out_h * insn->out_w * insn->channels;
        dy += insn->y_batch;
        dx += insn->x_batch;
    }
    return 1;
}

#endif
