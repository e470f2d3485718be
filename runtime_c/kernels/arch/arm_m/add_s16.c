/*
 * ADD_S16 on Cortex-M without FPU: sums of 16-bit values in units of the smaller exponent are
 * integers below 2^24, which float arithmetic adds exactly. So integer code finds the largest sum
 * among those that share a scale, and one integer product turns each sum into a result.
 */
#include "../../../generated/instructions/add_s16.h"
#include "../../add_s16.h"

#include "blocks/scaled.h"

#if GM_ARCH_ADD_S16

/* The largest difference between the two exponents. */
#define MOST_APART 8

/* A gm_multiplier is below 1/4. Multiplying each sum by SPREAD, and dividing the multiplier by it,
 * raises that limit to 16, so that scales may be larger than 1. */
#define SPREAD_BITS 6
#define SPREAD (1 << SPREAD_BITS)

/* An axis, and the strides of all operands along it. */
typedef struct sum_axis {
    uint32_t size, a, b, scale, y;
} sum_axis;

/* t = a a_factor + b b_factor represents t 2^exponent. */
typedef struct integer_sums {
    const gm_sum_s16 *x;
    const int16_t *b; /* any pointer if b_factor is 0 */
    int32_t a_factor, b_factor, exponent; /* factors: 0 if the exponents are too far apart */
    sum_axis outer[3], run; /* the sums of a run share a scale */
} integer_sums;

/* The offsets of a run in each operand. */
typedef struct run_of_sums {
    uint32_t a, b, scale, y;
} run_of_sums;

static void swap_axes(sum_axis *a, sum_axis *b)
{
    sum_axis other = *a;
    *a = *b, *b = other;
}

/* If scales vary along the last axis, makes the longest axis with a constant scale the run. */
static void choose_run(integer_sums *s)
{
    if (s->x->scale == NULL || s->run.scale == 0) {
        return;
    }
    sum_axis *longest = &s->outer[0];
    for (uint32_t i = 1; i < 3; i++) {
        int is_better = s->outer[i].scale == 0 && (longest->scale != 0 || s->outer[i].size > longest->size);
        longest = is_better ? &s->outer[i] : longest;
    }
    if (longest->scale == 0) {
        swap_axes(longest, &s->run);
    }
}

static int32_t exponent_of_unit(float unit)
{
    return (int32_t)(gm_bits_of(unit) >> 23) - 127;
}

static integer_sums integer_sums_of(const gm_insn_add_s16 *insn, const gm_sum_s16 *x)
{
    int32_t a = exponent_of_unit(x->a_unit), b = x->b ? exponent_of_unit(x->b_unit) : a, least = a < b ? a : b;
    uint32_t y2 = insn->d3, y1 = insn->d2 * y2;
    integer_sums s = {
        .x = x, .b = x->b ? x->b : x->a, .exponent = least,
        .a_factor = a - least <= MOST_APART ? 1 << (a - least) : 0,
        .b_factor = x->b && b - least <= MOST_APART ? 1 << (b - least) : 0,
        .outer = {{insn->d0, insn->a0, insn->b0, insn->s0, insn->d1 * y1}, {insn->d1, insn->a1, insn->b1, insn->s1, y1},
                  {insn->d2, insn->a2, insn->b2, insn->s2, y2}},
        .run = {insn->d3, insn->a3, insn->b3, insn->s3, 1},
    };
    choose_run(&s);
    return s;
}

static inline int32_t sum_at(const integer_sums *s, uint32_t a, uint32_t b)
{
    return s->x->a[a] * s->a_factor + s->b[b] * s->b_factor;
}

/* One sum, in float arithmetic. */
static void make_sum_by_floats(const integer_sums *s, gm_gradient_s16 *made, int16_t *y, const run_of_sums *at)
{
    gm_make(made, y, at->y, gm_sum_s16_at(s->x, at->a, at->b, at->scale, at->y));
}

/* All sums of a run. */
static void make_run_by_floats(const integer_sums *s, gm_gradient_s16 *made, int16_t *y, run_of_sums at)
{
    for (uint32_t i = 0; i < s->run.size; i++) {
        make_sum_by_floats(s, made, y, &at);
        at.a += s->run.a, at.b += s->run.b, at.y += s->run.y;
    }
}

/* Takes the largest sum of the run into account: rounding preserves order. */
static void see_run(const integer_sums *s, gm_gradient_s16 *made, run_of_sums at)
{
    int32_t largest = 0;
    for (uint32_t i = s->run.size; i > 0; i--) {
        if (gm_passes(&s->x->mask, at.y)) {
            int32_t sum = sum_at(s, at.a, at.b), size = sum < 0 ? -sum : sum;
            largest = size > largest ? size : largest;
        }
        at.a += s->run.a, at.b += s->run.b, at.y += s->run.y;
    }
    float value = (float)largest * gm_power_of_two(s->exponent);
    gm_see(made, s->x->scale ? value * s->x->scale[at.scale] : value);
}

/* Returns 2^exponent sum, rounded to nearest even; for results beyond 2^15, which exceeds any
 * limit, anything that is as large. */
static inline int32_t shifted_sum(int32_t sum, int32_t exponent)
{
    if (exponent >= 0) {
        return gm_bounded(sum, -(1 << 15), 1 << 15) * (1 << (exponent < 15 ? exponent : 15));
    }
    return exponent < -24 ? 0 : (sum + (1 << (-exponent - 1)) - 1 + (sum >> -exponent & 1)) >> -exponent;
}

/* Sums without a scale. exponent: 2^exponent converts a sum to units of the result. */
static void make_unscaled_run(const integer_sums *s, int32_t limit, int32_t exponent, int16_t *y, run_of_sums at)
{
    for (uint32_t i = s->run.size; i > 0; i--) {
        int passes = gm_passes(&s->x->mask, at.y);
        y[at.y] = (int16_t)(passes ? gm_bounded(shifted_sum(sum_at(s, at.a, at.b), exponent), -limit, limit) : 0);
        at.a += s->run.a, at.b += s->run.b, at.y += s->run.y;
    }
}

/* Sums with the scale SPREAD m, which includes the conversion to units of the result. */
static void make_scaled_run(const integer_sums *s, const gm_multiplier *m, gm_gradient_s16 *made, int16_t *y, run_of_sums at)
{
    int32_t limit = (int32_t)made->limit;
    uint32_t doubt = gm_doubt_below((uint32_t)limit + 1);
    for (uint32_t i = s->run.size; i > 0; i--) {
        if (gm_passes(&s->x->mask, at.y)) {
            const gm_scaled scaled = gm_scale(sum_at(s, at.a, at.b) * SPREAD, m);
            if (gm_is_certain(&scaled, doubt)) {
                y[at.y] = (int16_t)gm_bounded(scaled.nearest, -limit, limit);
            } else {
                make_sum_by_floats(s, made, y, &at);
            }
        } else {
            y[at.y] = 0;
        }
        at.a += s->run.a, at.b += s->run.b, at.y += s->run.y;
    }
}

static void add_run(const integer_sums *s, gm_gradient_s16 *made, int16_t *y, run_of_sums at)
{
    const float *scale = s->x->scale ? s->x->scale + at.scale : NULL;
    int32_t exponent = s->exponent + exponent_of_unit(made->inverse);
    if (scale != NULL && (gm_bits_of(*scale) & 0x7f800000u) == 0x7f800000u) {
        make_run_by_floats(s, made, y, at);
    } else if (y == NULL) {
        see_run(s, made, at);
    } else if (scale == NULL) {
        make_unscaled_run(s, (int32_t)made->limit, exponent, y, at);
    } else {
        const gm_multiplier m = gm_multiplier_of(*scale, exponent - SPREAD_BITS);
        if (m.shift > 0) {
            make_scaled_run(s, &m, made, y, at);
        } else {
            make_run_by_floats(s, made, y, at);
        }
    }
}

int gm_arm_add_s16(const gm_insn_add_s16 *insn, const gm_sum_s16 *x, gm_gradient_s16 *made, int16_t *y)
{
    const integer_sums s = integer_sums_of(insn, x);
    const sum_axis *axis = s.outer;
    if ((x->scale != NULL && s.run.scale != 0) || s.a_factor == 0 || (x->b != NULL && s.b_factor == 0)) {
        return 0;
    }
    for (uint32_t i = 0; i < axis[0].size; i++) {
        for (uint32_t j = 0; j < axis[1].size; j++) {
            for (uint32_t k = 0; k < axis[2].size; k++) {
                const run_of_sums at = {i * axis[0].a + j * axis[1].a + k * axis[2].a,
                                    i * axis[0].b + j * axis[1].b + k * axis[2].b,
                                    i * axis[0].scale + j * axis[1].scale + k * axis[2].scale,
                                    i * axis[0].y + j * axis[1].y + k * axis[2].y};
                add_run(&s, made, y, at);
            }
        }
    }
    return 1;
}

#endif
