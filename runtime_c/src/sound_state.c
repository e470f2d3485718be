/*
 * A sound state is one from which training may continue (docs/NUMERICS.md, "Finite state"). An
 * update of a sound state leaves a sound state, so a state is checked only once, when it comes from
 * elsewhere.
 */
#include "sound_state.h"

#include "gm_internal.h"
#include "image.h"
#include "numerics.h"
#include "../generated/gm_opcodes.h"

#if GM_TRAINING

#define PARAMETER_LIMIT 0x1p60f
#define VELOCITY_LIMIT 0x1p69f
#define FIRST_MOMENT_LIMIT 0x1p64f
#define SECOND_MOMENT_MOST 0x1p127f

/* (m / 2^10)^2 is at most v plus this, because small squares underflow in v. */
#define UNDERFLOW_OF_SQUARES 0x1p-120f

/* The state that an UPDATE instruction reads and writes, and its rule. */
typedef struct update {
    uint32_t n;
    const uint32_t *operands;    /* words of p, slot1, slot2 and aux */
    uint32_t rule;
} update;

/* Fills `out` if the instruction is an update, and returns whether it is. */
static int read_update(const uint32_t *instruction, update *out)
{
    const void *start = instruction;
    const gm_insn_update *plain = start;
    const gm_insn_gemm_update *gemm = start;
    const gm_insn_conv_update *conv = start;
#if GM_WITH_INT8
    const gm_insn_conv_update_s8 *conv_s8 = start;
    const gm_insn_update_s8 *stored = start;
    const gm_insn_conv_update_s16 *conv_s16 = start;
#endif
    switch (*instruction & 0xFFFF) {
    case GM_OP_UPDATE: *out = (update){plain->n, &plain->p, plain->rule}; return 1;
    case GM_OP_GEMM_UPDATE: *out = (update){gemm->m * gemm->n, &gemm->p, gemm->rule}; return 1;
    case GM_OP_CONV_UPDATE:
        *out = (update){conv->groups * conv->out_channels * conv->in_channels * conv->kernel_h * conv->kernel_w,
                        &conv->p, conv->rule};
        return 1;
#if GM_WITH_INT8
    case GM_OP_UPDATE_S8:
    case GM_OP_UPDATE_S16:
    case GM_OP_UPDATE_S32:
        *out = (update){stored->outer * stored->channels * stored->inner, &stored->p, stored->rule};
        return 1;
    case GM_OP_CONV_UPDATE_S8:
        *out = (update){conv_s8->groups * conv_s8->out_channels * conv_s8->in_channels * conv_s8->kernel_h *
                            conv_s8->kernel_w,
                        &conv_s8->p, conv_s8->rule};
        return 1;
    case GM_OP_CONV_UPDATE_S16:
        *out = (update){conv_s16->groups * conv_s16->out_channels * conv_s16->in_channels * conv_s16->kernel_h *
                            conv_s16->kernel_w,
                        &conv_s16->p, conv_s16->rule};
        return 1;
#endif
    default: return 0;
    }
}

/* Returns whether m and v can be Adam's moments. Both are means over the same gradients, so |m| is
 * at most about 2^10 sqrt(v). */
static int are_moments(const float *m, const float *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        float part = m[i] * 0x1p-10f;
        if (!(v[i] >= 0.0f && v[i] <= SECOND_MOMENT_MOST && part * part <= v[i] + UNDERFLOW_OF_SQUARES)) {
            return 0;
        }
    }
    return !gm_any_beyond(m, n, FIRST_MOMENT_LIMIT);
}

#if GM_WITH_SHORT_MOMENTS
/* Returns moment i of bfloat16 moments. */
static float short_moment(const float *moments, uint32_t i)
{
    return gm_float_of((uint32_t)((const uint16_t *)(const void *)moments)[i] << 16);
}

/* Returns whether bfloat16 moments are sound. v: NULL if there are none. */
static int are_short_moments(const float *m, const float *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        float first = short_moment(m, i), second = v != NULL ? short_moment(v, i) : 0.0f;
        if (v != NULL ? !are_moments(&first, &second, 1) : gm_any_beyond(&first, 1, VELOCITY_LIMIT)) {
            return 0;
        }
    }
    return 1;
}
#endif

static int is_sound_update(const gm_session *session, const update *u)
{
    const float *slot1 = gm_f32_out_optional(session, u->operands[1]);
    const float *slot2 = gm_f32_out_optional(session, u->operands[2]);
    const float *aux = gm_f32_optional(session, u->operands[3]);
    if (aux != NULL && !(aux[0] >= 0.0f && aux[0] <= 1.0f && aux[1] >= 0.0f && aux[1] <= 1.0f)) {
        return 0;
    }
    if (slot1 == NULL) {
        return slot2 == NULL;
    }
#if GM_WITH_SHORT_MOMENTS
    if (gm_has_short_moments(gm_u32(session, u->rule))) {
        return are_short_moments(slot1, slot2, u->n);
    }
#endif
    return slot2 != NULL ? are_moments(slot1, slot2, u->n) : !gm_any_beyond(slot1, u->n, VELOCITY_LIMIT);
}

/* Returns the limit of an entry's numbers, or 0 if it has none. Integers have none: their updates
 * saturate. */
static float limit_of(const gm_state_entry *entry)
{
    if (GM_WITH_INT8 && entry->dtype != GM_DTYPE_F32) {
        return 0.0f;
    }
    return entry->role == GM_STATE_ROLE_PARAMETER   ? PARAMETER_LIMIT
           : entry->role == GM_STATE_ROLE_STATISTIC ? GM_INFINITY
                                                    : 0.0f;
}

/* Returns whether parameters are small and running statistics finite. */
static int are_sound_entries(const gm_session *session)
{
    gm_section table = session->header->sections[GM_SECTION_STATE];
    const gm_state_entry *entry = gm_section_data(session->header, GM_SECTION_STATE);
    for (uint32_t i = 0; i < table.size / sizeof *entry; i++) {
        float limit = limit_of(&entry[i]);
        if (limit > 0.0f && gm_any_beyond(gm_f32_out(session, entry[i].offset), entry[i].size / 4, limit)) {
            return 0;
        }
    }
    return 1;
}

/* Returns the largest rate that the rules of all of the program's updates allow: 0 if one of them
 * guarantees nothing, infinity if there are no updates. Clears *is_sound if the moments of an
 * update are not sound. Skips the moments of rules that guarantee nothing, and of states known to
 * be sound. */
static float check_updates(const gm_session *session, int *is_sound)
{
    int is_known = session->proven & GM_PROVEN_STATE;
    float least = GM_INFINITY;
    update found;
    for (const uint32_t *pc = session->pc; pc != session->end; pc += *pc >> 16) {
        if (read_update(pc, &found)) {
            float largest = gm_f32(session, found.rule)[GM_RULE_WORDS - 1];
            least = largest < least ? largest : least;
            *is_sound = *is_sound && (is_known || !(least > 0.0f) || is_sound_update(session, &found));
        }
    }
    return least;
}

static int is_sound_rate(const gm_session *session, float largest)
{
    const gm_control *control = gm_control_of(session);
    return control->learning_rate >= 0.0f && control->learning_rate < largest && control->base_learning_rate >= 0.0f &&
           control->base_learning_rate < largest;
}

/* Returns whether everything except the moments is sound: the rates, then parameters and running
 * statistics, unless they are known to be sound. */
static int is_sound_besides(const gm_session *session, float largest)
{
    return is_sound_rate(session, largest) && ((session->proven & GM_PROVEN_STATE) != 0 || are_sound_entries(session));
}

/* GM_OK means that everything is proven, and an error ends the program. So this runs once in a
 * program that updates. */
GM_COLD int gm_prove(gm_session *session)
{
    if (session->running != GM_PROGRAM_STEP && session->running != GM_PROGRAM_OPTIMIZER) {
        return GM_OK;
    }
    int is_sound = 1;
    float largest = check_updates(session, &is_sound);
    if (largest > 0.0f && largest < GM_INFINITY && !(is_sound && is_sound_besides(session, largest))) {
        return GM_ERR_NOT_FINITE;
    }
    session->proven = GM_PROVEN;
    return GM_OK;
}

#endif
