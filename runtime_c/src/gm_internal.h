/* Helpers that kernels share: access to operands, checks, and update rules. They are not part of
 * the public API. */
#ifndef GM_INTERNAL_H
#define GM_INTERNAL_H

#include "gradmote.h"
#include "compiler.h"
#include "../generated/gm_rules.h"

/* ---- Operands -------------------------------------------------------------------------------- */

/* gm_open() has verified that every byte an instruction can touch is inside the arena or the
 * constants, so these functions check nothing. `operand` is the operand's word in the
 * instruction. */

/* Returns the address of an operand: in the constants if GM_CONSTANT_BIT is set, else in the
 * arena. */
static inline const void *gm_operand(const gm_session *session, uint32_t operand)
{
    return operand & GM_CONSTANT_BIT ? session->constants + (operand & ~GM_CONSTANT_BIT) : session->arena + operand;
}

static inline const float *gm_f32(const gm_session *session, uint32_t operand)
{
    return (const float *)gm_operand(session, operand);
}

static inline const int32_t *gm_i32(const gm_session *session, uint32_t operand)
{
    return (const int32_t *)gm_operand(session, operand);
}

static inline const uint32_t *gm_u32(const gm_session *session, uint32_t operand)
{
    return (const uint32_t *)gm_operand(session, operand);
}

static inline const uint8_t *gm_u8(const gm_session *session, uint32_t operand)
{
    return (const uint8_t *)gm_operand(session, operand);
}

static inline const int8_t *gm_i8(const gm_session *session, uint32_t operand)
{
    return (const int8_t *)gm_operand(session, operand);
}

static inline const int16_t *gm_i16(const gm_session *session, uint32_t operand)
{
    return (const int16_t *)gm_operand(session, operand);
}

/* Returns NULL if the operand is absent. */
static inline const float *gm_f32_optional(const gm_session *session, uint32_t operand)
{
    return operand == GM_NONE ? NULL : gm_f32(session, operand);
}

/* `length` indices of an axis, beginning at `start`. */
typedef struct gm_part {
    uint32_t start, length;
} gm_part;

/* Returns the range of an axis's n indices that this part of the instruction computes: all of them
 * if it is not split. Axes: the `ranges` of the opcode in opcodes.toml. */
static inline gm_part gm_part_of(const gm_session *session, uint32_t n)
{
    gm_part range = {0, n};
#if GM_THREADS
    if (session->range_length > 0) {
        range = (gm_part){session->range_start, session->range_length};
    }
#else
    (void)session;
#endif
    return range;
}

/* Whether each gradient is the sum of one instruction of TRAIN. */
typedef enum gm_sums_kind { GM_SUMS_UNKNOWN, GM_SUMS_SINGLE, GM_SUMS_OTHER } gm_sums_kind;

/* Returns whether the sums at `operand` start from zero, whatever the memory holds. */
static inline int gm_is_fresh_sum(const gm_session *session, uint32_t operand)
{
#if GM_FRESH_SUMS
    return session->fresh && operand - session->header->gradients_offset < session->header->gradients_size;
#else
    (void)session;
    (void)operand;
    return 0;
#endif
}

/* Kernels write only to the arena. */
static inline float *gm_f32_out(const gm_session *session, uint32_t operand)
{
    return (float *)(void *)(session->arena + operand);
}

static inline int32_t *gm_i32_out(const gm_session *session, uint32_t operand)
{
    return (int32_t *)(void *)(session->arena + operand);
}

static inline uint8_t *gm_u8_out(const gm_session *session, uint32_t operand)
{
    return session->arena + operand;
}

static inline int8_t *gm_i8_out(const gm_session *session, uint32_t operand)
{
    return (int8_t *)(session->arena + operand);
}

static inline int16_t *gm_i16_out(const gm_session *session, uint32_t operand)
{
    return (int16_t *)(void *)(session->arena + operand);
}

static inline float *gm_f32_out_optional(const gm_session *session, uint32_t operand)
{
    return operand == GM_NONE ? NULL : gm_f32_out(session, operand);
}

static inline uint8_t *gm_u8_out_optional(const gm_session *session, uint32_t operand)
{
    return operand == GM_NONE ? NULL : gm_u8_out(session, operand);
}

/* ---- Checks ---------------------------------------------------------------------------------- */

/* Returns 1 if any |x[i]| is NaN or at least `limit`, else 0. limit: 0 or more. */
int gm_any_beyond(const float *x, uint32_t n, float limit);

/* ---- Update rules ---------------------------------------------------------------------------- */

/* One application of an update rule to n contiguous elements. The gradient of element i is
 * scale * g[i]. */
typedef struct gm_rule_args {
    const void *rule;            /* the gm_rule_<name> record */
    const float *g;
    float *p;                    /* parameters, updated in place */
    void *slot1;                 /* first moment, or unused */
    void *slot2;                 /* second moment, or unused */
    const float *aux;            /* two bias corrections 1 - beta^t, if the rule reads them */
    float lr;
    float scale;
    uint32_t n;
#if GM_WITH_SHORT_MOMENTS
    const gm_session *session;   /* its counters seed the rounding of bfloat16 moments */
#endif
} gm_rule_args;

typedef void (*gm_rule_fn)(const gm_rule_args *args);

static inline void gm_rule_set_session(gm_rule_args *args, const gm_session *session)
{
#if GM_WITH_SHORT_MOMENTS
    args->session = session;
#else
    (void)args, (void)session;
#endif
}

/* Returns whether the rule's moments are bfloat16. */
static inline int gm_has_short_moments(const void *rule)
{
    return GM_WITH_SHORT_MOMENTS && (*(const uint32_t *)rule & GM_MOMENTS_BF16) != 0;
}

/* Returns the address of moment number `first` of those at `slot`, or NULL if slot is NULL. */
static inline void *gm_moments_from(const void *rule, void *slot, size_t first)
{
    return slot ? (uint8_t *)slot + first * (gm_has_short_moments(rule) ? 2 : sizeof(float)) : NULL;
}

/* Advances parameters and moments by `elements`. */
static inline void gm_rule_move_on(gm_rule_args *args, size_t elements)
{
    args->p += elements;
    args->slot1 = gm_moments_from(args->rule, args->slot1, elements);
    args->slot2 = gm_moments_from(args->rule, args->slot2, elements);
}

static inline void gm_rule_advance(gm_rule_args *args)
{
    gm_rule_move_on(args, args->n);
}

/* The update rules by gm_rule_kind, with NULL for rules that this build leaves out. */
extern const gm_rule_fn gm_rules[GM_RULE_COUNT];

#if GM_WITH_SHORT_MOMENTS
/* Applies any rule with bfloat16 moments. */
void gm_update_short_moments(const gm_rule_args *args);

/* Returns the function that applies a rule with moments of its type. */
static inline gm_rule_fn gm_rule_of(const void *rule)
{
    return gm_has_short_moments(rule) ? gm_update_short_moments : gm_rules[*(const uint32_t *)rule];
}
#else
#define gm_rule_of(rule) gm_rules[*(const uint32_t *)(rule)]
#endif

void gm_rule_apply_sgd(const gm_rule_args *args);
void gm_rule_apply_momentum(const gm_rule_args *args);
void gm_rule_apply_adam(const gm_rule_args *args);
void gm_rule_apply_adamw(const gm_rule_args *args);
void gm_rule_apply_adamw_ort(const gm_rule_args *args);

#endif
