/* Blocks of a convolution's outputs, in the order of the sum, and lists of the
 * outputs that have a tap. */
#ifndef GM_SIMD_OUTPUT_BLOCKS_H
#define GM_SIMD_OUTPUT_BLOCKS_H

#include "weight_gradient.h"

#if GM_ARCH_TILES

/* The most outputs of a block: their gradients and inputs stay in the L1 cache. */
#define GM_BLOCK_OUTPUTS 64u

/* `count` outputs, from that at (batch, row, column) on. */
typedef struct gm_output_block {
    uint32_t batch, row, column, count;
} gm_output_block;

/* The offsets of the gradients of an output, and of the input under one of its taps. */
typedef struct gm_output_offsets {
    uint32_t x, dy;
} gm_output_offsets;

/* The number of the block's outputs in its first row. */
static inline uint32_t gm_outputs_in_row(const gm_output_block *block, const gm_window *w)
{
    uint32_t left = w->out_w - block->column;
    return block->count < left ? block->count : left;
}

/* Removes these from the block, which may become empty. */
static inline void gm_skip_row(gm_output_block *block, const gm_window *w)
{
    block->count -= gm_outputs_in_row(block, w);
    block->column = 0;
    if (++block->row == w->out_h) {
        block->row = 0;
        block->batch++;
    }
}

/* Advances to the next block, of at most `left` outputs. */
static inline void gm_next_block(gm_output_block *block, const gm_window *w, uint32_t left)
{
    uint32_t column = block->column + block->count;
    block->batch += (block->row + column / w->out_w) / w->out_h;
    block->row = (block->row + column / w->out_w) % w->out_h;
    block->column = column % w->out_w;
    block->count = left < GM_BLOCK_OUTPUTS ? left : GM_BLOCK_OUTPUTS;
}

static inline uint32_t gm_offset(const gm_layout *layout, uint32_t batch, uint32_t row, uint32_t column)
{
    return batch * layout->batch + row * layout->h + column * layout->w;
}

/* Lists the outputs of a block for which tap (k, l) is inside the input, and returns how many. dy:
 * the layout of the gradients; the listed offsets are relative to `origin`. */
static inline uint32_t gm_list_outputs(gm_output_offsets *list, const gm_weight_gradient *g, gm_output_block block,
                                       uint32_t k, uint32_t l, const gm_layout *dy, uint32_t origin)
{
    const gm_window *w = &g->g.window;
    gm_span rows = g->rows[k], columns = g->columns[l];
    uint32_t n = 0;
    for (; block.count > 0; gm_skip_row(&block, w)) {
        uint32_t end = block.column + gm_outputs_in_row(&block, w), p = block.column;
        end = end < columns.end ? end : columns.end;
        p = p > columns.first ? p : columns.first;
        if (block.row < rows.first || block.row >= rows.end) {
            continue;
        }
        uint32_t i = gm_input_index(block.row, k, w->stride_h, w->dilation_h, w->pad_h);
        uint32_t j = gm_input_index(p, l, w->stride_w, w->dilation_w, w->pad_w);
        gm_output_offsets at = {gm_offset(&g->g.x, block.batch, i, j),
                                gm_offset(dy, block.batch, block.row, p) - origin};
        for (; p < end; p++) {
            list[n++] = at;
            at.x += w->stride_w * g->g.x.w;
            at.dy += dy->w;
        }
    }
    return n;
}

#endif
#endif
