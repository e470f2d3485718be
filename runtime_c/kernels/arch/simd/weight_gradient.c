#include "weight_gradient.h"
#include "tile.h"

#if GM_ARCH_SIMD && (GM_WITH_CONV_GRAD_W || GM_WITH_CONV_UPDATE)

/* Gradients of one map, or of some maps with few channels. */
#define PIECE (GM_PANEL_FLOATS / 4u)

/* The fewest channels, or maps, of a tile; maps or groups that fill lines; outputs of a row that are mostly inside. */
#define FEW 4u
#define MANY (GM_LINE_VECTORS / 2 * GM_LANES)
#define LONG 12u

/* Where gradients of neighbouring weights go: to y, or by a rule to parameters. */
typedef struct gradient_destination {
    float *y;
    int accumulate;             /* sums start from y */
    const gm_rule_args *update; /* of the first weight; NULL: to y */
} gradient_destination;

/* ---- Choice ---------------------------------------------------------------------------------------------------- */

/* Pixels of 1x1 windows that touch are one row. */
static void join_rows(gm_conv_gradient *g)
{
    gm_window *w = &g->window;
    int single = w->kernel_h * w->kernel_w == 1 && w->stride_h == 1 && w->stride_w == 1 && w->pad_h == 0 && w->pad_w == 0;
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
           w->g.channels % GM_LANES == 0 && w->g.channels <= GM_TILE_COLUMNS && w->maps % GM_STRIP_MAPS == 0;
}

static gm_gradient_form form_of(const gm_weight_gradient *w)
{
    uint32_t outputs = w->g.channels * w->cells;
    int in_vectors = w->grouped ? w->g.x.group == 1 && w->g.dy.group == 1 : w->g.dy.channel == 1 && w->maps >= FEW;
    if (w->g.channels < FEW && in_vectors && outputs * GM_LANES <= PIECE) {
        return w->maps >= MANY && w->g.window.out_w < LONG ? GM_GRADIENT_LINES : GM_GRADIENT_TAPS;
    }
    if (w->grouped || w->cells * GM_NARROW_ROWS * GM_TILE_COLUMNS > GM_GRADIENT_SUMS) {
        return GM_GRADIENT_PLAIN;
    }
    if (are_strips(w)) {
        return GM_GRADIENT_STRIPS;
    }
    return w->g.channels >= FEW || w->maps >= FEW ? GM_GRADIENT_TILES : GM_GRADIENT_PLAIN;
}

/* Finds the form. maps: of a group */
static void choose_method(gm_weight_gradient *w, uint32_t groups, uint32_t maps)
{
    const gm_window *window = &w->g.window;
    w->form = GM_GRADIENT_PLAIN;
    w->cells = window->kernel_h * window->kernel_w;
    w->grouped = groups > 1 && w->g.channels == 1 && maps == 1;
    w->maps = w->grouped ? groups : maps;
    if (gm_simd_runs() && window->kernel_h <= GM_GRADIENT_CELLS && window->kernel_w <= GM_GRADIENT_CELLS &&
        w->cells <= GM_GRADIENT_CELLS) {
        join_rows(&w->g);
        find_spans(w);
        w->form = form_of(w);
    }
}

/* ---- Sums ------------------------------------------------------------------------------------------------------ */

/* The most maps and channels whose sums are taken together, and where these lie. */
static void lay_out_tiles(const gm_weight_gradient *w, gm_gradient_sums *s)
{
    uint32_t most = GM_GRADIENT_SUMS / (w->cells * GM_TILE_COLUMNS);
    most = most < GM_GRADIENT_MAPS ? most : GM_GRADIENT_MAPS;
    most = most / GM_NARROW_ROWS * GM_NARROW_ROWS;
    uint32_t parts = (w->maps + most - 1) / most; /* of like size */
    s->maps = gm_round_up((w->maps + parts - 1) / parts, GM_NARROW_ROWS);
    s->channels = GM_GRADIENT_SUMS / (w->cells * s->maps) / GM_TILE_COLUMNS * GM_TILE_COLUMNS;
    s->channels = s->channels < w->g.channels ? s->channels : w->g.channels;
    s->channel_step = 1;
    s->map_step = gm_round_up(s->channels, GM_NARROW_COLUMNS);
    s->cell_step = s->maps * s->map_step;
}

static void lay_out_vectors(const gm_weight_gradient *w, gm_gradient_sums *s)
{
    uint32_t most = PIECE / (w->cells * w->g.channels) / GM_LANES * GM_LANES, all = gm_round_up(w->maps, GM_LANES);
    s->maps = most < all ? most : all;
    s->channels = w->g.channels;
    s->map_step = 1;
    s->cell_step = s->maps;
    s->channel_step = w->cells * s->cell_step;
}

static void start_gradient_sums(const gm_weight_gradient *w, gm_gradient_sums *s, const float *y)
{
    uint32_t size = s->map_step == 1 ? w->g.channels * s->channel_step : w->cells * s->cell_step;
    for (uint32_t i = 0; i < size; i++) {
        s->values[i] = GM_EMPTY_SUM;
    }
    for (uint32_t m = 0; m < s->maps && y; m++) {
        for (uint32_t i = 0; i < s->channels * w->cells; i++) {
            s->values[m * s->map_step + i / w->cells * s->channel_step + i % w->cells * s->cell_step] =
                y[(size_t)m * w->g.channels * w->cells + i];
        }
    }
}

/* to[i,j] = from[j step + i] for i in 0..rows, j in 0..n; to has room for GM_LANES more. Blocks write beyond their row,
 * where the rows behind are yet to come. */
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
    uint32_t n = s->channels * w->cells;
    if (s->map_step == 1) {
        transpose_sums(piece, s->values, s->cell_step, s->maps, n);
        hand_over(to, piece, offset, s->maps * n);
        return;
    }
    for (uint32_t m = 0; m < s->maps; m++) {
        const float *values = s->values + (size_t)m * s->map_step;
        if (w->cells > 1) {
            transpose_sums(piece, values, s->cell_step, s->channels, w->cells);
        }
        hand_over(to, w->cells > 1 ? piece : values, offset + (size_t)m * w->g.channels * w->cells, n);
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

/* All maps of one group, or all groups with one map and channel each; x and dy: of the first */
static void accumulate_and_store(const gm_weight_gradient *w, const float *x, const float *dy,
                                 const gradient_destination *to)
{
    gm_gradient_sums s;
    lay_out_sums(w, &s);
    uint32_t maps = s.maps, channels = s.channels;
    size_t x_step = w->grouped ? 1 : 0, dy_step = w->grouped ? 1 : w->g.dy.channel;
    for (uint32_t m = 0; m < w->maps; m += maps) {
        for (uint32_t c = 0; c < w->g.channels; c += channels) {
            size_t offset = ((size_t)m * w->g.channels + c) * w->cells;
            const float *own_x = x + m * x_step + (size_t)c * w->g.x.channel, *own_dy = dy + m * dy_step;
            s.maps = w->maps - m < maps ? w->maps - m : maps;
            s.channels = w->g.channels - c < channels ? w->g.channels - c : channels;
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
    choose_method(&w, insn->groups, insn->maps);
    if (w.form == GM_GRADIENT_PLAIN) {
        return 0;
    }
    for (uint32_t group = 0; group < (w.grouped ? 1 : insn->groups); group++) {
        accumulate_and_store(&w, x + (size_t)group * insn->x_group, dy + (size_t)group * insn->y_group, &to);
        to.y += (size_t)insn->maps * w.g.channels * w.cells;
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
    choose_method(&w, insn->groups, insn->maps);
    if (w.form == GM_GRADIENT_PLAIN) {
        return 0;
    }
    args->n = insn->maps * w.g.channels * w.cells;
    for (uint32_t group = 0; group < (w.grouped ? 1 : insn->groups); group++) {
        accumulate_and_store(&w, x + (size_t)group * insn->x_group, dy + (size_t)group * insn->y_group, &to);
        gm_rule_advance(args);
    }
    return 1;
}

#endif
