/*
 * What this processor can do at most: multiply-accumulates a second, in registers, in vectors of VECTOR_BYTES; and bytes a
 * second that go between it and main memory. Prints both.
 */
#define _POSIX_C_SOURCE 199309L

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LANES (VECTOR_BYTES / sizeof(float))
#define CHAINS 12       /* sums that do not wait for each other: more than a unit's latency, fewer than registers */
#define TURNS 2000000l
#define FLOATS (1l << 24) /* of each array: more than caches hold */
#define REPEATS 9

typedef float vector __attribute__((vector_size(VECTOR_BYTES)));

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Compiled with -ffp-contract=fast: each turn is CHAINS fused multiply-adds. Values stay near 1. */
static double seconds_of_products(volatile float *start, volatile float *result)
{
    vector sums[CHAINS], factor, addend;
    for (unsigned lane = 0; lane < LANES; ++lane) {
        factor[lane] = *start * 0.999f;
        addend[lane] = *start * 0.001f;
    }
    for (int chain = 0; chain < CHAINS; ++chain) {
        sums[chain] = factor;
    }
    double begun = now();
    for (long turn = 0; turn < TURNS; ++turn) {
#pragma GCC unroll 12
        for (int chain = 0; chain < CHAINS; ++chain) {
            sums[chain] = sums[chain] * factor + addend;
        }
    }
    double taken = now() - begun;
    for (int chain = 0; chain < CHAINS; ++chain) {
        *result += sums[chain][0];
    }
    return taken;
}

/* Two arrays are read, one is written. */
static double seconds_of_triad(float *a, const float *b, const float *c)
{
    double begun = now();
    for (long i = 0; i < FLOATS; ++i) {
        a[i] = b[i] + 3.0f * c[i];
    }
    return now() - begun;
}

int main(void)
{
    float *memory = malloc(3 * FLOATS * sizeof *memory);
    volatile float one = 1.0f, result = 0.0f;
    double products = 1e9, triad = 1e9;
    if (memory == NULL) {
        return 1;
    }
    for (long i = 0; i < 3 * FLOATS; ++i) {
        memory[i] = (float)i;
    }
    for (int repeat = 0; repeat < REPEATS; ++repeat) {
        double taken = seconds_of_products(&one, &result);
        products = taken < products ? taken : products;
        taken = seconds_of_triad(memory, memory + FLOATS, memory + 2 * FLOATS);
        triad = taken < triad ? taken : triad;
    }
    result += memory[FLOATS / 2];
    printf("%.6g %.6g\n", (double)TURNS * CHAINS * LANES / products, 3.0 * FLOATS * sizeof *memory / triad);
    return 0;
}
