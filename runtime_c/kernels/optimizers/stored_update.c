#include "stored_update.h"

#include "../../src/numerics.h"
#include "../arch/simd/s8.h"
#include "short_moments.h"

#if GM_WITH_STORED_UPDATES

/* The number of elements whose steps are computed before they are stored. */
#define STEPS_AT_ONCE 8u

/* The index of the first random word of moments; parameters use those before it, and are fewer. */
#define RANDOM_OF_MOMENTS 0x80000000u

/* No step is longer than this many units, whatever its limit says. */
#define LONGEST_STEP 0x1p30f

/* A build without a rule refuses images that need it, so no NULL here is ever called. */
#if GM_WITH_SGD
#define STEP_SGD gm_step_sgd
#else
#define STEP_SGD NULL
#endif
#if GM_WITH_MOMENTUM
#define STEP_MOMENTUM gm_step_momentum
#else
#define STEP_MOMENTUM NULL
#endif
#if GM_WITH_ADAM
#define STEP_ADAM gm_step_adam
#else
#define STEP_ADAM NULL
#endif
#if GM_WITH_ADAMW
#define STEP_ADAMW gm_step_adamw
#else
#define STEP_ADAMW NULL
#endif
#if GM_WITH_ADAMW_ORT
#define STEP_ADAMW_ORT gm_step_adamw_ort
#else
#define STEP_ADAMW_ORT NULL
#endif

static const gm_step_fn rule_steps[GM_RULE_COUNT] = {
    [GM_RULE_SGD] = STEP_SGD,     [GM_RULE_MOMENTUM] = STEP_MOMENTUM,   [GM_RULE_ADAM] = STEP_ADAM,
    [GM_RULE_ADAMW] = STEP_ADAMW, [GM_RULE_ADAMW_ORT] = STEP_ADAMW_ORT,
};

/* Returns floor((round(2^16 step) + r) / 2^16) for r below 2^16, so that its mean over r
 * is the step, to 2^-17. |step| <= 2^30; NaN gives 0. From 2^14 on, 2^16 step is an
 * integer of up to 46 bits. */
static int32_t rounded_at_random(float step, uint32_t r)
{
    if (gm_abs(step) < 0x1p14f) {
        return ((int32_t)gm_round(step * 0x1p16f) + (int32_t)r) >> 16;
    }
    if (step != step) {
        return 0;
    }
    int32_t whole = (int32_t)step;
    return whole + (((int32_t)((step - (float)whole) * 0x1p16f) + (int32_t)r) >> 16);
}

static float clamped_step(float x, float limit)
{
    float most = x > limit ? limit : x;
    return most < -limit ? -limit : most;
}

static void take_step(const gm_stored_update *u, float step, uint32_t at)
{
    float limit = u->limit >= 0.0f && u->limit < LONGEST_STEP ? u->limit : LONGEST_STEP;
    uint32_t word = gm_random_pair(u->random, at >> 1), r = at & 1u ? word >> 16 : word & 0xFFFFu;
    int64_t q = (int64_t)gm_stored_element(u, at) - rounded_at_random(clamped_step(step, limit), r);
    gm_store_element(u, at, q < u->low ? u->low : q > u->high ? u->high : (int32_t)q);
}

/* Stores q - step in each of n elements; a step is rate times step[i]. */
static void take_steps(const gm_stored_update *u, const float *step, float rate, uint32_t first, uint32_t n)
{
    uint32_t i = 0;
#if GM_ARCH_SIMD_S8
    i = gm_simd_take_steps(u, step, rate, first, n);
#endif
    while (i < n) {
#if GM_ARCH_STORED_STEPS
        i += gm_arm_take_steps(u, step + i, rate, first + i, n - i);
        if (i == n) {
            return;
        }
#endif
        take_step(u, step[i] * rate, first + i);
        i++;
    }
}

#if GM_WITH_SHORT_MOMENTS
/* Applies the rule to bfloat16 moments: it reads them as float32, and the results are
 * rounded at random. */
static void make_steps_of_short_moments(const gm_stored_update *u, gm_step_args *args, uint32_t first)
{
    float m[STEPS_AT_ONCE], v[STEPS_AT_ONCE];
    const gm_short_moments moments = {gm_moments_from(u->rule, u->slot1, first),
                                      gm_moments_from(u->rule, u->slot2, first), u->random, RANDOM_OF_MOMENTS + first};
    args->slot1 = m, args->slot2 = v;
    gm_read_short_moments(&moments, m, v, args->n);
    rule_steps[u->rule[0] & ~GM_MOMENTS_BF16](args);
    gm_keep_short_moments(&moments, m, v, args->n);
}
#endif

/* Turns gradients into steps, and updates the moments from element `first` on. */
static void make_steps(const gm_stored_update *u, gm_step_args *args, uint32_t first)
{
#if GM_WITH_SHORT_MOMENTS
    if (gm_has_short_moments(u->rule)) {
        make_steps_of_short_moments(u, args, first);
        return;
    }
#endif
    args->slot1 = gm_moments_from(u->rule, u->slot1, first);
    args->slot2 = gm_moments_from(u->rule, u->slot2, first);
    rule_steps[u->rule[0]](args);
}

/* Takes the steps of at most STEPS_AT_ONCE elements. */
static void update_some_stored(const gm_stored_update *u, const float *g, float factor, float unit, uint32_t first,
                               uint32_t n)
{
    float step[STEPS_AT_ONCE], real[STEPS_AT_ONCE];
    for (uint32_t i = 0; i < n; i++) {
        step[i] = factor * g[i];
        real[i] = (float)(int32_t)((uint32_t)gm_stored_element(u, first + i) - (uint32_t)u->zero) * unit;
    }
    gm_step_args args = {.rule = u->rule, .g = step, .p = real, .aux = u->aux, .lr = u->lr, .n = n};
    make_steps(u, &args, first);
    take_steps(u, step, 1.0f / unit, first, n);
}

void gm_update_stored(const gm_stored_update *u, const float *g, float factor, float unit, uint32_t first, uint32_t n)
{
    if (gm_is_plain_sgd(u->rule)) {
        take_steps(u, g, u->lr * factor / unit, first, n);
        return;
    }
    for (uint32_t i = 0; i < n; i += STEPS_AT_ONCE) {
        update_some_stored(u, g + i, factor, unit, first + i, n - i < STEPS_AT_ONCE ? n - i : STEPS_AT_ONCE);
    }
}

#endif
