#include "drawn_quantized.h"

#include <string.h>

#include "gm_internal.h"
#include "../../../runtime_c/generated/gm_opcodes.h"

/* The plain form of every kernel has this prefix, as in drawn_kernels.c. */
#define PLAIN(name) plain_gm_kernel_##name

typedef int kernel(const struct gm_session *session, const void *instruction);

kernel PLAIN(conv_s8), PLAIN(conv_grad_x_s16), PLAIN(conv_grad_w_s16), PLAIN(conv_update_s16);
kernel PLAIN(update_s8), PLAIN(update_s16), PLAIN(update_s32), PLAIN(mask_s8);
kernel PLAIN(add_s16), PLAIN(average_pool_s8), PLAIN(sum_s16);

/* ---- The arena ---------------------------------------------------------------------------------- */

/* Bytes of each operand; after those that an instruction names there are bytes that nothing may touch. */
enum { ROOM = 16384, FLOATS = 2048, PANEL_ROOM = 40960 };
enum {
    X,
    W = X + ROOM,
    DY = W + ROOM,
    ADDEND = DY + ROOM,
    OUT = ADDEND + ROOM,
    BIAS = OUT + ROOM,
    SCALE = BIAS + FLOATS,
    OFFSETS = SCALE + FLOATS,
    EXPONENTS = OFFSETS + FLOATS,
    GAIN = EXPONENTS + 32,
    PANEL = GAIN + 32,
    ROW = PANEL + PANEL_ROOM, /* like a panel, for nobody to read */
    RULE = ROW + ROOM,
    RATE = RULE + 16,
    COUNTER = RATE + 8,
    FACTOR = COUNTER + 8,
    ARENA = FACTOR + 32
};

static uint32_t words[ARENA / 4] __attribute__((aligned(16))), plain_words[ARENA / 4] __attribute__((aligned(16)));
static uint8_t *const arena = (uint8_t *)words, *const plain_arena = (uint8_t *)plain_words;
/* Bytes that are drawn once for each kernel. An arena gets them from another place of the bank in each turn: drawing
 * each byte would take most of the time. */
static uint8_t bank[ROW];
static gm_session session, plain_session;
static uint32_t random_state;

static uint32_t below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % limit;
}

static uint32_t between(uint32_t low, uint32_t high)
{
    return low + below(high - low + 1);
}

static int32_t any_byte(void)
{
    return below(4) ? (int32_t)below(256) - 128 : below(2) ? -128 : 127;
}

/* Multipliers are of any size; in some turns one is negative, infinite or NaN. */
static void fill_floats(uint32_t at, float unit, uint32_t odd)
{
    float values[FLOATS / 4];
    for (uint32_t i = 0; i < FLOATS / 4; i++) {
        values[i] = (float)(below(20000) + 1) * unit * (below(3) ? 1.0f : 16.0f);
    }
    if (odd) {
        static const uint32_t bits[] = {0x80000000u, 0, 0x7f800000u, 0x7fc00000u, 1u, 0xbf800000u};
        memcpy(&values[below(8)], &bits[below(6)], 4);
    }
    memcpy(arena + at, values, sizeof values);
}

static void fill_bank(void)
{
    for (uint32_t i = 0; i < ROW; i++) {
        bank[i] = (uint8_t)(below(12) ? below(256) : below(2) ? 0x80 : 0x7f);
    }
}

static void fill(void)
{
    uint32_t first = below(ROW);
    memcpy(arena, bank + first, ROW - first);
    memcpy(arena + ROW - first, bank, first);
    for (uint32_t i = 0; i < FLOATS / 4; i++) {
        int32_t bias = (int32_t)below(20001) - 10000;
        memcpy(arena + BIAS + 4 * i, &bias, 4);
    }
    uint32_t odd = below(10) == 0;
    fill_floats(SCALE, 1e-6f, odd);
    fill_floats(OFFSETS, 1e-3f, odd);
    int32_t words[] = {-(int32_t)below(24), 0, -(int32_t)below(24), 0};
    words[1] = words[0] + (int32_t)below(15), words[3] = words[2] + (int32_t)below(15);
    memcpy(arena + EXPONENTS, words, sizeof words);
    int32_t gain = below(4) ? 8192 + (int32_t)below(100) : 0;
    memcpy(arena + GAIN, &gain, 4);
    memcpy(plain_arena, arena, ARENA);
}

/* Whether the arenas differ in the words from one to another. */
static uint32_t words_differ(uint32_t from, uint32_t to)
{
    uint32_t differing = 0;
    for (uint32_t i = from; i < to; i++) {
        differing |= words[i] ^ plain_words[i];
    }
    return differing != 0;
}

/* Whether the two forms differ in what they return, or leave outside of the panel. */
static uint32_t differ(kernel *own, kernel *plain, const void *instruction, uint32_t panel_words)
{
    int code = own(&session, instruction);
    return code != plain(&plain_session, instruction) || words_differ(0, PANEL / 4) ||
           words_differ(PANEL / 4 + panel_words, ROW / 4);
}

/* ---- Shapes ------------------------------------------------------------------------------------- */

typedef struct shape {
    uint32_t batch, groups, in_channels, out_channels, in_h, in_w, out_h, out_w, kernel_h, kernel_w, stride_h, stride_w;
    uint32_t dilation_h, dilation_w, pad_h, pad_w;
    uint32_t x_batch, x_h, x_w, x_group, x_channel;
    uint32_t w_group, w_out_channel, w_in_channel, w_h, w_w;
    uint32_t y_batch, y_h, y_w, y_group, y_channel;
    uint32_t panel_words;
} shape;

/* Depthwise, of several groups, or of one. */
static void draw_channels(shape *s)
{
    uint32_t kind = below(4);
    s->groups = kind == 0 ? 4 * between(1, 2) : kind < 3 ? between(1, 9) : 1;
    s->in_channels = kind < 2 ? 1 : between(1, kind == 2 ? 6 : below(2) ? 5 : 40);
    s->out_channels = kind < 2 ? 1 : between(1, kind == 2 ? 6 : 20);
}

static int draw_window(shape *s)
{
    s->kernel_h = below(3) ? between(1, 3) : between(4, 7), s->kernel_w = below(3) ? between(1, 3) : between(4, 7);
    if (below(3) == 0) {
        s->kernel_w = s->kernel_h;
    }
    int is_depthwise = s->in_channels == 1 && s->out_channels == 1, is_usual = is_depthwise && below(3);
    if (is_usual) {
        s->kernel_h = below(2) ? 3 : 5 + 2 * below(2), s->kernel_w = below(4) ? s->kernel_h : s->kernel_w;
    }
    s->stride_h = between(1, is_usual ? 2 : 3), s->stride_w = below(3) ? s->stride_h : between(1, 3);
    s->dilation_h = is_depthwise || below(4) ? 1 : 2, s->dilation_w = is_usual || below(4) ? 1 : 2;
    s->pad_h = below(s->kernel_h + 1), s->pad_w = below(s->kernel_w + 1);
    if (!is_depthwise && below(4) == 0) {
        s->kernel_h = s->kernel_w = 1, s->pad_h = s->pad_w = 0;
    }
    s->in_h = between(1, 9), s->in_w = below(8) ? between(1, 9) : between(10, 300);
    uint32_t reach_h = (s->kernel_h - 1) * s->dilation_h + 1, reach_w = (s->kernel_w - 1) * s->dilation_w + 1;
    if (reach_h > s->in_h + 2 * s->pad_h || reach_w > s->in_w + 2 * s->pad_w) {
        return 0;
    }
    s->out_h = (s->in_h + 2 * s->pad_h - reach_h) / s->stride_h + 1;
    s->out_w = (s->in_w + 2 * s->pad_w - reach_w) / s->stride_w + 1;
    return 1;
}

/* Channels last, or rows and columns. */
static void draw_layout(uint32_t h, uint32_t w, uint32_t groups, uint32_t channels, uint32_t *batch, uint32_t *row,
                        uint32_t *column, uint32_t *group, uint32_t *channel)
{
    *batch = h * w * groups * channels;
    if (below(4)) {
        *channel = 1, *group = channels, *column = channels * groups, *row = w * *column;
    } else {
        *column = 1, *row = w, *channel = w * h, *group = channels * *channel;
    }
}

static shape draw_shape(void)
{
    shape s;
    do {
        memset(&s, 0, sizeof s);
        s.batch = between(1, 2);
        draw_channels(&s);
    } while (!draw_window(&s) || s.batch * s.in_h * s.in_w * s.groups * s.in_channels > ROOM / 2 - 16 ||
             s.batch * s.out_h * s.out_w * s.groups * s.out_channels > ROOM / 2 - 16 ||
             s.groups * s.in_channels * s.out_channels * s.kernel_h * s.kernel_w > ROOM / 4 - 16);
    draw_layout(s.in_h, s.in_w, s.groups, s.in_channels, &s.x_batch, &s.x_h, &s.x_w, &s.x_group, &s.x_channel);
    draw_layout(s.out_h, s.out_w, s.groups, s.out_channels, &s.y_batch, &s.y_h, &s.y_w, &s.y_group, &s.y_channel);
    draw_layout(s.kernel_h, s.kernel_w, 1, s.in_channels, &s.w_out_channel, &s.w_h, &s.w_w, &s.w_group,
                &s.w_in_channel);
    s.w_group = s.w_out_channel * s.out_channels;
    s.panel_words = between(1, below(3) ? PANEL_ROOM / 4 - 16 : 800);
    return s;
}

#define PUT_SHAPE(insn, s)                                                                                          \
    do {                                                                                                            \
        insn.batch = s.batch, insn.groups = s.groups, insn.in_channels = s.in_channels;                             \
        insn.out_channels = s.out_channels, insn.in_h = s.in_h, insn.in_w = s.in_w, insn.out_h = s.out_h;           \
        insn.out_w = s.out_w, insn.kernel_h = s.kernel_h, insn.kernel_w = s.kernel_w, insn.stride_h = s.stride_h;   \
        insn.stride_w = s.stride_w, insn.dilation_h = s.dilation_h, insn.dilation_w = s.dilation_w;                 \
        insn.pad_h = s.pad_h, insn.pad_w = s.pad_w, insn.x_batch = s.x_batch, insn.x_h = s.x_h, insn.x_w = s.x_w;   \
        insn.x_group = s.x_group, insn.x_channel = s.x_channel, insn.y_batch = s.y_batch, insn.y_h = s.y_h;         \
        insn.y_w = s.y_w, insn.y_group = s.y_group, insn.y_channel = s.y_channel, insn.panel_words = s.panel_words; \
        insn.panel = below(20) ? PANEL : GM_NONE;                                                                   \
    } while (0)
#define PUT_WEIGHTS(insn, s)                                                                                \
    do {                                                                                                    \
        insn.w_group = s.w_group, insn.w_out_channel = s.w_out_channel, insn.w_in_channel = s.w_in_channel; \
        insn.w_h = s.w_h, insn.w_w = s.w_w, insn.w = W + below(4), insn.w_zero = below(2) ? 0 : any_byte(); \
    } while (0)

/* ---- Kernels ------------------------------------------------------------------------------------ */

static uint32_t draw_conv_s8(void)
{
    shape s = draw_shape();
    gm_insn_conv_s8 insn = {0};
    PUT_SHAPE(insn, s);
    PUT_WEIGHTS(insn, s);
    insn.x = X + below(4), insn.y = OUT + below(4), insn.bias = below(3) ? BIAS : GM_NONE;
    insn.multipliers = SCALE, insn.offsets = below(2) ? OFFSETS : GM_NONE;
    insn.x_zero = any_byte(), insn.y_zero = any_byte();
    insn.low = below(2) ? -128 : any_byte(), insn.high = below(2) ? 127 : any_byte();
    return differ(gm_kernel_conv_s8, PLAIN(conv_s8), &insn, s.panel_words);
}

static uint32_t draw_conv_grad_x_s16(void)
{
    shape s = draw_shape();
    gm_insn_conv_grad_x_s16 insn = {0};
    PUT_SHAPE(insn, s);
    PUT_WEIGHTS(insn, s);
    insn.dy = DY + 2 * below(2), insn.dx = OUT + 2 * below(2), insn.q = below(2) ? X + below(4) : GM_NONE;
    insn.mask = insn.q != GM_NONE && below(3) ? GM_NONE : X + 4 * below(4);
    insn.dy_exponent = EXPONENTS, insn.exponent = EXPONENTS + 16, insn.gain = GAIN;
    insn.scale = below(3) ? SCALE : GM_NONE, insn.addend = GM_NONE, insn.addend_exponent = GM_NONE;
    if (below(3) == 0) {
        insn.addend = below(2) ? insn.dx : ADDEND, insn.addend_exponent = EXPONENTS + 8;
    }
    insn.low = below(2) ? -128 : any_byte(), insn.high = below(2) ? 127 : any_byte();
    insn.limit = (int32_t)between(1, 32767);
    return differ(gm_kernel_conv_grad_x_s16, PLAIN(conv_grad_x_s16), &insn, s.panel_words);
}

static uint32_t draw_conv_grad_w_s16(void)
{
    shape s = draw_shape();
    gm_insn_conv_grad_w_s16 insn = {0};
    PUT_SHAPE(insn, s);
    insn.x = X + below(4), insn.dy = DY + 2 * below(2), insn.dy_exponent = EXPONENTS, insn.factor = SCALE;
    insn.y = OUT, insn.x_zero = any_byte(), insn.accumulate = below(2);
    if (insn.accumulate) {
        for (uint32_t i = 0; i < ROOM; i += 4) {
            float before = (float)below(1000) * 1e-3f;
            memcpy(arena + OUT + i, &before, 4);
        }
        memcpy(plain_arena + OUT, arena + OUT, ROOM);
    }
    return differ(gm_kernel_conv_grad_w_s16, PLAIN(conv_grad_w_s16), &insn, s.panel_words);
}

/* ---- Updates ------------------------------------------------------------------------------------ */

/* Plain SGD in most draws, else with weight decay or momentum; rates and limits of any size. */
static void draw_rule(void)
{
    const gm_rule_sgd sgd = {GM_RULE_SGD, below(8) ? 0.0f : 0.01f};
    const gm_rule_momentum momentum = {GM_RULE_MOMENTUM, below(2) ? 0.0f : 0.01f, 0.9f, (float)below(2)};
    float rate = (float)(below(1000) + 1) * (below(2) ? 1e-2f : below(2) ? 1e2f : 1e-6f), factor = 0.5f;
    const uint32_t counter[] = {below(1000), below(1000)};
    if (below(6)) {
        memcpy(arena + RULE, &sgd, sizeof sgd);
    } else {
        memcpy(arena + RULE, &momentum, sizeof momentum);
    }
    memcpy(arena + RATE, &rate, sizeof rate);
    memcpy(arena + FACTOR, &factor, sizeof factor);
    memcpy(arena + COUNTER, counter, sizeof counter);
    memcpy(plain_arena + RULE, arena + RULE, ARENA - RULE);
}

static float any_limit(uint32_t bytes)
{
    static const uint32_t odd[] = {0x7f800000u, 0x7fc00000u, 0xbf800000u, 0x3f000000u, 0x46800000u, 0u, 0x7f7fffffu};
    float limit = (float)below(bytes == 1 ? 130 : 16500);
    if (below(4) == 0) {
        memcpy(&limit, &odd[below(7)], sizeof limit);
    }
    return limit;
}

/* Bounds of so many bytes; in some draws others. */
static void draw_bounds(uint32_t bytes, int32_t *low, int32_t *high)
{
    int32_t most = bytes == 1 ? INT8_MAX : bytes == 2 ? INT16_MAX : INT32_MAX;
    *low = below(4) ? -most - (int32_t)below(2) : any_byte(), *high = below(4) ? most : any_byte();
}

/* Gradients of random bits, or of numbers that make steps of some units. */
static void draw_gradients(void)
{
    for (uint32_t i = 0; i < ROOM && below(4); i += 4) {
        float g = (float)((int32_t)below(20001) - 10000) * (below(2) ? 1e-3f : 1e-6f);
        memcpy(arena + DY + i, &g, 4);
    }
    memcpy(plain_arena + DY, arena + DY, ROOM);
}

#define PUT_UPDATE(insn, element_bytes)                                                         \
    do {                                                                                        \
        draw_rule();                                                                            \
        insn.slot1 = ADDEND, insn.slot2 = insn.aux = GM_NONE, insn.lr = RATE, insn.rule = RULE; \
        insn.units = OFFSETS, insn.counter = COUNTER, insn.stream = below(100);                 \
        insn.limit = any_limit(element_bytes), insn.zero = below(2) ? 0 : any_byte();           \
        draw_bounds(element_bytes, &insn.low, &insn.high);                                      \
    } while (0)

static uint32_t draw_conv_update_s16(void)
{
    shape s = draw_shape();
    gm_insn_conv_update_s16 insn = {0};
    PUT_SHAPE(insn, s);
    insn.p_bytes = between(1, 2);
    PUT_UPDATE(insn, insn.p_bytes);
    insn.x = X + below(4), insn.dy = DY + 2 * below(2), insn.dy_exponent = EXPONENTS, insn.factor = SCALE;
    insn.p = OUT + below(4), insn.row = ROW, insn.x_zero = any_byte();
    return differ(gm_kernel_conv_update_s16, PLAIN(conv_update_s16), &insn, s.panel_words);
}

/* The three instructions have the same words. */
static uint32_t draw_update(kernel *own, kernel *plain, uint32_t bytes)
{
    gm_insn_update_s8 insn = {0};
    PUT_UPDATE(insn, bytes);
    draw_gradients();
    insn.g = DY, insn.p = OUT + (bytes == 4 ? 0 : bytes * below(3)), insn.scale = below(2) ? FACTOR : GM_NONE;
    insn.outer = between(1, 3), insn.channels = between(1, 9), insn.inner = below(4) ? between(1, 40) : 1;
    return differ(own, plain, &insn, 0);
}

static uint32_t draw_update_s8(void)
{
    return draw_update(gm_kernel_update_s8, PLAIN(update_s8), 1);
}

static uint32_t draw_update_s16(void)
{
    return draw_update(gm_kernel_update_s16, PLAIN(update_s16), 2);
}

static uint32_t draw_update_s32(void)
{
    return draw_update(gm_kernel_update_s32, PLAIN(update_s32), 4);
}

/* ---- Masks -------------------------------------------------------------------------------------- */

static uint32_t draw_mask_s8(void)
{
    gm_insn_mask_s8 insn = {.q = X + below(4), .mask = OUT + below(4), .n = between(1, below(2) ? 40 : 2000)};
    insn.low = below(4) ? any_byte() : -200, insn.high = below(4) ? any_byte() : 200;
    return differ(gm_kernel_mask_s8, PLAIN(mask_s8), &insn, 0);
}

/* ---- Sums ---------------------------------------------------------------------------------------- */

/* A stride along an axis whose inner elements are dense, or 0, which repeats elements. */
static uint32_t some_stride(uint32_t dense)
{
    return below(3) ? dense : 0;
}

/* In some draws the sum takes the place of an operand, which then has all elements. */
static uint32_t draw_add_s16(void)
{
    gm_insn_add_s16 insn = {0};
    insn.d0 = between(1, 3), insn.d1 = between(1, 4), insn.d2 = between(1, 9), insn.d3 = between(1, 40);
    uint32_t d2 = insn.d3, d1 = insn.d2 * d2, d0 = insn.d1 * d1, in_place = below(3);
    insn.a0 = some_stride(d0), insn.a1 = some_stride(d1), insn.a2 = some_stride(d2), insn.a3 = some_stride(1);
    if (in_place == 0) {
        insn.a0 = d0, insn.a1 = d1, insn.a2 = d2, insn.a3 = 1;
    }
    insn.b0 = some_stride(d0), insn.b1 = some_stride(d1), insn.b2 = some_stride(d2), insn.b3 = some_stride(1);
    insn.s3 = below(2), insn.s2 = below(3) ? 0 : 1 + insn.s3 * (insn.d3 - 1), insn.s0 = below(8) ? 0 : 1;
    insn.a = DY + 2 * below(2), insn.a_exponent = EXPONENTS, insn.y = in_place ? OUT : insn.a;
    insn.b = below(2) ? ADDEND : GM_NONE, insn.b_exponent = EXPONENTS + 8;
    insn.scale = below(3) ? SCALE : GM_NONE, insn.exponent = EXPONENTS + 16;
    insn.q = below(4) ? X + below(4) : GM_NONE, insn.mask = below(3) ? GM_NONE : X + 4 * below(4);
    insn.low = below(2) ? -128 : any_byte(), insn.high = below(2) ? 127 : any_byte();
    insn.limit = (int32_t)between(1, 32767);
    return differ(gm_kernel_add_s16, PLAIN(add_s16), &insn, 0);
}

static uint32_t draw_average_pool_s8(void)
{
    gm_insn_average_pool_s8 insn = {0};
    shape s;
    uint32_t unused;
    do {
        s = draw_shape(), insn.channels = between(1, 6);
    } while (s.batch * insn.channels * (s.in_h * s.in_w + s.out_h * s.out_w) > ROOM - 16);
    insn.batch = s.batch, insn.in_h = s.in_h, insn.in_w = s.in_w, insn.out_h = s.out_h;
    insn.out_w = s.out_w, insn.kernel_h = s.kernel_h, insn.kernel_w = s.kernel_w, insn.stride_h = s.stride_h;
    insn.stride_w = s.stride_w, insn.dilation_h = s.dilation_h, insn.dilation_w = s.dilation_w;
    insn.pad_h = s.pad_h, insn.pad_w = s.pad_w, insn.count_pad = below(2);
    insn.padded_h = s.in_h + 2 * s.pad_h, insn.padded_w = s.in_w + 2 * s.pad_w, insn.order = below(4);
    draw_layout(s.in_h, s.in_w, 1, insn.channels, &insn.x_batch, &insn.x_h, &insn.x_w, &unused, &insn.x_channel);
    draw_layout(s.out_h, s.out_w, 1, insn.channels, &insn.y_batch, &insn.y_h, &insn.y_w, &unused, &insn.y_channel);
    insn.x = X + below(4), insn.y = OUT + below(4), insn.x_zero = any_byte(), insn.y_zero = any_byte();
    insn.x_scale = (float)between(1, 4000) * (below(8) ? 1e-3f : below(2) ? 1e30f : 1e-38f);
    insn.y_scale = below(4) ? (float)between(1, 4000) * 1e-3f : insn.x_scale;
    insn.low = below(2) ? -128 : any_byte(), insn.high = below(2) ? 127 : any_byte();
    return differ(gm_kernel_average_pool_s8, PLAIN(average_pool_s8), &insn, 0);
}

static uint32_t draw_sum_s16(void)
{
    gm_insn_sum_s16 insn = {0};
    insn.outer = between(1, 3), insn.channels = between(1, 9), insn.inner = below(8) ? between(1, 200) : 1;
    insn.x_channel = below(2) ? 1 : insn.inner, insn.x_inner = insn.x_channel == 1 ? insn.channels : 1;
    insn.x_outer = insn.channels * insn.inner;
    if (below(16) == 0) { /* more than sums of 32 bits can take */
        insn.inner = between(65530, 200000), insn.x_inner = 0;
    }
    insn.x = DY + 2 * below(2), insn.x_exponent = EXPONENTS, insn.divisor = below(2) ? SCALE : GM_NONE,
    insn.y = OFFSETS;
    insn.accumulate = below(2);
    return differ(gm_kernel_sum_s16, PLAIN(sum_s16), &insn, 0);
}

/* ---- All of them -------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    uint32_t (*draw)(void);
} kernels[] = {
    {"conv_s8", draw_conv_s8},
    {"conv_grad_x_s16", draw_conv_grad_x_s16},
    {"conv_grad_w_s16", draw_conv_grad_w_s16},
    {"conv_update_s16", draw_conv_update_s16},
    {"update_s8", draw_update_s8},
    {"update_s16", draw_update_s16},
    {"update_s32", draw_update_s32},
    {"mask_s8", draw_mask_s8},
    {"add_s16", draw_add_s16},
    {"average_pool_s8", draw_average_pool_s8},
    {"sum_s16", draw_sum_s16},
};

const uint32_t quantized_kernel_count = sizeof kernels / sizeof kernels[0];

const char *quantized_kernel_name(uint32_t kernel)
{
    return kernels[kernel].name;
}

uint32_t draw_quantized_kernel(uint32_t kernel, uint32_t turns, uint32_t seed)
{
    uint32_t wrong = 0;
    random_state = seed;
    fill_bank();
    session.arena = arena;
    plain_session.arena = plain_arena;
    for (uint32_t i = 0; i < turns; i++) {
        fill();
        wrong += kernels[kernel].draw();
    }
    return wrong;
}
