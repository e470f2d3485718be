#include "weight_gradient.h"
#include "tile.h"

#if GM_ARCH_SIMD && (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE)

/* Gradients of one output channel, or of some output channels with few channels. */
#define PIECE (GM_PANEL_FLOATS / 4u)

/* The fewest channels, or output channels, of a tile; output channels or groups that fill lines;
 * outputs of a row that are mostly inside. */
#define FEW 4u
#define MANY (GM_LINE_VECTORS / 2 * GM_LANES)
#define LONG 12u

/* Where gradients of neighbouring weights go: to y, or by a rule to parameters. */
typedef struct gradient_destination {
    float *y;
    int accumulate;             /* sums start from y */
    const gm_rule_args *update; /* of the first weight; NULL: to y */
} gradient_destination;

/* ---- Choice ------------------------------------------------------------------------------------------ */

/* Pixels of 1x1 windows that touch are one row. */
static void join_rows(gm_conv_gradient *g)
{
    gm_window *w = &g->window;
    int single = w->kernel_h * w->kernel_w == 1 && w->stride_h == 1 && w->stride_w == 1 && w->pad_h == 0 &&
        w->pad_w == 0;
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

static void find_spans(gm_weight_gradient *w)
{
    const gm_window *v = &w->g.window;
    for (uint32_t k = 0; k < v->kernel_h; k++) {
        w->rows[k] = gm_valid_outputs(k, v->stride_h, v->dilation_h, v->pad_h, v->in_h, v->out_h);
    }
    for (uint32_t l = 0; l < v->kernel_w; l++) {
        w->columns[l] = gm_valid_outputs(l, v->stride_w, v->dilation_w, v->pad_w, v->in_w, v->out_w);
    }
}

/* Strips: with more channels, or shorter rows, tiles lose less. */
static int are_strips(const gm_weight_gradient *w)
{
    return w->g.window.kernel_w > 1 && w->g.window.out_w >= LONG && w->g.x.channel == 1 &&
           w->g.in_channels % GM_LANES == 0 && w->g.in_channels <= GM_TILE_COLUMNS &&
               w->out_channels % GM_STRIP_OUT_CHANNELS == 0;
}

static gm_gradient_form form_of(const gm_weight_gradient *w)
{
    uint32_t outputs = w->g.in_channels * w->taps;
    int in_vectors = w->grouped ? w->g.x.group == 1 && w->g.dy.group == 1 : w->g.dy.channel == 1 &&
        w->out_channels >= FEW;
    if (w->g.in_channels < FEW && in_vectors && outputs * GM_LANES <= PIECE) {
        return w->out_channels >= MANY && w->g.window.out_w < LONG ? GM_GRADIENT_LINES : GM_GRADIENT_TAPS;
    }
    if (w->grouped || w->taps * GM_NARROW_ROWS * GM_TILE_COLUMNS > GM_GRADIENT_SUMS) {
        return GM_GRADIENT_PLAIN;
    }
    if (are_strips(w)) {
        return GM_GRADIENT_STRIPS;
    }
    return w->g.in_channels >= FEW || w->out_channels >= FEW ? GM_GRADIENT_TILES : GM_GRADIENT_PLAIN;
}

/* Finds the form. output channels: of a group */
static void choose_method(gm_weight_gradient *w, uint32_t groups, uint32_t out_channels)
{
    const gm_window *window = &w->g.window;
    w->form = GM_GRADIENT_PLAIN;
    w->taps = window->kernel_h * window->kernel_w;
    w->grouped = groups > 1 && w->g.in_channels == 1 && out_channels == 1;
    w->out_channels = w->grouped ? groups : out_channels;
    if (gm_simd_runs() && window->kernel_h <= GM_GRADIENT_MOST_TAPS && window->kernel_w <= GM_GRADIENT_MOST_TAPS &&
        w->taps <= GM_GRADIENT_MOST_TAPS) {
        join_rows(&w->g);
        find_spans(w);
        w->form = form_of(w);
    }
}

/* ---- Sums ------------------------------------------------------------------------------------------ */

/* The most output channels and channels whose sums are taken together, and where these lie. */
static void lay_out_tiles(const gm_weight_gradient *w, gm_gradient_sums *s)
{
    uint32_t most = GM_GRADIENT_SUMS / (w->taps * GM_TILE_COLUMNS);
    most = most < GM_GRADIENT_OUT_CHANNELS ? most : GM_GRADIENT_OUT_CHANNELS;
    most = most / GM_NARROW_ROWS * GM_NARROW_ROWS;
    uint32_t parts = (w->out_channels + most - 1) / most; /* of like size */
    s->out_channels = gm_round_up((w->out_channels + parts - 1) / parts, GM_NARROW_ROWS);
    s->in_channels = GM_GRADIENT_SUMS / (w->taps * s->out_channels) / GM_TILE_COLUMNS * GM_TILE_COLUMNS;
    s->in_channels = s->in_channels < w->g.in_channels ? s->in_channels : w->g.in_channels;
    s->in_channel_step = 1;
    s->out_channel_step = gm_round_up(s->in_channels, GM_NARROW_COLUMNS);
    s->tap_step = s->out_channels * s->out_channel_step;
}

static void lay_out_vectors(const gm_weight_gradient *w, gm_gradient_sums *s)
{
    uint32_t most = PIECE / (w->taps * w->g.in_channels) / GM_LANES * GM_LANES,
        all = gm_round_up(w->out_channels, GM_LANES);
    s->out_channels = most < all ? most : all;
    s->in_channels = w->g.in_channels;
    s->out_channel_step = 1;
    s->tap_step = s->out_channels;
    s->in_channel_step = w->taps * s->tap_step;
}

static void start_gradient_sums(const gm_weight_gradient *w, gm_gradient_sums *s, const float *y)
{
    uint32_t size = s->out_channel_step == 1 ? w->g.in_channels * s->in_channel_step : w->taps * s->tap_step;
    for (uint32_t i = 0; i < size; i++) {
        s->values[i] = GM_EMPTY_SUM;
    }
    for (uint32_t m = 0; m < s->out_channels && y; m++) {
        for (uint32_t i = 0; i < s->in_channels * w->taps; i++) {
            s->values[m * s->out_channel_step + i / w->taps * s->in_channel_step + i % w->taps * s->tap_step] =
                y[(size_t)m * w->g.in_channels * w->taps + i];
        }
    }
}

/* to[i,j] = from[j step + i] for i in 0..rows, j in 0..n; to has room for GM_LANES more. Blocks
 * write beyond their row, where the rows behind are yet to come. */
static GM_SIMD_TARGET void transpose_sums(float *to, const float *from, uint32_t step, uint32_t rows, uint32_t n)
{
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
                    gm_vec_store(to + (size_t)(i + r) * n + j, t[r]);
                }
            }
        }
    }
}

/* n gradients; offset: of the first one's weight */
static void hand_over(const gradient_destination *to, const float *accumulate_and_store, size_t offset, uint32_t n)
{
    if (to->update == NULL) {
        memcpy(to->y + offset, accumulate_and_store, n * sizeof(float));
        return;
    }
    gm_rule_args args = *to->update;
    args.n = (uint32_t)offset;
    gm_rule_advance(&args);
    args.n = n;
    args.g = accumulate_and_store;
    gm_rules[*(const uint32_t *)args.rule](&args);
}

/* offset: of the first sum's weight */
static void finish(const gm_weight_gradient *w, const gm_gradient_sums *s, const gradient_destination *to,
                   size_t offset)
{
    float piece[PIECE + GM_LANES];
    uint32_t n = s->in_channels * w->taps;
    if (s->out_channel_step == 1) {
        transpose_sums(piece, s->values, s->tap_step, s->out_channels, n);
        hand_over(to, piece, offset, s->out_channels * n);
        return;
    }
    for (uint32_t m = 0; m < s->out_channels; m++) {
        const float *values = s->values + (size_t)m * s->out_channel_step;
        if (w->taps > 1) {
            transpose_sums(piece, values, s->tap_step, s->in_channels, w->taps);
        }
        hand_over(to, w->taps > 1 ? piece : values, offset + (size_t)m * w->g.in_channels * w->taps, n);
    }
}

static void lay_out_sums(const gm_weight_gradient *w, gm_gradient_sums *s)
{
    if (w->form == GM_GRADIENT_TILES || w->form == GM_GRADIENT_STRIPS) {
        lay_out_tiles(w, s);
    } else {
        lay_out_vectors(w, s);
    }
}

static void add_all_pixels(const gm_weight_gradient *w, const float *x, const float *dy, gm_gradient_sums *sums)
{
    switch (w->form) {
    case GM_GRADIENT_TILES: gm_gradient_tiles(w, x, dy, sums); break;
    case GM_GRADIENT_STRIPS: gm_gradient_strips(w, x, dy, sums); break;
    case GM_GRADIENT_LINES: gm_gradient_lines(w, x, dy, sums); break;
    case GM_GRADIENT_TAPS: gm_gradient_taps(w, x, dy, sums); break;
    case GM_GRADIENT_PLAIN: break;
    }
}

/* All output channels of one group, or all groups with one output channel and channel each; x and
 * dy: of the first */
static void accumulate_and_store(const gm_weight_gradient *w, const float *x, const float *dy,
                                 const gradient_destination *to)
{
    gm_gradient_sums s;
    lay_out_sums(w, &s);
    uint32_t out_channels = s.out_channels, in_channels = s.in_channels;
    size_t x_step = w->grouped ? 1 : 0, dy_step = w->grouped ? 1 : w->g.dy.channel;
    for (uint32_t m = 0; m < w->out_channels; m += out_channels) {
        for (uint32_t c = 0; c < w->g.in_channels; c += in_channels) {
            size_t offset = ((size_t)m * w->g.in_channels + c) * w->taps;
            const float *own_x = x + m * x_step + (size_t)c * w->g.x.channel, *own_dy = dy + m * dy_step;
            s.out_channels = w->out_channels - m < out_channels ? w->out_channels - m : out_channels;
            s.in_channels = w->g.in_channels - c < in_channels ? w->g.in_channels - c : in_channels;
            start_gradient_sums(w, &s, to->accumulate ? to->y + offset : NULL);
            add_all_pixels(w, own_x, own_dy, &s);
            finish(w, &s, to, offset);
        }
    }
}

#endif

#if GM_ARCH_SIMD && GM_WITH_CONV_GRAD_W

int gm_simd_conv_grad_w(const struct gm_session *session, const gm_insn_conv_grad_w *insn)
{
    gm_weight_gradient w = {.g = GM_CONV_GRADIENT(insn)};
    const float *x = gm_f32(session, insn->x), *dy = gm_f32(session, insn->dy);
    gradient_destination to = {.y = gm_f32_out(session, insn->y), .accumulate = insn->accumulate != 0};
    choose_method(&w, insn->groups, insn->out_channels);
    if (w.form == GM_GRADIENT_PLAIN) {
        return 0;
    }
    for (uint32_t group = 0; group < (w.grouped ? 1 : insn->groups); group++) {
        accumulate_and_store(&w, x + (size_t)group * insn->x_group, dy + (size_t)group * insn->y_group, &to);
        to.y += (size_t)insn->out_channels * w.g.in_channels * w.taps;
    }
    return 1;
}

#endif

#if GM_ARCH_SIMD && GM_WITH_CONV_UPDATE

int gm_simd_conv_update(const struct gm_session *session, const gm_insn_conv_update *insn, gm_rule_args *args)
{
    gm_weight_gradient w = {.g = GM_CONV_GRADIENT(insn)};
    const float *x = gm_f32(session, insn->x), *dy = gm_f32(session, insn->dy);
    const gradient_destination to = {.update = args};
    choose_method(&w, insn->groups, insn->out_channels);
    if (w.form == GM_GRADIENT_PLAIN) {
        return 0;
    }
    args->n = insn->out_channels * w.g.in_channels * w.taps;
    for (uint32_t group = 0; group < (w.grouped ? 1 : insn->groups); group++) {
        accumulate_and_store(&w, x + (size_t)group * insn->x_group, dy + (size_t)group * insn->y_group, &to);
        gm_rule_advance(args);
    }
    return 1;
}

#endif
