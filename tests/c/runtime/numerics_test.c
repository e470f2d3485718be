/*
 * Compares the functions of numerics.h with double-precision libm over every 251st binary32 pattern, every N-th one
 * with the argument N, or over all of them with --all. Prints the largest error of each function in ulp and a checksum
 * of all outputs; exits with 1 if an error exceeds the bound in numerics.h.
 *
 *     cc -O2 -ffp-contract=off -fno-math-errno -Iruntime_c/include -Iruntime_c/src -DGM_FUSED=0 \
 *        tests/c/runtime/numerics_test.c runtime_c/src/numerics.c -lm -o numerics_test && ./numerics_test
 *
 * The checksum must be the same for every compiler and optimization level of one profile.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "numerics.h"

typedef struct test_case {
    const char *name;
    float (*computed)(float);
    double (*expected)(double);
    double max_ulp;
    float lowest;                /* of the domain */
} test_case;

static float computed_sqrt(float x)
{
    return gm_sqrt(x);
}

static double expected_sigmoid(double x)
{
    return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}

/* exp of a subnormal double would be slow and is 0 in binary32 anyway. */
static double expected_exp(double x)
{
    return x < -200 ? 0 : exp(x);
}

/* Of numbers up to 0, which have a bound of their own. */
static float computed_expm1_below(float x)
{
    return gm_expm1(-gm_abs(x));
}

static double expected_expm1_below(double x)
{
    return expm1(-fabs(x));
}

/* By divisors of many sizes, a subnormal one among them. */
static float computed_fmod(float x)
{
    return gm_fmod(x, 0.3f) + gm_fmod(x, 7.0f) + gm_fmod(3e38f, x) + gm_fmod(x, 0x1.23p-140f);
}

static double expected_fmod(double x)
{
    float sum = (float)fmod(x, (double)0.3f) + (float)fmod(x, 7.0) + (float)fmod((double)3e38f, x);
    return (double)(sum + (float)fmod(x, (double)0x1.23p-140f));
}

static const test_case cases[] = {
    {"exp", gm_exp, expected_exp, GM_EXP_MAX_ULP, -INFINITY},
    {"expm1, x <= 0", computed_expm1_below, expected_expm1_below, GM_EXPM1_MAX_ULP, -INFINITY},
    {"expm1, x >= 0", gm_expm1, expm1, GM_EXPM1_ABOVE_MAX_ULP, 0.0f},
    {"log", gm_log, log, GM_LOG_MAX_ULP, -INFINITY},
    {"log1p", gm_log1p, log1p, GM_LOG1P_MAX_ULP, 0.0f},
    {"tanh", gm_tanh, tanh, GM_TANH_MAX_ULP, -INFINITY},
    {"sigmoid", gm_sigmoid, expected_sigmoid, GM_SIGMOID_MAX_ULP, -INFINITY},
    {"erf", gm_erf, erf, GM_ERF_MAX_ULP, -INFINITY},
    {"sin", gm_sin, sin, GM_SIN_MAX_ULP, -INFINITY},
    {"cos", gm_cos, cos, GM_COS_MAX_ULP, -INFINITY},
    {"atan", gm_atan, atan, GM_ATAN_MAX_ULP, -INFINITY},
    {"round", gm_round, nearbyint, 0, -INFINITY},
    {"fmod", computed_fmod, expected_fmod, 0, -INFINITY},
    {"sqrt", computed_sqrt, sqrt, 0.5, -INFINITY},
};

/* The distance of two neighbouring binary32 numbers around x. */
static double ulp_of(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(1.0, exponent < -125 ? -149 : exponent - 24);
}

/* Error in ulp; infinite if one of the two is NaN or infinite and the other is not the same. */
static double error_of(float computed, double expected)
{
    if (isnan(computed) || isnan(expected)) {
        return isnan(computed) && isnan(expected) ? 0 : (double)INFINITY;
    }
    if (isinf(computed) || isinf((float)expected)) {
        return computed == (float)expected ? 0 : (double)INFINITY;
    }
    return fabs((double)computed - expected) / ulp_of(expected);
}

/* One checksum step; all NaNs count as one, since their payloads differ between instruction sets. */
static uint64_t checksum_add(uint64_t sum, float output)
{
    uint32_t bits = isnan(output) ? 0x7fc00000u : gm_bits_of(output);
    return (sum ^ bits) * UINT64_C(0x100000001b3);
}

static int run_case(const test_case *test, uint64_t step)
{
    double worst = 0;
    float worst_at = 0;
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (uint64_t pattern = 0; pattern <= UINT32_MAX; pattern += step) {
        float x = gm_float_of((uint32_t)pattern);
        if (x < test->lowest) {
            continue;
        }
        float y = test->computed(x);
        sum = checksum_add(sum, y);
        double error = error_of(y, test->expected((double)x));
        if (error > worst) {
            worst = error;
            worst_at = x;
        }
    }
    int passed = worst <= test->max_ulp;
    printf("%-8s max %.4f ulp at %a (bound %.2f) checksum %016llx %s\n", test->name, worst, (double)worst_at,
           test->max_ulp, (unsigned long long)sum, passed ? "ok" : "FAILED");
    return passed;
}

/* 0 if the argument is not a number. */
static uint64_t step_of(const char *argument)
{
    return strcmp(argument, "--all") == 0 ? 1 : strtoul(argument, NULL, 10);
}

int main(int argc, char **argv)
{
    uint64_t step = argc > 1 ? step_of(argv[1]) : 251;
    if (step == 0) {
        fprintf(stderr, "usage: %s [--all | N]\n", argv[0]);
        return 2;
    }
    int failed = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        failed |= !run_case(&cases[i], step);
    }
    return failed;
}
