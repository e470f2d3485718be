/*
 * Updates of parameters stored as integers q, which represent (q - zero) unit.
 *
 * A rule computes the real step of an element from its gradient, its real value and its moments.
 * One function converts that step to units, rounds it at random and stores it, so a rule does not
 * depend on how parameters are stored. No operation is a MAC: both profiles give the same bits.
 *
 * Moments are float32, or bfloat16 if the rule's kind says so: then a rule reads them as float32,
 * and they are rounded at random as well.
 */
#ifndef GM_STORED_UPDATE_H
#define GM_STORED_UPDATE_H

#include "../../generated/instructions/conv_update_s16.h"
#include "../../generated/instructions/conv_update_s8.h"
#include "../../generated/instructions/update_s16.h"
#include "../../generated/instructions/update_s32.h"
#include "../../generated/instructions/update_s8.h"
#include "../../src/gm_internal.h"
#include "../../src/numerics.h"
#include "../../src/random.h"
#include "../arch/arch.h"
#include "steps.h"

#define GM_WITH_STORED_UPDATES \
    (GM_WITH_UPDATE_S8 || GM_WITH_UPDATE_S16 || GM_WITH_UPDATE_S32 || GM_WITH_CONV_UPDATE_S8 || GM_WITH_CONV_UPDATE_S16)

/* The steps of a few elements. */
typedef struct gm_step_args {
    const void *rule;            /* the gm_rule_<name> record */
    float *g;                    /* gradients, which become steps: p - step is the new parameter */
    const float *p;              /* the parameters' real values */
    float *slot1, *slot2;        /* moments, if the rule has them */
    const float *aux;            /* two bias corrections 1 - beta^t, if the rule reads them */
    float lr;
    uint32_t n;
} gm_step_args;

/* Returns g + weight_decay p of element i, or g itself without decay. */
static inline float gm_decayed(const gm_step_args *args, float weight_decay, uint32_t i)
{
    return weight_decay != 0.0f ? args->g[i] + weight_decay * args->p[i] : args->g[i];
}

typedef struct gm_moment_factors {
    float one_minus_beta1, beta2, one_minus_beta2;
} gm_moment_factors;

/* Updates both moments of element i, and returns the second: those of moments.h without MAC. */
static inline float gm_moments_of_stored(const gm_step_args *args, const gm_moment_factors *f, float g, uint32_t i)
{
    float second = f->beta2 * args->slot2[i] + (f->one_minus_beta2 * g) * g;
    args->slot1[i] = args->slot1[i] + f->one_minus_beta1 * (g - args->slot1[i]);
    args->slot2[i] = second;
    return second;
}

typedef void (*gm_step_fn)(const gm_step_args *args);

void gm_step_sgd(const gm_step_args *args);
void gm_step_momentum(const gm_step_args *args);
void gm_step_adam(const gm_step_args *args);
void gm_step_adamw(const gm_step_args *args);
void gm_step_adamw_ort(const gm_step_args *args);

/* One parameter and its rule. */
typedef struct gm_stored_update {
    uint8_t *p;
    uint32_t bytes;              /* of one element: 1, 2 or 4 */
    uint8_t *slot1, *slot2;      /* moments, or NULL */
    const float *aux;
    const uint32_t *rule;
    float lr, limit;             /* limit: the largest step, in units */
    int32_t zero, low, high;
    gm_random random;
} gm_stored_update;

/* Returns element i. 2-byte elements may be unaligned. */
static inline int32_t gm_stored_element(const gm_stored_update *u, uint32_t i)
{
    const uint8_t *at = u->p + i * u->bytes;
    if (u->bytes == 4) {
        return *(const int32_t *)(const void *)at;
    }
    return u->bytes == 2 ? (int16_t)(uint16_t)(at[0] | at[1] << 8) : (int8_t)at[0];
}

static inline void gm_store_element(const gm_stored_update *u, uint32_t i, int32_t q)
{
    uint8_t *at = u->p + i * u->bytes;
    if (u->bytes == 4) {
        *(int32_t *)(void *)at = q;
        return;
    }
    at[0] = (uint8_t)q;
    if (u->bytes == 2) {
        at[1] = (uint8_t)((uint32_t)q >> 8);
    }
}

/* The update of any instruction that has these operands and parameters. */
#define GM_STORED_UPDATE(session, insn, element_bytes)                                                       \
    {                                                                                                        \
        .p = gm_u8_out((session), (insn)->p),                                                                \
        .bytes = (element_bytes),                                                                            \
        .slot1 = gm_u8_out_optional((session), (insn)->slot1),                                               \
        .slot2 = gm_u8_out_optional((session), (insn)->slot2),                                               \
        .aux = gm_f32_optional((session), (insn)->aux),                                                      \
        .rule = gm_u32((session), (insn)->rule),                                                             \
        .lr = gm_f32((session), (insn)->lr)[0],                                                              \
        .limit = (insn)->limit,                                                                              \
        .zero = (insn)->zero,                                                                                \
        .low = (insn)->low,                                                                                  \
        .high = (insn)->high,                                                                                \
        .random = gm_random_of(gm_u32((session), (insn)->counter)[0], gm_u32((session), (insn)->counter)[1], \
                               (insn)->stream),                                                              \
    }

/* Updates the n elements from index `first` on; their gradients are factor g[0..n-1]. */
void gm_update_stored(const gm_stored_update *u, const float *g, float factor, float unit, uint32_t first, uint32_t n);

#if GM_WITH_STORED_UPDATES && GM_ARCH_PAIRS
#define GM_ARCH_STORED_STEPS 1

/* Stores q - step in some elements from index `first` on; a step is rate times step[i]. Returns how
 * many; the caller does the rest. */
uint32_t gm_arm_take_steps(const gm_stored_update *u, const float *step, float rate, uint32_t first, uint32_t n);

#else
#define GM_ARCH_STORED_STEPS 0
#endif

#endif
