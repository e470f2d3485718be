/* Counts the machine instructions of one kernel of int8 and int16 over shapes of real networks: a line for each, of the
 * ticks that it takes. Every operand of integers has random bytes. */
#include "board_print.h"
#include "gm_internal.h"
#include "gm_opcodes.h"

enum { SIZE = 0x60000 };

/* Places of operands; an image of one kernel has no others. */
enum {
    X = 0,
    W = 0x8000,
    DY = 0x18000,
    OUT = 0x20000,
    FLOATS = 0x38000,
    EXPONENTS = 0x3c000,
    GAIN = 0x3c020,
    RULE = 0x3c040,
    RATE = 0x3c060,
    COUNTER = 0x3c068,
    PANEL = 0x40000
};

static uint8_t arena[SIZE] __attribute__((aligned(16)));
static gm_session session = {.arena = arena, .constants = arena};

/* Gradients of weights: some of them move their weight. */
static void fill_gradients(void)
{
    for (uint32_t i = 0; i < (FLOATS - OUT) / 4; i++) {
        float gradient = 1e-4f * (float)((int32_t)(i % 101) - 50);
        __builtin_memcpy(arena + OUT + 4 * i, &gradient, 4);
    }
}

static void fill(void)
{
    uint32_t random = 1;
    for (uint32_t i = 0; i < SIZE; i++) {
        random = random * 1664525u + 1013904223u;
        arena[i] = (uint8_t)(random >> 24);
    }
    for (uint32_t i = 0; i < 1024; i++) {
        float multiplier = 1e-4f * (float)(i % 50 + 1);
        __builtin_memcpy(arena + FLOATS + 4 * i, &multiplier, 4);
    }
    const int32_t words[] = {-10, 2, -10, 2}, gain = 8200;
    __builtin_memcpy(arena + EXPONENTS, words, sizeof words);
    __builtin_memcpy(arena + GAIN, &gain, 4);
    const gm_rule_sgd sgd = {.kind = GM_RULE_SGD};
    const float rate = 0.01f;
    const uint32_t counter[] = {1, 2};
    __builtin_memcpy(arena + RULE, &sgd, sizeof sgd);
    __builtin_memcpy(arena + RATE, &rate, 4);
    __builtin_memcpy(arena + COUNTER, counter, sizeof counter);
    fill_gradients();
}

/* A convolution whose channels are last; pad: on every side. */
typedef struct layer {
    const char *name;
    uint32_t h, w, groups, in_channels, out_channels, kernel_h, kernel_w, stride, pad, panel_words;
} layer;

static const layer layers[] = {LAYERS};

#define PUT_LAYER(insn, s)                                                                          \
    do {                                                                                            \
        insn.batch = 1, insn.groups = s->groups, insn.in_channels = s->in_channels;                 \
        insn.out_channels = s->out_channels, insn.in_h = s->h, insn.in_w = s->w;                    \
        insn.kernel_h = s->kernel_h, insn.kernel_w = s->kernel_w;                                   \
        insn.stride_h = insn.stride_w = s->stride, insn.dilation_h = insn.dilation_w = 1;           \
        insn.pad_h = insn.pad_w = s->pad;                                                           \
        insn.out_h = (s->h + 2 * s->pad - s->kernel_h) / s->stride + 1;                             \
        insn.out_w = (s->w + 2 * s->pad - s->kernel_w) / s->stride + 1;                             \
        insn.x_channel = 1, insn.x_group = s->in_channels, insn.x_w = s->in_channels * s->groups;   \
        insn.x_h = s->w * insn.x_w, insn.x_batch = s->h * insn.x_h;                                 \
        insn.y_channel = 1, insn.y_group = s->out_channels, insn.y_w = s->out_channels * s->groups; \
        insn.y_h = insn.out_w * insn.y_w, insn.y_batch = insn.out_h * insn.y_h;                     \
        insn.panel = PANEL, insn.panel_words = s->panel_words;                                      \
    } while (0)
#define PUT_WEIGHTS(insn, s)                                                                             \
    do {                                                                                                 \
        insn.w = W, insn.w_w = 1, insn.w_h = s->kernel_w, insn.w_in_channel = s->kernel_h * s->kernel_w; \
        insn.w_out_channel = s->in_channels * insn.w_in_channel;                                         \
        insn.w_group = s->out_channels * insn.w_out_channel;                                             \
    } while (0)

static void run_forward(const layer *s)
{
    gm_insn_conv_s8 insn = {0};
    PUT_LAYER(insn, s);
    PUT_WEIGHTS(insn, s);
    insn.x = X, insn.y = OUT, insn.bias = FLOATS + 8192, insn.multipliers = FLOATS, insn.offsets = GM_NONE;
    insn.x_zero = -3, insn.y_zero = -128, insn.low = -128, insn.high = 127;
    gm_kernel_conv_s8(&session, &insn);
}

static void run_gradient_of_inputs(const layer *s)
{
    gm_insn_conv_grad_x_s16 insn = {0};
    PUT_LAYER(insn, s);
    PUT_WEIGHTS(insn, s);
    insn.dy = DY, insn.dx = OUT, insn.q = X, insn.scale = FLOATS;
    insn.mask = insn.addend = insn.addend_exponent = GM_NONE;
    insn.dy_exponent = EXPONENTS, insn.exponent = EXPONENTS + 8, insn.gain = GAIN;
    insn.low = -128, insn.high = 127, insn.limit = 8191;
    gm_kernel_conv_grad_x_s16(&session, &insn);
}

static void run_gradient_of_weights(const layer *s)
{
    gm_insn_conv_grad_w_s16 insn = {0};
    PUT_LAYER(insn, s);
    insn.x = X, insn.dy = DY, insn.dy_exponent = EXPONENTS, insn.factor = FLOATS, insn.y = OUT, insn.x_zero = -3;
    gm_kernel_conv_grad_w_s16(&session, &insn);
}

/* SGD, whose steps are at most one unit of an int8 weight. Of masters of 16 bits, the unit is 256 times as fine. */
#define PUT_UPDATE(insn, bytes)                                                                    \
    do {                                                                                           \
        insn.p = W, insn.rule = RULE, insn.lr = RATE, insn.units = FLOATS, insn.counter = COUNTER; \
        insn.slot1 = insn.slot2 = insn.aux = GM_NONE;                                              \
        insn.limit = bytes == 2 ? 256.0f : 1.0f, insn.zero = bytes == 2 ? 128 : 0;                 \
        insn.low = bytes == 2 ? -127 * 256 : -127, insn.high = bytes == 2 ? 127 * 256 + 255 : 127; \
    } while (0)

static void run_update(const layer *s)
{
    gm_insn_update_s8 insn = {0};
    PUT_UPDATE(insn, ELEMENT);
    insn.g = OUT, insn.scale = GM_NONE;
    insn.outer = 1, insn.channels = s->groups * s->out_channels,
    insn.inner = s->in_channels * s->kernel_h * s->kernel_w;
    (ELEMENT == 2 ? gm_kernel_update_s16 : gm_kernel_update_s8)(&session, &insn);
}

static void run_conv_update(const layer *s)
{
    gm_insn_conv_update_s16 insn = {0};
    PUT_LAYER(insn, s);
    PUT_UPDATE(insn, ELEMENT);
    insn.x = X, insn.dy = DY, insn.dy_exponent = EXPONENTS, insn.factor = FLOATS, insn.row = OUT, insn.x_zero = -3;
    insn.p_bytes = ELEMENT;
    gm_kernel_conv_update_s16(&session, &insn);
}

static void count(const layer *s, void (*run)(const layer *))
{
    fill();
    run(s); /* as every step but the first, which learns how large gradients are */
    uint32_t start = board_ticks(), nothing = board_ticks() - start;
    start = board_ticks();
    run(s);
    uint32_t ticks = board_ticks() - start - nothing;
    print_number(s->name, ticks);
}

int main(void)
{
    board_init();
    for (uint32_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        count(&layers[i], RUN);
    }
    print("done\n");
    for (;;) {
        board_sleep();
    }
}
