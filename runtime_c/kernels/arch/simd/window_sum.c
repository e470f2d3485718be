#include "panel.h"
#include "pixels.h"
#include "simd.h"

#include <stddef.h>

#if GM_ARCH_SIMD && (GM_WITH_CONV || GM_WITH_CONV_TRANSPOSE)

/* GM_TILE_ROWS pixels. Those behind the last repeat it, and are not stored. */
typedef struct tile {
    const float *source[GM_TILE_ROWS];
    float *dest[GM_TILE_ROWS];
    uint32_t base_h[GM_TILE_ROWS], base_w[GM_TILE_ROWS], phase_h[GM_TILE_ROWS], phase_w[GM_TILE_ROWS];
    uint32_t count;
} tile;

/* The most steps with a table. */
#define OFFSETS 256u

/* The most inputs: with more the loop over inputs is long enough without one. */
#define FEW_INPUTS 4u

/* Weights of some neighbouring outputs, from step `first` to `end` of the sum, which counts cells and inputs in one. */
typedef struct block {
    float panel[GM_PANEL_FLOATS];
    uint32_t first, end;
    size_t cell_step, input_step; /* of the panel */
    ptrdiff_t offsets[OFFSETS];   /* of each step's source from the first cell's, with few inputs */
    int has_offsets;
} block;

GM_SIMD_INLINE void next_tile(tile *t, const gm_window_sum *sum, gm_place *at, uint32_t left, int transposed)
{
    t->count = left < GM_TILE_ROWS ? left : GM_TILE_ROWS;
    for (uint32_t r = 0; r < GM_TILE_ROWS; r++) {
        t->source[r] = sum->x + at->batch * (size_t)sum->source.batch;
        t->dest[r] = sum->y + at->batch * (size_t)sum->dest.batch + at->row * (size_t)sum->dest.h +
                     at->column * (size_t)sum->dest.w;
        t->base_h[r] = gm_axis_base(&sum->rows, at->row, transposed, &t->phase_h[r]);
        t->base_w[r] = gm_axis_base(&sum->columns, at->column, transposed, &t->phase_w[r]);
        if (r + 1 < t->count) {
            gm_place_next(at, &sum->rows, &sum->columns);
        }
    }
    gm_place_next(at, &sum->rows, &sum->columns);
}

/* ---- Weights ------------------------------------------------------------------------------------------------- */

/* The whole sum at once, where a kernel's cells lie side by side: [input][cell][output] */
GM_SIMD_INLINE void pack_whole(block *b, const gm_window_sum *sum, const float *w, uint32_t columns, uint32_t width)
{
    uint32_t cells = sum->rows.kernel * sum->columns.kernel;
    int one_run = sum->w_input == cells;
    uint32_t run = one_run ? sum->inputs * cells : cells;
    for (uint32_t i = 0; i < sum->inputs; i += one_run ? sum->inputs : 1) {
        gm_pack(b->panel + (size_t)i * cells * width, w + (size_t)i * sum->w_input, 1, sum->w_output, run, columns, width);
    }
    b->input_step = (size_t)cells * width;
    b->cell_step = width;
}

/* One cell after the other: [cell][input][output] from step b->first on */
GM_SIMD_INLINE void pack_cells(block *b, const gm_window_sum *sum, const float *w, uint32_t columns, uint32_t width)
{
    float *panel = b->panel;
    for (uint32_t step = b->first; step < b->end;) {
        uint32_t cell = step / sum->inputs, input = step % sum->inputs;
        uint32_t k = cell / sum->columns.kernel, l = cell % sum->columns.kernel;
        uint32_t count = sum->inputs - input < b->end - step ? sum->inputs - input : b->end - step;
        const float *from = w + (size_t)k * sum->w_h + (size_t)l * sum->w_w + (size_t)input * sum->w_input;
        gm_pack(panel, from, sum->w_input, sum->w_output, count, columns, width);
        panel += (size_t)count * width;
        step += count;
    }
    b->input_step = width;
    b->cell_step = (size_t)sum->inputs * width;
}

GM_SIMD_INLINE void note_offsets(block *b, const gm_window_sum *sum)
{
    uint32_t step = 0;
    for (uint32_t k = 0; k < sum->rows.kernel; k++) {
        for (uint32_t l = 0; l < sum->columns.kernel; l++) {
            ptrdiff_t down = (int32_t)sum->rows.delta[k], right = (int32_t)sum->columns.delta[l];
            for (uint32_t i = 0; i < sum->inputs; i++) {
                b->offsets[step++] = down * (ptrdiff_t)sum->source.h + right * (ptrdiff_t)sum->source.w +
                                     (ptrdiff_t)i * (ptrdiff_t)sum->source.channel;
            }
        }
    }
}

/* As much of the sum from b->first on as the panel holds. */
GM_SIMD_INLINE void pack_block(block *b, const gm_window_sum *sum, const float *w, uint32_t columns, uint32_t width)
{
    uint32_t cells = sum->rows.kernel * sum->columns.kernel, steps = cells * sum->inputs;
    uint32_t most = GM_PANEL_FLOATS / width;
    b->end = steps - b->first < most ? steps : b->first + most;
    int whole = b->first == 0 && b->end == steps;
    b->has_offsets = whole && sum->inputs <= FEW_INPUTS && steps <= OFFSETS;
    if (b->has_offsets) {
        note_offsets(b, sum);
    }
    if (whole && !b->has_offsets && cells > 1 && sum->w_w == 1 && sum->w_h == sum->columns.kernel) {
        pack_whole(b, sum, w, columns, width);
    } else {
        pack_cells(b, sum, w, columns, width);
    }
}

/* ---- Sums ---------------------------------------------------------------------------------------------------- */

/* a[r]: where pixel r meets cell (k, l), or NULL. How many do. */
GM_SIMD_INLINE uint32_t meet(const float **a, const tile *t, const gm_window_sum *sum, uint32_t k, uint32_t l)
{
    uint32_t met = 0;
    GM_UNROLL
    for (uint32_t r = 0; r < GM_TILE_ROWS; r++) {
        uint32_t i = gm_axis_index(&sum->rows, t->base_h[r], t->phase_h[r], k);
        uint32_t j = gm_axis_index(&sum->columns, t->base_w[r], t->phase_w[r], l);
        int inside = i < sum->rows.source && j < sum->columns.source;
        a[r] = inside ? t->source[r] + (size_t)i * sum->source.h + (size_t)j * sum->source.w : NULL;
        met += (uint32_t)inside;
    }
    return met;
}

/* One cell where only some pixels of the tile meet the source: the others take another's, and get their sums back. */
GM_SIMD_INLINE void add_edge(gm_vec *sums, const float **a, size_t a_step, const float *b, size_t b_step, size_t count,
                             uint32_t vectors)
{
    gm_vec kept[GM_TILE_ROWS * GM_TILE_VECTORS];
    const float *rows[GM_TILE_ROWS], *any = NULL;
    GM_UNROLL
    for (uint32_t r = 0; r < GM_TILE_ROWS; r++) {
        any = a[r] ? a[r] : any;
    }
    GM_UNROLL
    for (uint32_t i = 0; i < GM_TILE_ROWS * vectors; i++) {
        kept[i] = sums[i];
    }
    GM_UNROLL
    for (uint32_t r = 0; r < GM_TILE_ROWS; r++) {
        rows[r] = a[r] ? a[r] : any;
    }
    gm_tile_mac(sums, rows, a_step, b, b_step, count, GM_TILE_ROWS, vectors);
    GM_UNROLL
    for (uint32_t i = 0; i < GM_TILE_ROWS * vectors; i++) {
        sums[i] = a[i / vectors] ? sums[i] : kept[i];
    }
}

GM_SIMD_INLINE void add_block(gm_vec *sums, const block *b, const tile *t, const gm_window_sum *sum, uint32_t vectors)
{
    uint32_t cell = b->first / sum->inputs, input = b->first % sum->inputs;
    uint32_t k = cell / sum->columns.kernel, l = cell % sum->columns.kernel;
    const float *panel = b->panel;
    for (uint32_t step = b->first; step < b->end;) {
        uint32_t count = sum->inputs - input < b->end - step ? sum->inputs - input : b->end - step;
        const float *a[GM_TILE_ROWS];
        uint32_t met = meet(a, t, sum, k, l);
        size_t a_step = sum->source.channel;
        for (uint32_t r = 0; r < GM_TILE_ROWS && input > 0; r++) {
            a[r] = a[r] ? a[r] + input * a_step : NULL;
        }
        if (met == GM_TILE_ROWS) {
            gm_tile_mac(sums, a, a_step, panel, b->input_step, count, GM_TILE_ROWS, vectors);
        } else if (met > 0) {
            add_edge(sums, a, a_step, panel, b->input_step, count, vectors);
        }
        panel += b->cell_step - input * b->input_step;
        step += count;
        input = 0;
        l = l + 1 < sum->columns.kernel ? l + 1 : 0;
        k += l == 0;
    }
}

/* Whether all windows of a tile lie inside the source, so that their cells lie at the same offsets. */
GM_SIMD_INLINE int is_inside(const tile *t, const gm_window_sum *sum)
{
    uint32_t down = sum->rows.delta[sum->rows.kernel - 1], right = sum->columns.delta[sum->columns.kernel - 1];
    int inside = sum->rows.phases * sum->columns.phases == 1;
    GM_UNROLL
    for (uint32_t r = 0; r < GM_TILE_ROWS; r++) {
        inside = inside && t->base_h[r] < sum->rows.source && t->base_h[r] + down < sum->rows.source &&
                 t->base_w[r] < sum->columns.source && t->base_w[r] + right < sum->columns.source;
    }
    return inside;
}

/* add_block() of such a tile: one loop over all steps, whose offsets are in a table. */
GM_SIMD_INLINE void add_inside(gm_vec *sums, const block *b, const tile *t, const gm_window_sum *sum, uint32_t vectors)
{
    const float *a[GM_TILE_ROWS], *panel = b->panel;
    GM_UNROLL
    for (uint32_t r = 0; r < GM_TILE_ROWS; r++) {
        a[r] = t->source[r] + (size_t)t->base_h[r] * sum->source.h + (size_t)t->base_w[r] * sum->source.w;
    }
    for (uint32_t step = b->first; step < b->end; step++, panel += vectors * GM_LANES) {
        gm_vec column[GM_TILE_VECTORS];
        gm_tile_load(column, panel, vectors * GM_LANES, vectors);
        GM_UNROLL
        for (uint32_t r = 0; r < GM_TILE_ROWS; r++) {
            gm_vec value = gm_vec_splat(a[r][b->offsets[step]]);
            GM_UNROLL
            for (uint32_t v = 0; v < vectors; v++) {
                sums[r * vectors + v] = gm_vec_mac(sums[r * vectors + v], value, column[v]);
            }
        }
    }
}

/* add_block() of any tile with the table: the cells that each pixel has. */
GM_SIMD_INLINE void add_pixels(gm_vec *sums, const block *b, const tile *t, const gm_window_sum *sum, uint32_t vectors)
{
    GM_UNROLL
    for (uint32_t r = 0; r < GM_TILE_ROWS; r++) {
        const float *panel = b->panel;
        for (uint32_t k = 0; k < sum->rows.kernel; k++) {
            uint32_t i = gm_axis_index(&sum->rows, t->base_h[r], t->phase_h[r], k);
            for (uint32_t l = 0; l < sum->columns.kernel; l++, panel += sum->inputs * vectors * GM_LANES) {
                uint32_t j = gm_axis_index(&sum->columns, t->base_w[r], t->phase_w[r], l);
                if (i < sum->rows.source && j < sum->columns.source) {
                    const float *a = t->source[r] + (size_t)i * sum->source.h + (size_t)j * sum->source.w;
                    gm_tile_mac(sums + r * vectors, &a, sum->source.channel, panel, vectors * GM_LANES, sum->inputs, 1,
                                vectors);
                }
            }
        }
    }
}

GM_SIMD_INLINE void load_outputs(gm_vec *v, const float *p, size_t stride, uint32_t columns, uint32_t vectors)
{
    float line[GM_TILE_COLUMNS];
    for (uint32_t c = 0; c < columns && stride != 1; c++) {
        line[c] = p[c * stride];
    }
    gm_tile_load(v, stride == 1 ? p : line, columns, vectors);
}

GM_SIMD_INLINE void store_outputs(float *p, const gm_vec *v, size_t stride, uint32_t columns, uint32_t vectors)
{
    float line[GM_TILE_COLUMNS];
    if (stride == 1) {
        gm_tile_store(p, v, columns, vectors);
        return;
    }
    gm_tile_store(line, v, vectors * GM_LANES, vectors);
    for (uint32_t c = 0; c < columns && c < vectors * GM_LANES; c++) {
        p[c * stride] = line[c];
    }
}

GM_SIMD_INLINE void finish(gm_vec *v, const gm_window_sum *sum, uint32_t vectors)
{
    GM_UNROLL
    for (uint32_t i = 0; i < vectors; i++) {
        v[i] = sum->transposed ? gm_vec_add(v[i], gm_vec_splat(0.0f)) : v[i];
        v[i] = sum->relu ? gm_vec_relu(v[i]) : v[i];
    }
}

/* `columns` neighbouring outputs, from `output` on, of one tile. offset: of the first one in dest. */
GM_SIMD_INLINE void sum_tile(const tile *t, const block *b, const gm_window_sum *sum, const float *bias, size_t offset,
                             uint32_t columns, uint32_t vectors)
{
    int last = b->end == sum->rows.kernel * sum->columns.kernel * sum->inputs;
    size_t stride = sum->dest.channel;
    gm_vec sums[GM_TILE_ROWS * GM_TILE_VECTORS];
    GM_UNROLL
    for (uint32_t r = 0; r < GM_TILE_ROWS; r++) {
        gm_vec *own = sums + r * vectors;
        if (b->first > 0 || sum->accumulate) {
            load_outputs(own, t->dest[r] + offset, stride, columns, vectors);
        } else if (bias) {
            gm_tile_load(own, bias, columns, vectors);
        } else {
            GM_UNROLL
            for (uint32_t v = 0; v < vectors; v++) {
                own[v] = gm_vec_splat(GM_EMPTY_SUM);
            }
        }
    }
    if (b->has_offsets && is_inside(t, sum)) {
        add_inside(sums, b, t, sum, vectors);
    } else if (b->has_offsets) {
        add_pixels(sums, b, t, sum, vectors);
    } else {
        add_block(sums, b, t, sum, vectors);
    }
    GM_UNROLL
    for (uint32_t r = 0; r < GM_TILE_ROWS; r++) {
        if (last) {
            finish(sums + r * vectors, sum, vectors);
        }
        if (r < t->count) {
            store_outputs(t->dest[r] + offset, sums + r * vectors, stride, columns, vectors);
        }
    }
}

/* Neighbouring outputs of one group, over all pixels. */
GM_SIMD_INLINE void sum_outputs(const gm_window_sum *sum, uint32_t group, uint32_t output, uint32_t columns,
                                uint32_t vectors, int transposed)
{
    const float *w = sum->w + (size_t)group * sum->w_group + (size_t)output * sum->w_output;
    const float *bias = sum->bias ? sum->bias + group * sum->outputs + output : NULL;
    size_t offset = (size_t)group * sum->dest.group + (size_t)output * sum->dest.channel;
    uint32_t pixels = sum->batch * sum->rows.pixels * sum->columns.pixels;
    uint32_t steps = sum->rows.kernel * sum->columns.kernel * sum->inputs;
    gm_window_sum own = *sum;
    own.x += (size_t)group * sum->source.group;
    block b;
    for (b.first = 0; b.first < steps; b.first = b.end) {
        pack_block(&b, sum, w, columns, vectors * GM_LANES);
        gm_place at = {0, 0, 0};
        for (uint32_t left = pixels; left > 0;) {
            tile t;
            next_tile(&t, &own, &at, left, transposed);
            sum_tile(&t, &b, &own, bias, offset, columns, vectors);
            left -= t.count;
        }
    }
}

static GM_SIMD_TARGET void wide(const gm_window_sum *sum, uint32_t group, uint32_t output, uint32_t columns)
{
    sum_outputs(sum, group, output, columns, GM_TILE_VECTORS, sum->transposed);
}

static GM_SIMD_TARGET void narrow(const gm_window_sum *sum, uint32_t group, uint32_t output, uint32_t columns)
{
    sum_outputs(sum, group, output, columns, 1, sum->transposed);
}

static void sum_all(const gm_window_sum *sum)
{
    for (uint32_t group = 0; group < sum->groups; group++) {
        for (uint32_t output = 0; output < sum->outputs; output += GM_TILE_COLUMNS) {
            uint32_t columns = sum->outputs - output < GM_TILE_COLUMNS ? sum->outputs - output : GM_TILE_COLUMNS;
            (columns > GM_LANES ? wide : narrow)(sum, group, output, columns);
        }
    }
}
#endif

#if GM_ARCH_SIMD && GM_WITH_CONV

int gm_simd_conv(const struct gm_session *session, const gm_insn_conv *insn)
{
    gm_window_sum sum = {
        .source = {insn->x_batch, insn->x_h, insn->x_w, insn->x_group, insn->x_channel},
        .dest = {insn->y_batch, insn->y_h, insn->y_w, insn->y_group, insn->y_map},
        .batch = insn->batch, .groups = insn->groups, .inputs = insn->channels, .outputs = insn->maps,
        .w_group = insn->w_group, .w_output = insn->w_map, .w_input = insn->w_channel, .w_h = insn->w_h, .w_w = insn->w_w,
        .x = gm_f32(session, insn->x), .w = gm_f32(session, insn->w), .bias = gm_f32_optional(session, insn->bias),
        .y = gm_f32_out(session, insn->y), .relu = insn->activation == GM_ACTIVATION_RELU,
    };
    if (!gm_simd_runs() || insn->kernel_h > GM_KERNEL_LIMIT || insn->kernel_w > GM_KERNEL_LIMIT || insn->channels == 0) {
        return 0;
    }
    gm_conv_axis(&sum.rows, insn->in_h, insn->out_h, insn->kernel_h, insn->stride_h, insn->dilation_h, insn->pad_h);
    gm_conv_axis(&sum.columns, insn->in_w, insn->out_w, insn->kernel_w, insn->stride_w, insn->dilation_w, insn->pad_w);
    if (insn->channels == 1 && insn->maps == 1) {
        return gm_simd_depthwise(&sum);
    }
    if (insn->maps < GM_LANES / 2) {
        return 0;
    }
    sum_all(&sum);
    return 1;
}

#endif

#if GM_ARCH_SIMD && GM_WITH_CONV_TRANSPOSE

int gm_simd_conv_transpose(const struct gm_session *session, const gm_insn_conv_transpose *insn)
{
    gm_window_sum sum = {
        .source = {insn->y_batch, insn->y_h, insn->y_w, insn->y_group, insn->y_map},
        .dest = {insn->x_batch, insn->x_h, insn->x_w, insn->x_group, insn->x_channel},
        .batch = insn->batch, .groups = insn->groups, .inputs = insn->maps, .outputs = insn->channels,
        .w_group = insn->w_group, .w_output = insn->w_channel, .w_input = insn->w_map, .w_h = insn->w_h, .w_w = insn->w_w,
        .x = gm_f32(session, insn->y), .w = gm_f32(session, insn->w), .bias = gm_f32_optional(session, insn->bias),
        .y = gm_f32_out(session, insn->x), .accumulate = insn->accumulate != 0, .transposed = 1,
    };
    if (!gm_simd_runs() || insn->kernel_h > GM_KERNEL_LIMIT || insn->kernel_w > GM_KERNEL_LIMIT || insn->maps == 0) {
        return 0;
    }
    gm_transposed_axis(&sum.rows, insn->in_h, insn->out_h, insn->kernel_h, insn->stride_h, insn->dilation_h, insn->pad_h);
    gm_transposed_axis(&sum.columns, insn->in_w, insn->out_w, insn->kernel_w, insn->stride_w, insn->dilation_w,
                       insn->pad_w);
    if (insn->channels == 1 && insn->maps == 1) {
        return gm_simd_depthwise(&sum);
    }
    if (insn->channels < GM_LANES / 2) {
        return 0;
    }
    sum_all(&sum);
    return 1;
}

#endif
