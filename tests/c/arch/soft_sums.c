/*
 * Digests of sums of products, of square roots, and of steps of optimizers, over values whose products and sums round,
 * tie, cancel, overflow and are subnormal, and over drawn ones. On a board without floats, arch/soft_float computes
 * them. With ORACLE, this computer's own floats do, and the plain kernels take steps with moments.
 */
#include "numerics.h"
#include "optimizers/steps.h"

#ifdef ORACLE
#include <inttypes.h>
#include <stdio.h>
#else
#include "../../../host_tools/gradmote/report/bench/board_print.h"
#include "arch/soft_float/soft_products.h"
#endif

enum { LONGEST = 12 };

static uint32_t random_state = 1, digest;

static uint32_t drawn(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

/* Adds the bits of a result to the digest; all NaN count as one. */
static void take(float x)
{
    uint32_t bits = gm_bits_of(x);
    digest = (digest ^ (bits << 1 > 0xff000000u ? 0x7fc00000u : bits)) * 16777619u;
    digest ^= digest >> 15;
}

/* start + the sum of a b */
static void take_sum(float start, const float *a, const float *b, uint32_t n)
{
#ifdef ORACLE
    volatile float sum = start;
    for (uint32_t i = 0; i < n; i++) {
        volatile float product = a[i] * b[i];
        sum = sum + product;
    }
    take(sum);
#else
    const soft_loop loops[3] = {{1, 0, 0}, {1, 0, 0}, {n, 1, 1}};
    take(gm_soft_sum_products(start, a, b, loops));
#endif
}

static void take_step(float p, float minus_lr, float scale, float g)
{
#ifdef ORACLE
    volatile float scaled = scale * g, product = minus_lr * scaled;
    take(p + product);
#else
    gm_sgd_step(&g, &p, 1, minus_lr, scale);
    take(p);
#endif
}

/* Exponents at the borders of all cases, and mantissas that tie, carry and cancel. */
static float edge(uint32_t i)
{
    static const uint8_t exponents[] = {0, 1, 24, 82, 83, 126, 127, 128, 146, 147, 226, 227, 254, 255};
    static const uint32_t mantissas[] = {0, 1, 0x400000, 0x555555, 0x7fffff};
    return gm_float_of((i & 1) << 31 | (uint32_t)exponents[i / 10] << 23 | mantissas[i / 2 % 5]);
}
enum { EDGES = 140 };

/* Mostly of ordinary size and near each other, with many bits of the mantissa zero in every other turn; now and then an
 * edge. */
static float number(uint32_t turn)
{
    uint32_t bits = drawn(), choice = drawn() % 16;
    if (choice == 0) {
        return edge(bits % EDGES);
    }
    uint32_t mantissa = bits & (turn % 2 ? 0x7fffffu : 0x7f0000u);
    uint32_t exponent = choice == 1 ? drawn() % 255 : 117 + drawn() % 20;
    return gm_float_of((bits & 0x80000000u) | exponent << 23 | mantissa);
}

static void edges(void)
{
    for (uint32_t i = 0; i < EDGES; i++) {
        for (uint32_t j = 0; j < EDGES; j += 1 + i % 3) {
            for (uint32_t k = j % 5; k < EDGES; k += 5) {
                float a = edge(i), b = edge(j);
                take_sum(edge(k), &a, &b, 1);
            }
        }
    }
}

static void cancelling(void)
{
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        float a = number(turn), b = number(turn), product = a * b;
        uint32_t distance = drawn() % 9 - 4;
        distance <<= drawn() % 24;
        take_sum(gm_float_of((gm_bits_of(product) ^ 0x80000000u) + distance), &a, &b, 1);
    }
}

static void long_sums(void)
{
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        float a[LONGEST], b[LONGEST];
        for (uint32_t i = 0; i < LONGEST; i++) {
            a[i] = number(turn), b[i] = number(turn / 2);
        }
        float start = turn % 3 ? number(turn) : GM_EMPTY_SUM;
        take_sum(start, a, b, 1 + drawn() % LONGEST);
    }
}

static void steps(void)
{
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        float p = number(turn), minus_lr = number(turn / 2), scale = turn % 4 ? number(turn) : 1.0f, g = number(turn);
        take_step(p, minus_lr, scale, g);
    }
}

/* Over the whole range of bit patterns. */
static void roots(void)
{
    for (uint32_t turn = 0; turn < 5 * TURNS; turn++) {
        take(gm_sqrt(gm_float_of(drawn())));
    }
    for (uint32_t i = 0; i < EDGES; i++) {
        take(gm_sqrt(edge(i)));
    }
}

/* One in five is a number of any size, the others have exponents from `lowest` on. */
static float spread(uint32_t lowest, uint32_t exponents)
{
    uint32_t bits = drawn(), choice = drawn() % 20;
    if (choice == 0) {
        return edge(bits % EDGES);
    }
    uint32_t exponent = choice < 4 ? drawn() % 256 : lowest + drawn() % exponents;
    return gm_float_of((bits & 0x80000000u) | exponent << 23 | (choice % 2 ? bits & 0x7fffffu : bits & 0x7f0000u));
}

/* The usual factor, or any positive one from 2^-45 to below 2^21. */
static float factor(float usual)
{
    uint32_t bits = drawn();
    return bits % 8 ? usual : gm_float_of((82 + bits / 8 % 66) << 23 | bits >> 9);
}

typedef struct parameter {
    float g, p, m, v;
} parameter;

/* Often without a gradient or a moment, and now and then with a gradient that cancels the moment. */
static parameter drawn_parameter(void)
{
    float g = spread(85, 45), p = spread(82, 50), m = spread(65, 65), v = spread(25, 105);
    uint32_t choice = drawn();
    g = choice % 8 == 0 ? 0.0f : g;
    m = choice / 8 % 8 == 0 ? 0.0f : choice / 8 % 8 == 1 ? gm_float_of(gm_bits_of(g) + choice % 5 - 2) : m;
    v = choice / 64 % 8 == 0 ? 0.0f : choice / 64 % 64 == 1 ? v : gm_abs(v);
    return (parameter){g, p, m, v};
}

static void take_parameter(const parameter *x)
{
    take(x->p);
    take(x->m);
    take(x->v);
}

static void momentum_steps(void)
{
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        parameter x = drawn_parameter();
        float scale = factor(1.0f), momentum = factor(0.9f), lr = factor(0.01f);
        const gm_momentum_factors f = {scale, momentum, -lr};
        gm_momentum_step(&f, &x.g, &x.p, &x.m, 1);
        take_parameter(&x);
    }
}

/* Draws the factors that both forms of Adam use. */
#define DRAW_MOMENT_FACTORS(f)                                      \
    (f).scale = factor(1.0f), (f).one_minus_beta1 = factor(0.1f);   \
    (f).beta2 = factor(0.99f), (f).one_minus_beta2 = factor(0.01f); \
    (f).eps = factor(1e-8f)

static void adam_steps(void)
{
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        parameter x = drawn_parameter();
        gm_adam_factors f;
        DRAW_MOMENT_FACTORS(f);
        f.correction = factor(3.0f);
        f.keep = turn % 2 ? 1.0f : factor(0.999f), f.step = -factor(0.003f);
        gm_adam_step(&f, &x.g, &x.p, &x.m, &x.v, 1);
        take_parameter(&x);
    }
}

static void adam_ort_steps(void)
{
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        parameter x = drawn_parameter();
        gm_adam_ort_factors f;
        DRAW_MOMENT_FACTORS(f);
        f.step = -factor(0.003f);
        f.decay = turn % 2 ? -0.0f : -factor(1e-5f);
        gm_adam_ort_step(&f, &x.g, &x.p, &x.m, &x.v, 1);
        take_parameter(&x);
    }
}

static void report(const char *name, void (*draw)(void))
{
    digest = 2166136261u;
    draw();
#ifdef ORACLE
    printf("%s %" PRIu32 "\n", name, digest);
#else
    print_number(name, digest);
#endif
}

int main(void)
{
#ifndef ORACLE
    board_init();
#endif
    report("edges", edges);
    report("cancelling", cancelling);
    report("long_sums", long_sums);
    report("steps", steps);
    report("roots", roots);
    report("momentum_steps", momentum_steps);
    report("adam_steps", adam_steps);
    report("adam_ort_steps", adam_ort_steps);
#ifndef ORACLE
    print("done\n");
    for (;;) {
        board_sleep();
    }
#endif
}
