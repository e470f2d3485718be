#include "drawn_kernels.h"

#include <string.h>

#include "gm_internal.h"
#include "../../../runtime_c/generated/gm_opcodes.h"
#include "numerics.h"

/* The plain form of every kernel has this prefix: its objects are compiled with GM_ARCH=0, then
 * renamed. */
#define PLAIN(name) plain_gm_kernel_##name

typedef int kernel(const struct gm_session *session, const void *instruction);

kernel PLAIN(gemm), PLAIN(gemm_update), PLAIN(matmul), PLAIN(update);
kernel PLAIN(conv), PLAIN(conv_transpose), PLAIN(conv_grad_w), PLAIN(conv_update);
kernel PLAIN(add), PLAIN(sub), PLAIN(mul), PLAIN(div);
kernel PLAIN(relu), PLAIN(relu_grad), PLAIN(check_finite), PLAIN(reduce_sum);
kernel PLAIN(moments), PLAIN(normalize), PLAIN(normalize_sums), PLAIN(normalize_grad);

/* ---- The arena ------------------------------------------------------------------------------------------ */

/* Elements of each operand, and its place. The last elements of each are a border that nothing may touch. */
enum { ROOM = 6000, BORDER = 16, PLACES = 6, ARENA = ROOM * PLACES + 64 };
enum { X, W, Y, P, SLOT1, SLOT2 };
enum { SMALL = ROOM * PLACES, AUX = SMALL + 40, LR = SMALL + 42, RULE = SMALL + 44 };

/* Ordinary numbers. An arena gets them from another place of the bank in each turn: drawing each element would take
 * most of the time. */
static float bank[ARENA];
static float arena[ARENA], plain_arena[ARENA];
static gm_session session, plain_session;
static uint32_t random_state;

/* 0 .. limit - 1 */
static uint32_t below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % limit;
}

static uint32_t between(uint32_t low, uint32_t high)
{
    return low + below(high - low + 1);
}

static uint32_t offset_of(uint32_t place)
{
    return place * ROOM * 4;
}

static float special(void)
{
    static const uint32_t bits[] = {0x80000000u, 0,           0x7f800000u, 0xff800000u, 0x7fc00000u, 0x7f800001u, 1u,
                                    0x80000001u, 0x007fffffu, 0x00800000u, 0x7f7fffffu, 0xff7fffffu, 0x3f800000u};
    return gm_float_of(bits[below(sizeof bits / sizeof bits[0])]);
}

static void fill_bank(void)
{
    for (uint32_t i = 0; i < ARENA; i++) {
        bank[i] = ((float)below(20001) - 10000.0f) * 1e-4f;
    }
}

/* Most turns have ordinary numbers; others have a zero, an infinity, a NaN or a subnormal now and then. */
static void fill(void)
{
    uint32_t rare = below(3) ? 0 : between(2, 60), first = below(ARENA);
    memcpy(arena, bank + first, (ARENA - first) * sizeof bank[0]);
    memcpy(arena + ARENA - first, bank, first * sizeof bank[0]);
    for (uint32_t i = rare ? below(rare) : ARENA; i < ARENA; i += between(1, 2 * rare - 1)) {
        arena[i] = special();
    }
    for (uint32_t i = SLOT2 * ROOM; i < (SLOT2 + 1) * ROOM; i++) {
        arena[i] = gm_abs(arena[i]);
    }
    float hyper[GM_RULE_WORDS] = {0, below(2) ? 0.1f : 0.0f, 0.9f, 0.1f, 0.999f, 0.001f, 1e-8f};
    uint32_t kind = below(GM_RULE_COUNT);
    if (kind == GM_RULE_MOMENTUM) {
        hyper[3] = below(2) ? 1.0f : 0.0f; /* nesterov */
    }
    memcpy(arena + RULE, hyper, sizeof hyper);
    memcpy(arena + RULE, &kind, sizeof kind);
    arena[AUX] = 0.1f, arena[AUX + 1] = 0.001f, arena[LR] = 0.01f;
    memcpy(plain_arena, arena, sizeof arena);
}

static int differ(float a, float b)
{
    return gm_bits_of(a) != gm_bits_of(b) && !(a != a && b != b);
}

/* Whether all bits of the arenas are the same, NaN too. */
static uint32_t arenas_are_same(void)
{
    uint32_t differing = 0;
    for (uint32_t i = 0; i < ARENA; i += 4) {
        differing |= gm_bits_of(arena[i]) ^ gm_bits_of(plain_arena[i]);
        differing |= gm_bits_of(arena[i + 1]) ^ gm_bits_of(plain_arena[i + 1]);
        differing |= gm_bits_of(arena[i + 2]) ^ gm_bits_of(plain_arena[i + 2]);
        differing |= gm_bits_of(arena[i + 3]) ^ gm_bits_of(plain_arena[i + 3]);
    }
    return differing == 0;
}

/* Whether the arenas differ except in [row, row + size), which an update kernel may use as it likes. */
static uint32_t arenas_differ(uint32_t row, uint32_t size)
{
    for (uint32_t i = arenas_are_same() ? ARENA : 0; i < ARENA; i++) {
        if (differ(arena[i], plain_arena[i]) && (i < row || i >= row + size)) {
            return 1;
        }
    }
    return 0;
}

static uint32_t both_ways(kernel *own, kernel *plain, const void *instruction, uint32_t row, uint32_t size)
{
    int code = own(&session, instruction);
    return code != plain(&plain_session, instruction) || arenas_differ(row, size);
}

/* Whether the two forms of a kernel differ in what they return or leave, except [row, row + size). */
#define BOTH_WAYS(name, insn, row, size) both_ways(gm_kernel_##name, PLAIN(name), &(insn), row, size)

/* ---- Matrix products --------------------------------------------------------------------------------------- */

/* Strides of a matrix: by rows, by columns, or of neither. */
static void draw_matrix(uint32_t rows, uint32_t columns, uint32_t *row, uint32_t *column)
{
    uint32_t gap = below(4) ? 0 : between(1, 3);
    switch (below(5)) {
    case 0: *row = 2 * columns + 1, *column = 2; break;
    case 1:
    case 2: *row = 1, *column = rows + gap; break;
    default: *row = columns + gap, *column = 1; break;
    }
    *row = rows == 1 ? below(2) * *row : *row;
    *column = columns == 1 ? below(2) * *column : *column;
}

static uint32_t draw_gemm(void)
{
    uint32_t m = between(1, 11), n = between(1, 37), k = between(1, 19);
    gm_insn_gemm insn = {0, offset_of(X), offset_of(W), below(2) ? offset_of(P) : GM_NONE, offset_of(Y)};
    insn.batch = between(1, 2), insn.m = m, insn.n = n, insn.k = k;
    draw_matrix(m, k, &insn.a_row, &insn.a_col);
    draw_matrix(k, n, &insn.b_row, &insn.b_col);
    insn.a_batch = 600, insn.b_batch = below(2) ? 2100 : 0;
    insn.accumulate = below(4) == 0, insn.activation = below(2);
    return BOTH_WAYS(gemm, insn, 0, 0);
}

static uint32_t draw_matmul(void)
{
    uint32_t m = between(1, 9), n = between(1, 19), k = between(1, 13);
    gm_insn_matmul insn = {0, offset_of(X), offset_of(W), offset_of(Y)};
    insn.d0 = 1, insn.d1 = 2, insn.m = m, insn.n = n, insn.k = k;
    draw_matrix(m, k, &insn.a_row, &insn.a_col);
    draw_matrix(k, n, &insn.b_row, &insn.b_col);
    insn.a1 = 500, insn.b1 = 1200, insn.y_row = n + below(3), insn.y1 = m * (n + 3);
    return BOTH_WAYS(matmul, insn, 0, 0);
}

static uint32_t draw_gemm_update(void)
{
    uint32_t m = between(1, 30), n = between(1, 37), k = below(3) ? between(1, 9) : 1;
    gm_insn_gemm_update insn = {0,
                                offset_of(X),
                                offset_of(W),
                                offset_of(Y),
                                offset_of(P),
                                offset_of(SLOT1),
                                offset_of(SLOT2),
                                AUX * 4,
                                LR * 4,
                                RULE * 4,
                                m,
                                n,
                                k};
    draw_matrix(m, k, &insn.a_row, &insn.a_col);
    draw_matrix(k, n, &insn.b_row, &insn.b_col);
    return BOTH_WAYS(gemm_update, insn, Y * ROOM, n);
}

static uint32_t draw_update(void)
{
    gm_insn_update insn = {0,
                           offset_of(X),
                           offset_of(P),
                           offset_of(SLOT1),
                           offset_of(SLOT2),
                           AUX * 4,
                           LR * 4,
                           below(2) ? offset_of(W) : GM_NONE,
                           RULE * 4,
                           between(1, 70)};
    return BOTH_WAYS(update, insn, 0, 0);
}

/* ---- Element by element ------------------------------------------------------------------------------------ */

/* Rows of both operands are contiguous, or one number; y may be the first. */
#define DEFINE_DRAW(name)                                                                         \
    static uint32_t draw_##name(void)                                                             \
    {                                                                                             \
        uint32_t rows = between(1, 5), n = between(1, 40);                                        \
        gm_insn_##name insn = {0, offset_of(X), offset_of(W), offset_of(below(3) ? Y : X), 1, 1}; \
        insn.d2 = rows, insn.d3 = n;                                                              \
        insn.a2 = n, insn.a3 = 1;                                                                 \
        insn.b2 = below(2) ? n : 0, insn.b3 = below(4) ? 1 : 0;                                   \
        return BOTH_WAYS(name, insn, 0, 0);                                                       \
    }

DEFINE_DRAW(add)
DEFINE_DRAW(sub)
DEFINE_DRAW(mul)
DEFINE_DRAW(div)

static uint32_t draw_relu(void)
{
    gm_insn_relu insn = {0, offset_of(X), offset_of(below(2) ? Y : X), between(1, 70)};
    return BOTH_WAYS(relu, insn, 0, 0);
}

static uint32_t draw_relu_grad(void)
{
    gm_insn_relu_grad insn = {0, offset_of(X), offset_of(W), offset_of(below(2) ? Y : X), between(1, 70)};
    return BOTH_WAYS(relu_grad, insn, 0, 0);
}

static uint32_t draw_check_finite(void)
{
    gm_insn_check_finite insn = {0, offset_of(X), between(1, 70)};
    return BOTH_WAYS(check_finite, insn, 0, 0);
}

/* Rows or columns of a matrix, whose blocks have gaps; of one element at times. */
static uint32_t draw_reduce_sum(void)
{
    uint32_t kept = between(1, 37), summed = between(1, 21), blocks = between(1, 2), planes = between(1, 2);
    gm_insn_reduce_sum insn = {0, offset_of(X), offset_of(Y), 1, 1, 2, kept};
    insn.ks2 = 5, insn.r0 = 1, insn.r1 = planes, insn.r2 = blocks, insn.r3 = summed;
    draw_matrix(summed, kept, &insn.rs3, &insn.ks3);
    insn.rs2 = 1700, insn.rs1 = 17;
    insn.scale = below(2) ? 1.0f : 0.3f, insn.accumulate = below(2);
    return BOTH_WAYS(reduce_sum, insn, 0, 0);
}

/* ---- Batch normalization ----------------------------------------------------------------------------------- */

/* P has the numbers of channels, 64 of each kind. */
#define NUMBERS(kind) (offset_of(P) + 4 * 64 * (kind))
enum { MEAN, INV_STD, SCALE, BIAS, DSCALE, DBIAS, VAR };

/* Most channels are adjacent. */
#define DRAW_CHANNELS(insn) \
    insn.outer = between(1, 20), insn.channels = between(1, 40), insn.inner = below(5) ? 1 : between(2, 7)

static uint32_t draw_moments(void)
{
    gm_insn_moments insn = {0, offset_of(X), NUMBERS(MEAN), NUMBERS(INV_STD), below(2) ? NUMBERS(VAR) : GM_NONE};
    DRAW_CHANNELS(insn);
    insn.epsilon = 1e-5f;
    return BOTH_WAYS(moments, insn, 0, 0);
}

/* With mean, bias, both or none; y may be x. */
static uint32_t draw_normalize(void)
{
    uint32_t mean = below(3) ? NUMBERS(MEAN) : GM_NONE, bias = below(3) ? NUMBERS(BIAS) : GM_NONE;
    gm_insn_normalize insn = {
        0, offset_of(X), mean, NUMBERS(INV_STD), NUMBERS(SCALE), bias, offset_of(below(2) ? Y : X)};
    DRAW_CHANNELS(insn);
    insn.activation = below(2);
    return BOTH_WAYS(normalize, insn, 0, 0);
}

static uint32_t draw_normalize_sums(void)
{
    gm_insn_normalize_sums insn = {
        0, offset_of(W), offset_of(X), NUMBERS(MEAN), NUMBERS(INV_STD), NUMBERS(DSCALE), NUMBERS(DBIAS)};
    DRAW_CHANNELS(insn);
    return BOTH_WAYS(normalize_sums, insn, 0, 0);
}

/* dx may be dy or x. */
static uint32_t draw_normalize_grad(void)
{
    static const uint32_t places[] = {Y, W, X};
    gm_insn_normalize_grad insn = {0,
                                   offset_of(W),
                                   offset_of(X),
                                   NUMBERS(MEAN),
                                   NUMBERS(INV_STD),
                                   NUMBERS(SCALE),
                                   NUMBERS(DSCALE),
                                   NUMBERS(DBIAS),
                                   offset_of(places[below(3)])};
    DRAW_CHANNELS(insn);
    return BOTH_WAYS(normalize_grad, insn, 0, 0);
}

/* ---- Convolutions ------------------------------------------------------------------------------------------ */

/* Strides of an activation: channels last, channels first, or neither. */
typedef struct layout {
    uint32_t batch, h, w, group, channel;
} layout;

/* neighbours: whether all channels of a pixel are adjacent. */
static layout draw_layout(uint32_t groups, uint32_t channels, uint32_t h, uint32_t w, int neighbours)
{
    uint32_t all = groups * channels;
    switch (neighbours ? 2 : below(5)) {
    case 0: return (layout){all * h * w, w, 1, channels * h * w, h * w};
    case 1: return (layout){2 * all * h * w, 2 * w * all, 2 * all, 2 * channels, 2};
    default: return (layout){all * h * w, w * all, all, channels, 1};
    }
}

typedef struct shape {
    uint32_t batch, groups, in_channels, out_channels, in_h, in_w, out_h, out_w, kernel_h, kernel_w, stride_h, stride_w,
        dilation_h, dilation_w, pad_h, pad_w;
    layout x, y;
    uint32_t w_group, w_out_channel, w_in_channel, w_h, w_w;
} shape;

static uint32_t outputs(uint32_t in, uint32_t kernel, uint32_t stride, uint32_t dilation, uint32_t pad)
{
    uint32_t reach = (kernel - 1) * dilation + 1;
    return in + 2 * pad < reach ? 0 : (in + 2 * pad - reach) / stride + 1;
}

/* Fewer if a convolution has groups: several channels in one group, a depthwise one, or one with
 * a multiplier. A first layer has few channels. */
static void draw_channels(shape *s)
{
    static const uint32_t counts[] = {1, 2, 3, 4, 5, 8, 9, 16, 19};
    s->groups = 1, s->in_channels = counts[below(9)], s->out_channels = counts[below(9)];
    if (below(3) == 0) {
        s->groups = below(2) ? 4 * between(1, 5) : between(1, 21), s->in_channels = 1,
        s->out_channels = below(4) ? 1 : 2;
    } else if (below(4) == 0) {
        s->in_channels = between(1, 4), s->out_channels = 8;
    } else if (below(4) == 0) {
        s->groups = 2, s->in_channels = between(1, 6), s->out_channels = between(1, 6);
    }
}

/* Whether they fit in an operand, with gaps, and with the border after it. */
static int fits(uint32_t channels, uint32_t h, uint32_t w, const shape *s)
{
    return 2 * s->batch * s->groups * channels * h * w <= ROOM - BORDER;
}

/* The largest stride for which depthwise kernels of 3 by 3 adjacent taps have forms of their own, which are drawn more
 * often; 0 if there is none. */
#if defined(__riscv)
#define STRIDES_OF_3X3 1
#elif defined(GM_HELIUM) && GM_HELIUM
#define STRIDES_OF_3X3 2
#else
#define STRIDES_OF_3X3 0
#endif

/* Whether first layers have forms of their own, of few channels in planes under 3x3 taps */
#if defined(__riscv) || defined(__ARM_FP)
#define HAS_FIRST_LAYERS 1
#else
#define HAS_FIRST_LAYERS 0
#endif

/* Whether convolutions of one tap have forms of their own */
#if defined(GM_HELIUM) && GM_HELIUM
#define HAS_POINTWISE 1
#else
#define HAS_POINTWISE 0
#endif

/* Whether 3x3 taps of one channel have forms of their own, which are to be drawn more often */
#if defined(__ARM_FP)
#define HAS_ONE_CHANNEL 1
#else
#define HAS_ONE_CHANNEL 0
#endif

static shape draw_shape(void)
{
    shape s = {.batch = between(1, 2)};
    uint32_t most = below(6) ? 4 : 1; /* kernels of one tap are matrix products */
    int is_first = HAS_ONE_CHANNEL && below(8) == 0;
    draw_channels(&s);
    if (is_first) {
        most = 4, s.groups = s.in_channels = 1, s.out_channels = between(3, 9);
    }
    s.in_channels += most == 1 && s.in_channels >= 16 ? below(30) : 0;
    int is_depthwise = s.groups > 1 && s.in_channels == 1 && s.out_channels == 1;
    int is_3x3 = STRIDES_OF_3X3 > 1 ? below(3) == 0 : STRIDES_OF_3X3 > 0 && is_depthwise && below(3) == 0;
    if (is_3x3 && !is_depthwise) {
        s.groups = 4 * between(1, 3), s.in_channels = s.out_channels = 1;
    }
    do {
        static const uint32_t widths[] = {3, 4, 5, 6, 8, 12}; /* each leaves other outputs at the ends of rows */
        s.in_h = between(1, 12), s.in_w = is_3x3 ? widths[below(6)] : between(1, 12);
        s.kernel_h = between(1, most), s.kernel_w = most == 1 || below(2) ? between(1, most) : 3;
        s.stride_h = between(1, 2), s.stride_w = below(5) ? between(1, 2) : 3;
        s.dilation_h = below(5) ? 1 : 2, s.dilation_w = below(5) ? 1 : 2;
        if (is_first) {
            s.kernel_h = s.kernel_w = 3, s.dilation_w = 1;
        }
        if (is_3x3) {
            s.kernel_h = s.kernel_w = 3, s.stride_h = s.stride_w = STRIDES_OF_3X3 > 1 ? between(1, STRIDES_OF_3X3) : 1;
            s.dilation_h = s.dilation_w = 1;
        }
        s.pad_h = below(3), s.pad_w = is_3x3 ? (1 + below(4)) / 2 : below(3);
        s.out_h = outputs(s.in_h, s.kernel_h, s.stride_h, s.dilation_h, s.pad_h);
        s.out_w = outputs(s.in_w, s.kernel_w, s.stride_w, s.dilation_w, s.pad_w);
    } while (s.out_h == 0 || s.out_w == 0 || !fits(s.in_channels, s.in_h, s.in_w, &s) ||
             !fits(s.out_channels, s.out_h, s.out_w, &s));
    s.x = draw_layout(s.groups, s.in_channels, s.in_h, s.in_w, is_3x3 && below(2));
    s.y = draw_layout(s.groups, s.out_channels, s.out_h, s.out_w, is_3x3 && below(2));
    s.w_w = 1, s.w_h = s.kernel_w, s.w_in_channel = s.kernel_h * s.kernel_w;
    s.w_out_channel = s.in_channels * s.w_in_channel, s.w_group = s.out_channels * s.w_out_channel;
    return s;
}

/* A convolution of one tap without padding or stride. Often channels are by eight, and pixels are many: a matrix
 * product. */
static shape draw_pointwise(uint32_t in_channels, uint32_t out_channels)
{
    shape s = {.batch = 1,
               .groups = 1,
               .in_channels = in_channels,
               .out_channels = out_channels,
               .kernel_h = 1,
               .kernel_w = 1,
               .stride_h = 1,
               .stride_w = 1,
               .dilation_h = 1,
               .dilation_w = 1};
    do {
        s.in_h = s.out_h = between(1, 9), s.in_w = s.out_w = between(1, 9);
    } while (!fits(in_channels, s.in_h, s.in_w, &s) || !fits(out_channels, s.in_h, s.in_w, &s));
    s.x = draw_layout(1, s.in_channels, s.in_h, s.in_w, 0), s.y = draw_layout(1, s.out_channels, s.out_h, s.out_w, 0);
    s.w_w = s.w_h = s.w_in_channel = 1, s.w_out_channel = s.in_channels;
    return s;
}

/* A first layer: channels of x are planes. Its kernel is 3 wide, or as wide as the kernel rows that are taken at
 * once. */
static shape draw_first_layer(void)
{
    shape s = {.batch = between(1, 2),
               .groups = 1,
               .in_channels = below(2) ? 3 : 1,
               .out_channels = below(4) ? 4 * between(1, 4) : between(1, 15),
               .kernel_h = 3,
               .kernel_w = below(2) ? 3 : between(below(2) ? 1 : 9, 12),
               .stride_h = between(1, 2),
               .stride_w = between(1, 2),
               .dilation_h = 1,
               .dilation_w = 1,
               .pad_h = below(2),
               .pad_w = below(2)};
    do {
        s.in_h = between(3, 9), s.in_w = between(s.kernel_w, 20);
        s.out_h = outputs(s.in_h, 3, s.stride_h, 1, s.pad_h);
        s.out_w = outputs(s.in_w, s.kernel_w, s.stride_w, 1, s.pad_w);
    } while (!fits(s.in_channels, s.in_h, s.in_w, &s) || !fits(s.out_channels, s.out_h, s.out_w, &s));
    s.x = (layout){s.in_channels * s.in_h * s.in_w, s.in_w, 1, 0, s.in_h * s.in_w};
    s.y = draw_layout(1, s.out_channels, s.out_h, s.out_w, 0);
    s.w_w = 1, s.w_h = s.kernel_w, s.w_in_channel = 3 * s.kernel_w, s.w_out_channel = s.in_channels * s.w_in_channel;
    return s;
}

/* For CONV and CONV_TRANSPOSE */
static shape draw_either_shape(void)
{
    if (HAS_FIRST_LAYERS && below(6) == 0) {
        return draw_first_layer();
    }
    return HAS_POINTWISE && below(4) == 0
               ? draw_pointwise(4 * between(1, 20), below(6) ? 8 * between(1, 9) : between(1, 20))
               : draw_shape();
}

/* Copies the words that are common to all instructions of convolutions. */
#define PUT_SHAPE(insn, s)                                                                                          \
    insn.batch = s.batch, insn.groups = s.groups, insn.in_channels = s.in_channels,                                 \
    insn.out_channels = s.out_channels;                                                                             \
    insn.in_h = s.in_h, insn.in_w = s.in_w, insn.out_h = s.out_h, insn.out_w = s.out_w;                             \
    insn.kernel_h = s.kernel_h, insn.kernel_w = s.kernel_w, insn.stride_h = s.stride_h, insn.stride_w = s.stride_w; \
    insn.dilation_h = s.dilation_h, insn.dilation_w = s.dilation_w, insn.pad_h = s.pad_h, insn.pad_w = s.pad_w;     \
    insn.x_batch = s.x.batch, insn.x_h = s.x.h, insn.x_w = s.x.w, insn.x_group = s.x.group;                         \
    insn.x_channel = s.x.channel;                                                                                   \
    insn.y_batch = s.y.batch, insn.y_h = s.y.h, insn.y_w = s.y.w, insn.y_group = s.y.group, insn.y_channel = s.y.channel

#define PUT_WEIGHTS(insn, s)                                                                            \
    insn.w_group = s.w_group, insn.w_out_channel = s.w_out_channel, insn.w_in_channel = s.w_in_channel; \
    insn.w_h = s.w_h, insn.w_w = s.w_w

static uint32_t draw_conv(void)
{
    shape s = draw_either_shape();
    gm_insn_conv insn = {0, offset_of(X), offset_of(W), below(2) ? offset_of(P) : GM_NONE, offset_of(Y)};
    PUT_SHAPE(insn, s);
    PUT_WEIGHTS(insn, s);
    insn.activation = below(2);
    return BOTH_WAYS(conv, insn, 0, 0);
}

static uint32_t draw_conv_transpose(void)
{
    shape s = draw_either_shape();
    gm_insn_conv_transpose insn = {0, offset_of(Y), offset_of(W), below(4) ? GM_NONE : offset_of(P), offset_of(X)};
    PUT_SHAPE(insn, s);
    PUT_WEIGHTS(insn, s);
    insn.accumulate = below(3) == 0;
    return BOTH_WAYS(conv_transpose, insn, 0, 0);
}

static uint32_t draw_conv_grad_w(void)
{
    shape s = draw_shape();
    gm_insn_conv_grad_w insn = {0, offset_of(X), offset_of(Y), offset_of(W)};
    PUT_SHAPE(insn, s);
    insn.accumulate = below(3) == 0;
    return BOTH_WAYS(conv_grad_w, insn, 0, 0);
}

static uint32_t draw_conv_update(void)
{
    shape s = draw_shape();
    gm_insn_conv_update insn = {
        0,       offset_of(X), offset_of(Y), offset_of(W), offset_of(P), offset_of(SLOT1), offset_of(SLOT2),
        AUX * 4, LR * 4,       RULE * 4};
    PUT_SHAPE(insn, s);
    return BOTH_WAYS(conv_update, insn, W * ROOM, s.in_channels * s.kernel_h * s.kernel_w);
}

/* Most steps of a convolution of one tap are SGD's, over consecutive pixels. */
static uint32_t draw_pointwise_update(void)
{
    shape s = {.batch = between(1, 2),
               .groups = 1,
               .in_channels = 4 * between(1, 8),
               .out_channels = between(1, 17),
               .kernel_h = 1,
               .kernel_w = 1,
               .stride_h = 1,
               .stride_w = 1,
               .dilation_h = 1,
               .dilation_w = 1};
    s.in_h = s.out_h = between(1, 5), s.in_w = s.out_w = between(1, 5);
    s.x = draw_layout(1, s.in_channels, s.in_h, s.in_w, 0), s.y = draw_layout(1, s.out_channels, s.out_h, s.out_w, 0);
    gm_insn_conv_update insn = {
        0,       offset_of(X), offset_of(Y), offset_of(W), offset_of(P), offset_of(SLOT1), offset_of(SLOT2),
        AUX * 4, LR * 4,       RULE * 4};
    PUT_SHAPE(insn, s);
    const float rule[2] = {gm_float_of(GM_RULE_SGD), 0.0f};
    if (below(5)) {
        memcpy(arena + RULE, rule, sizeof rule);
        memcpy(plain_arena + RULE, rule, sizeof rule);
    }
    return BOTH_WAYS(conv_update, insn, W * ROOM, s.in_channels);
}

/* ---- All of them ------------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    uint32_t (*draw)(void);
} kernels[] = {
    {"gemm", draw_gemm},
    {"matmul", draw_matmul},
    {"gemm_update", draw_gemm_update},
    {"update", draw_update},
    {"add", draw_add},
    {"sub", draw_sub},
    {"mul", draw_mul},
    {"div", draw_div},
    {"conv", draw_conv},
    {"conv_transpose", draw_conv_transpose},
    {"conv_grad_w", draw_conv_grad_w},
    {"conv_update", draw_conv_update},
    {"pointwise_update", draw_pointwise_update},
    {"relu", draw_relu},
    {"relu_grad", draw_relu_grad},
    {"check_finite", draw_check_finite},
    {"reduce_sum", draw_reduce_sum},
    {"moments", draw_moments},
    {"normalize", draw_normalize},
    {"normalize_sums", draw_normalize_sums},
    {"normalize_grad", draw_normalize_grad},
};

const uint32_t drawn_kernel_count = sizeof kernels / sizeof kernels[0];

const char *drawn_kernel_name(uint32_t kernel)
{
    return kernels[kernel].name;
}

uint32_t draw_kernel(uint32_t kernel, uint32_t turns, uint32_t seed)
{
    uint32_t wrong = 0;
    random_state = seed;
    fill_bank();
    session.arena = (uint8_t *)arena;
    plain_session.arena = (uint8_t *)plain_arena;
    for (uint32_t i = 0; i < turns; i++) {
        fill();
        wrong += kernels[kernel].draw();
    }
    return wrong;
}
