/* The outputs of a convolution in the order of the sum, in blocks, and which of a block have a
 * kernel tap. */
#ifndef GM_SIMD_OUTPUT_PIXELS_H
#define GM_SIMD_OUTPUT_PIXELS_H

#include "weight_gradient.h"

#if GM_ARCH_SIMD

/* The most outputs of a block: their slopes and inputs stay in the first cache. */
#define GM_BLOCK_PIXELS 64u

/* `count` outputs from one on. */
typedef struct gm_pixel_block {
    uint32_t batch, row, column, count;
} gm_pixel_block;

/* Offsets of an output's slopes and of the input under a tap. */
typedef struct gm_pixel {
    uint32_t x, dy;
} gm_pixel;

/* Outputs of the block in its first row. */
static inline uint32_t gm_block_run(const gm_pixel_block *block, const gm_window *w)
{
    uint32_t left = w->out_w - block->column;
    return block->count < left ? block->count : left;
}

/* Cuts them off; count may become 0. */
static inline void gm_block_pass(gm_pixel_block *block, const gm_window *w)
{
    block->count -= gm_block_run(block, w);
    block->column = 0;
    if (++block->row == w->out_h) {
        block->row = 0;
        block->batch++;
    }
}

/* The block behind it, of `left` outputs at most. */
static inline void gm_block_next(gm_pixel_block *block, const gm_window *w, uint32_t left)
{
    uint32_t column = block->column + block->count;
    block->batch += (block->row + column / w->out_w) / w->out_h;
    block->row = (block->row + column / w->out_w) % w->out_h;
    block->column = column % w->out_w;
    block->count = left < GM_BLOCK_PIXELS ? left : GM_BLOCK_PIXELS;
}

static inline uint32_t gm_offset(const gm_layout *layout, uint32_t batch, uint32_t row, uint32_t column)
{
    return batch * layout->batch + row * layout->h + column * layout->w;
}

/* Those of the block that have the tap (k, l), in order; returns how many. dy: the slopes' layout,
 * of which the offset `origin` is 0. */
static inline uint32_t gm_list_pixels(gm_pixel *list, const gm_weight_gradient *g, gm_pixel_block block, uint32_t k,
                                      uint32_t l, const gm_layout *dy, uint32_t origin)
{
    const gm_window *w = &g->g.window;
    gm_span rows = g->rows[k], columns = g->columns[l];
    uint32_t n = 0;
    for (; block.count > 0; gm_block_pass(&block, w)) {
        uint32_t end = block.column + gm_block_run(&block, w), p = block.column;
        end = end < columns.end ? end : columns.end;
        p = p > columns.first ? p : columns.first;
        if (block.row < rows.first || block.row >= rows.end) {
            continue;
        }
        uint32_t i = gm_input_index(block.row, k, w->stride_h, w->dilation_h, w->pad_h);
        uint32_t j = gm_input_index(p, l, w->stride_w, w->dilation_w, w->pad_w);
        gm_pixel at = {gm_offset(&g->g.x, block.batch, i, j), gm_offset(dy, block.batch, block.row, p) - origin};
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
