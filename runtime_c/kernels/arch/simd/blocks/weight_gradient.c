/* Chooses the method of a weight gradient, lays out its sums, and passes the results on. */
#include "../../../../generated/instructions/conv_grad_w.h"
#include "../../../../generated/instructions/conv_update.h"
#include "weight_gradient_methods.h"
#include "tile.h"

#if GM_ARCH_TILES && (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE)

/* The most gradients reordered to the order of the weights at once. */
#define SEGMENT (GM_PANEL_FLOATS / 4u)

/* ---- Choice of the method ---------------------------------------------------------------------------- */

#define FEW_CHANNELS 4u /* With fewer, the lanes or rows of a tile stay empty. */
#define MANY_CHANNELS (GM_ROW_VECTORS / 2 * GM_LANES) /* These fill a row of vectors. */
#define LONG_ROW 12u /* Of so many outputs, most have all taps inside the input. */

/* Makes one row of all outputs of 1x1 windows that touch, as far as they are
 * contiguous in memory. */
static void join_rows(gm_conv_gradient *g)
{
    gm_window *w = &g->window;
    int single =
        w->kernel_h * w->kernel_w == 1 && w->stride_h == 1 && w->stride_w == 1 && w->pad_h == 0 && w->pad_w == 0;
    if (!single || w->in_h != w->out_h || w->in_w != w->out_w || g->x.h != w->in_w * g->x.w ||
        g->dy.h != w->out_w * g->dy.w) {
        return;
    }
    w->in_w *= w->in_h, w->out_w *= w->out_h;
    w->in_h = 1, w->out_h = 1;
    if (g->x.batch == w->in_w * g->x.w && g->dy.batch == w->out_w * g->dy.w) {
        w->in_w *= g->batch, w->out_w *= g->batch;
        g->batch = 1;
    }
}

static void find_valid_outputs(gm_weight_gradient *w)
{
    const gm_window *v = &w->g.window;
    for (uint32_t k = 0; k < v->kernel_h; k++) {
        w->rows[k] = gm_valid_outputs(k, v->stride_h, v->dilation_h, v->pad_h, v->in_h, v->out_h);
    }
    for (uint32_t l = 0; l < v->kernel_w; l++) {
        w->columns[l] = gm_valid_outputs(l, v->stride_w, v->dilation_w, v->pad_w, v->in_w, v->out_w);
    }
}

/* Whether vectors should hold output channels, or groups: they are adjacent in memory, and there
 * are too few input channels. */
static int vectors_hold_out_channels(const gm_weight_gradient *w)
{
    int are_neighbours =
        w->grouped ? w->g.x.group == 1 && w->g.dy.group == 1 : w->g.dy.channel == 1 && w->out_channels >= FEW_CHANNELS;
    return are_neighbours && w->g.in_channels < FEW_CHANNELS && w->g.in_channels * w->taps * GM_LANES <= SEGMENT;
}

static int fills_tap_rows(const gm_weight_gradient *w)
{
    return w->g.window.kernel_w > 1 && w->g.x.channel == 1 && w->g.in_channels % GM_LANES == 0 &&
           w->g.in_channels <= GM_TILE_COLUMNS && w->out_channels % GM_TAP_ROW_OUT_CHANNELS == 0;
}

static int fills_tap_rows_of_groups(const gm_weight_gradient *w)
{
    return w->vectors_of_out_channels && w->grouped && w->g.window.kernel_w > 1 && w->out_channels >= MANY_CHANNELS &&
           w->out_channels % GM_LANES == 0;
}

/* Returns NULL if plain C is as good, or the sums of a tile do not fit. */
static gm_gradient_method *choose_method(const gm_weight_gradient *w)
{
    int rows_are_long = w->g.window.out_w >= LONG_ROW;
    if (GM_TAP_ROWS_OF_GROUPS && GM_LANES > 1 && fills_tap_rows_of_groups(w)) {
        return gm_gradient_tap_rows;
    }
    if (w->vectors_of_out_channels) {
        if (GM_LANES == 1) { /* a module without vectors saves their bytes */
            return NULL;
        }
        return w->out_channels >= MANY_CHANNELS && !rows_are_long ? gm_gradient_out_channels : gm_gradient_taps;
    }
    if (w->grouped || w->taps * GM_NARROW_ROWS * GM_TILE_COLUMNS > GM_GRADIENT_SUMS) {
        return NULL;
    }
    if (GM_LANES > 1 && rows_are_long && fills_tap_rows(w)) {
        return gm_gradient_tap_rows;
    }
    return w->g.in_channels >= FEW_CHANNELS || w->out_channels >= FEW_CHANNELS ? gm_gradient_tiles : NULL;
}

int gm_weight_gradient_start(gm_weight_gradient *w, uint32_t groups, uint32_t out_channels)
{
    const gm_window *window = &w->g.window;
    w->taps = window->kernel_h * window->kernel_w;
    w->grouped = groups > 1 && w->g.in_channels == 1 && out_channels == 1;
    w->out_channels = w->grouped ? groups : out_channels;
    if (!gm_simd_runs() || window->kernel_h > GM_GRADIENT_MOST_TAPS || window->kernel_w > GM_GRADIENT_MOST_TAPS ||
        w->taps > GM_GRADIENT_MOST_TAPS) {
        return 0;
    }
    if (GM_LANES > 1) {
        join_rows(&w->g);
    }
    find_valid_outputs(w);
    w->vectors_of_out_channels = vectors_hold_out_channels(w);
    w->method = choose_method(w);
    return w->method != NULL;
}

/* ---- Sums ------------------------------------------------------------------------------------------ */

/* Sets how many output and input channels to do together, and the layout of their sums: for vectors
 * of input channels. */
static void lay_out_in_channels(const gm_weight_gradient *w, gm_gradient_sums *s)
{
    uint32_t most = GM_GRADIENT_SUMS / (w->taps * GM_TILE_COLUMNS);
    most = most < GM_GRADIENT_OUT_CHANNELS ? most : GM_GRADIENT_OUT_CHANNELS;
    most = most / GM_NARROW_ROWS * GM_NARROW_ROWS;
    uint32_t parts = (w->out_channels + most - 1) / most; /* parts of about the same size */
    s->out_channels = gm_round_up((w->out_channels + parts - 1) / parts, GM_NARROW_ROWS);
    s->in_channels = GM_GRADIENT_SUMS / (w->taps * s->out_channels) / GM_TILE_COLUMNS * GM_TILE_COLUMNS;
    s->in_channels = s->in_channels < w->g.in_channels ? s->in_channels : w->g.in_channels;
    s->in_channel_step = 1;
    s->out_channel_step = gm_round_up(s->in_channels, GM_NARROW_COLUMNS);
    s->tap_step = s->out_channels * s->out_channel_step;
    s->tap_step += s->tap_step % GM_GRADIENT_ALIAS == 0 ? GM_GRADIENT_GAP : 0;
}

/* The same for vectors of output channels. */
static void lay_out_out_channels(const gm_weight_gradient *w, gm_gradient_sums *s)
{
    uint32_t most = SEGMENT / (w->taps * w->g.in_channels) / GM_LANES * GM_LANES;
    uint32_t all = gm_round_up(w->out_channels, GM_LANES);
    s->out_channels = most < all ? most : all;
    s->in_channels = w->g.in_channels;
    s->out_channel_step = 1;
    s->tap_step = s->out_channels;
    s->in_channel_step = w->taps * s->tap_step;
}

/* GM_LANES rows of GM_LANES elements. */
GM_SIMD_INLINE void transpose_whole(float *to, uint32_t to_step, const float *from, uint32_t step)
{
    gm_vec t[GM_LANES];
    GM_UNROLL
    for (uint32_t r = 0; r < GM_LANES; r++) {
        t[r] = gm_vec_load(from + (size_t)r * step);
    }
    gm_vec_transpose(t);
    GM_UNROLL
    for (uint32_t r = 0; r < GM_LANES; r++) {
        gm_vec_store(to + (size_t)r * to_step, t[r]);
    }
}

/* transpose_sums() for whole vectors plus one element in each row: the sums of 3x3 windows. */
GM_SIMD_INLINE void transpose_odd(float *to, uint32_t to_step, const float *from, uint32_t step, uint32_t rows,
                                  uint32_t n)
{
    for (uint32_t i = 0; i < rows; i += GM_LANES, to += (size_t)GM_LANES * to_step, from += GM_LANES) {
        for (uint32_t j = 0; j < n - 1; j += GM_LANES) {
            transpose_whole(to + j, to_step, from + (size_t)j * step, step);
        }
        for (uint32_t r = 0; r < GM_LANES; r++) {
            to[(size_t)r * to_step + n - 1] = from[(size_t)(n - 1) * step + r];
        }
    }
}

/* to[i to_step + j] = from[j step + i] for i < rows, j < n. A block of vectors writes past the
 * end of its row, over up to GM_LANES elements. If these belong to later rows, these are
 * written afterwards. */
static GM_SIMD_TARGET void transpose_sums(float *to, uint32_t to_step, const float *from, uint32_t step, uint32_t rows,
                                          uint32_t n)
{
    if (!GM_BYTES_COUNT && rows % GM_LANES == 0 && n % GM_LANES == 1) {
        transpose_odd(to, to_step, from, step, rows, n);
        return;
    }
    for (uint32_t i = 0; i < rows; i += GM_LANES) {
        uint32_t own = rows - i < GM_LANES ? rows - i : GM_LANES;
        for (uint32_t behind = gm_round_up(n, GM_LANES); behind > 0; behind -= GM_LANES) {
            uint32_t j = behind - GM_LANES;
            gm_vec t[GM_LANES];
            GM_UNROLL
            for (uint32_t r = 0; r < GM_LANES; r++) {
                gm_tile_load(&t[r], from + (size_t)(j + r < n ? j + r : n - 1) * step + i, own, 1);
            }
            gm_vec_transpose(t);
            GM_UNROLL
            for (uint32_t r = 0; r < GM_LANES; r++) {
                if (r < own) {
                    gm_vec_store(to + (size_t)(i + r) * to_step + j, t[r]);
                }
            }
        }
    }
}

/* Starts the sums from the gradients y. Rows of sums have room for whole vectors. */
static void start_from_gradients(const gm_weight_gradient *w, gm_gradient_sums *s, const float *y)
{
    uint32_t row = w->g.in_channels * w->taps, own = s->in_channels * w->taps;
    if (s->out_channel_step == 1) {
        transpose_sums(s->values, s->tap_step, y, row, own, s->out_channels);
        return;
    }
    for (uint32_t m = 0; m < s->out_channels; m++, y += row) {
        float *values = s->values + (size_t)m * s->out_channel_step;
        if (w->taps > 1) {
            transpose_sums(values, s->tap_step, y, w->taps, w->taps, s->in_channels);
        } else {
            memcpy(values, y, own * sizeof(float));
        }
    }
}

/* y: the gradients from which the sums start, or NULL. */
static void start_gradient_sums(const gm_weight_gradient *w, gm_gradient_sums *s, const float *y)
{
    uint32_t size = s->out_channel_step == 1 ? w->g.in_channels * s->in_channel_step : w->taps * s->tap_step;
    if (!GM_BYTES_COUNT) {
        s->empty = y == NULL && w->method == gm_gradient_tiles;
        if (s->empty) {
            return;
        }
    }
    for (uint32_t i = 0; i < size; i++) {
        s->values[i] = GM_EMPTY_SUM;
    }
    if (y != NULL) {
        start_from_gradients(w, s, y);
    }
}

/* Stores n gradients, or applies the rule to them. offset: of the first one's weight. */
static void store_or_apply(const gm_gradient_destination *to, const float *gradients, size_t offset, uint32_t n)
{
    if (to->update == NULL) {
        memcpy(to->y + offset, gradients, n * sizeof(float));
        return;
    }
    gm_rule_args args = *to->update;
    args.n = (uint32_t)offset;
    gm_rule_advance(&args);
    args.n = n;
    args.g = gradients;
    gm_rule_of(args.rule)(&args);
}

/* Reorders finished sums to the order of the weights. offset: of the first sum's weight. */
static void finish_sums(const gm_weight_gradient *w, const gm_gradient_sums *s, const gm_gradient_destination *to,
                        size_t offset)
{
    GM_SIMD_ALIGNED float segment[SEGMENT + GM_LANES];
    uint32_t n = s->in_channels * w->taps;
    if (s->out_channel_step == 1) {
        transpose_sums(segment, n, s->values, s->tap_step, s->out_channels, n);
        store_or_apply(to, segment, offset, s->out_channels * n);
        return;
    }
    for (uint32_t m = 0; m < s->out_channels; m++) {
        const float *values = s->values + (size_t)m * s->out_channel_step;
        if (w->taps > 1) {
            transpose_sums(segment, w->taps, values, s->tap_step, s->in_channels, w->taps);
        }
        store_or_apply(to, w->taps > 1 ? segment : values, offset + (size_t)m * w->g.in_channels * w->taps, n);
    }
}

/* ---- All gradients ----------------------------------------------------------------------------------- */

void gm_weight_gradient_of_group(const gm_weight_gradient *w, const float *x, const float *dy,
                                 const gm_gradient_destination *to)
{
    gm_gradient_sums s;
    (w->vectors_of_out_channels ? lay_out_out_channels : lay_out_in_channels)(w, &s);
    uint32_t out_channels = s.out_channels, in_channels = s.in_channels;
    size_t x_step = w->grouped ? 1 : 0, dy_step = w->grouped ? 1 : w->g.dy.channel;
    for (uint32_t m = 0; m < w->out_channels; m += out_channels) {
        for (uint32_t c = 0; c < w->g.in_channels; c += in_channels) {
            size_t offset = ((size_t)m * w->g.in_channels + c) * w->taps;
            const float *own_x = x + m * x_step + (size_t)c * w->g.x.channel, *own_dy = dy + m * dy_step;
            s.out_channels = w->out_channels - m < out_channels ? w->out_channels - m : out_channels;
            s.in_channels = w->g.in_channels - c < in_channels ? w->g.in_channels - c : in_channels;
            start_gradient_sums(w, &s, to->accumulate ? to->y + offset : NULL);
            w->method(w, own_x, own_dy, &s);
            finish_sums(w, &s, to, offset);
        }
    }
}

#endif
