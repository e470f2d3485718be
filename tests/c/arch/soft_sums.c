/*
 * Digests of sums of products and of steps of SGD, over values whose products and sums round, tie, cancel, overflow and
 * are subnormal, and over drawn ones. On a board without floats they come of arch/soft_float. With ORACLE they come of
 * this computer's own floats.
 */
#include "numerics.h"

#ifdef ORACLE
#include <inttypes.h>
#include <stdio.h>
#else
#include "../../../host_tools/gradmote/report/bench/board_print.h"
#include "arch/soft_float/soft_products.h"
#include "optimizers/steps.h"
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
#ifndef ORACLE
    print("done\n");
    for (;;) {
        board_sleep();
    }
#endif
}
