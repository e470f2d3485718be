/*
 * The delta that a device receives: it is checked as a whole, and then leads from the base of a
 * round to that of the next one.
 */
#include "new_base.h"

#include <string.h>

#include "delta.h"
#include "numerics.h"
#include "program.h"

#define GIVEN_CRC_START 16u
#define TRIAL_SIZE 64u                /* bytes of the stack buffer in which a new base is tried */
#define NEW_LIMIT 0x5D800000u /* the bits of 2^60, as of a sound state */

static const gm_state_entry *changed_parameters(const gm_session *session)
{
    return gm_section_data(session->header, GM_SECTION_STATE);
}

static const uint8_t *exponents_of(const uint8_t *delta)
{
    return delta + sizeof(gm_delta_header);
}

static const gm_delta_header *delta_header_of(const void *delta)
{
    return delta;
}

/* ---- Elements -------------------------------------------------------------------------------- */

/* Returns code i of a parameter, -2^(bits - 1) to 2^(bits - 1) - 1. */
static int32_t code_at(const uint8_t *codes, uint32_t i, uint32_t bits)
{
    uint32_t in_byte = 8 / bits, sign = 1u << (bits - 1);
    uint32_t field = (uint32_t)codes[i / in_byte] >> i % in_byte * bits & (2 * sign - 1);
    return (int32_t)(field ^ sign) - (int32_t)sign;
}

/* Returns the float32 for which a code of 1 stands. */
static float unit_of(uint32_t exponent)
{
    return gm_float_of(exponent > 23 ? (exponent - 23) << 23 : 1u << (exponent - 1));
}

/* What becomes of the elements of one parameter. */
typedef struct element_change {
    gm_delta_tensor tensor;
    const uint8_t *codes;
    uint32_t bits;
    uint32_t exponent;
    gm_random random;
    uint32_t own;                /* the exponent of this device's delta, whose loss is kept; 0: none is */
} element_change;

/* Returns the new float32 of element i. A code times its unit is exact, so that no profile rounds
 * anything but sums. */
static float new_float(const element_change *c, uint32_t i)
{
    const void *now = c->tensor.now, *base = c->tensor.base;
    float old = ((const float *)base)[i];
    float sum = old + (float)code_at(c->codes, i, c->bits) * unit_of(c->exponent);
    if (c->own != 0) {
        float lost = ((const float *)now)[i] - old;
        lost -= (float)gm_delta_code(&c->tensor, i, c->own, c->random) * unit_of(c->own);
        sum += lost;
    }
    return sum;
}

#if GM_WITH_INT8

/* Returns the new integer of element i, of a type of 1 or 2 bytes the nearest that it has. Hostile
 * codes wrap in 32 bits first. */
static int32_t new_integer(const element_change *c, uint32_t i)
{
    uint32_t dtype = c->tensor.dtype, size = gm_element_size(dtype);
    uint32_t old = (uint32_t)gm_integer_at(c->tensor.base, dtype, i);
    uint32_t sum = old + ((uint32_t)code_at(c->codes, i, c->bits) << (c->exponent - GM_DELTA_INTEGER));
    if (c->own != 0) {
        sum += (uint32_t)gm_integer_at(c->tensor.now, dtype, i) - old;
        sum -= (uint32_t)gm_delta_code(&c->tensor, i, c->own, c->random) << (c->own - GM_DELTA_INTEGER);
    }
    int32_t value = (int32_t)sum, half = size == 4 ? 0 : 1 << (8 * size - 1);
    int32_t least = dtype == GM_DTYPE_U8 ? 0 : -half, most = least + 2 * half - 1;
    return half == 0 ? value : value < least ? least : value < most ? value : most;
}

#endif

/* Writes elements [from, to) of a parameter at `out`. Returns 0 where one is no sound float32. */
static int change_elements(const element_change *c, uint32_t from, uint32_t to, uint8_t *out)
{
    uint32_t size = gm_element_size(c->tensor.dtype);
    int is_sound = 1;
    for (uint32_t i = from; i < to; ++i, out += size) {
#if GM_WITH_INT8
        if (c->tensor.dtype != GM_DTYPE_F32) {
            int32_t value = new_integer(c, i);
            memcpy(out, &value, size);
            continue;
        }
#endif
        float value = new_float(c, i);
        is_sound = is_sound && (gm_bits_of(value) & 0x7FFFFFFFu) < NEW_LIMIT;
        memcpy(out, &value, sizeof value);
    }
    return is_sound;
}

/* Changes those elements of a parameter that lie in bytes [at, at + size) of all parameters. */
static int change_overlap(const element_change *c, uint32_t offset, uint32_t at, uint8_t *out, uint32_t size)
{
    uint32_t width = gm_element_size(c->tensor.dtype), end = offset + c->tensor.n * width;
    uint32_t from = at > offset ? at : offset, to = at + size < end ? at + size : end;
    return from >= to || change_elements(c, (from - offset) / width, (to - offset) / width, out + (from - at));
}

GM_COLD int gm_new_base_part(const gm_session *session, const gm_federated_round *round, const uint8_t *delta, int keep,
                             uint32_t at, uint8_t *out, uint32_t size)
{
    const gm_state_entry *entry = changed_parameters(session);
    uint32_t count = gm_parameter_count(session);
    element_change c = {.codes = delta + gm_delta_codes_at(session), .bits = delta_header_of(delta)->bits};
    c.random = gm_delta_random(round);
    int is_sound = 1;
    memmove(out, session->arena + at, size);
    for (uint32_t i = 0; i < count; ++i, ++entry) {
        c.exponent = exponents_of(delta)[i];
        if (c.exponent != 0) {
            c.tensor = gm_delta_tensor_of(session, gm_base_of(session, round), entry);
            c.own = keep ? gm_delta_exponent(&c.tensor, round->bits) : 0;
            is_sound = change_overlap(&c, entry->offset, at, out, size) && is_sound;
            c.codes += gm_delta_codes_size(entry, c.bits);
        }
    }
    return is_sound;
}

/* ---- Checks ---------------------------------------------------------------------------------- */

static int check_delta(const uint8_t *delta, size_t size)
{
    if (size < sizeof(gm_delta_header)) {
        return GM_ERR_TRUNCATED;
    }
    const gm_delta_header *header = delta_header_of(delta);
    if (header->magic != GM_DELTA_MAGIC) {
        return GM_ERR_BAD_MAGIC;
    }
    if (header->version != GM_DELTA_VERSION) {
        return GM_ERR_BAD_VERSION;
    }
    if (header->size < sizeof *header || header->size > size) {
        return GM_ERR_TRUNCATED;
    }
    return gm_crc32(0, delta + GIVEN_CRC_START, header->size - GIVEN_CRC_START) == header->crc ? GM_OK : GM_ERR_BAD_CRC;
}

/* Returns whether no code of an integer becomes a fraction or leaves 64 bits. */
static int are_exponents_of_integers(const gm_session *session, const uint8_t *exponents)
{
    const gm_state_entry *entry = changed_parameters(session);
    uint32_t count = gm_parameter_count(session);
    for (uint32_t i = 0; i < count; ++i) {
        if (entry[i].dtype != GM_DTYPE_F32 && exponents[i] != 0 && exponents[i] - GM_DELTA_INTEGER > 31) {
            return 0;
        }
    }
    return 1;
}

/* Returns whether the file has the parts that its header and this image say. */
static int is_delta_of_model(const gm_session *session, const uint8_t *delta)
{
    const gm_delta_header *header = delta_header_of(delta);
    gm_delta_choice choice = {exponents_of(delta), NULL};
    return memcmp(header->model_id, session->header->model_id, sizeof header->model_id) == 0 &&
           header->size >= gm_delta_codes_at(session) &&
           header->size == gm_delta_size(session, header->bits, &choice) &&
           (!GM_WITH_INT8 || are_exponents_of_integers(session, choice.exponents));
}

static int is_delta_of_round(const gm_session *session, const gm_federated_round *round, const uint8_t *delta)
{
    const gm_delta_header *header = delta_header_of(delta);
    gm_delta_choice choice = {exponents_of(delta), NULL};
    return header->round == round->number &&
           header->base_crc == gm_base_crc(session, gm_base_of(session, round), &choice);
}

/* Returns whether all float32 of the new base are sound. */
static int is_sound_base(const gm_session *session, const gm_federated_round *round, const uint8_t *delta)
{
    uint32_t words[TRIAL_SIZE / 4], size, total = session->header->parameters_size;
    int is_sound = 1;
    for (uint32_t at = 0; at < total && is_sound; at += size) {
        size = total - at < TRIAL_SIZE ? total - at : TRIAL_SIZE;
        is_sound = gm_new_base_part(session, round, delta, 0, at, (uint8_t *)words, size);
    }
    return is_sound;
}

GM_COLD int gm_round_check(const gm_session *session, const gm_federated_round *round, const void *delta, size_t size)
{
    int status = gm_idle(session);
    if (status != GM_OK) {
        return status;
    }
    if (round == NULL || delta == NULL || (uintptr_t)delta % 4 != 0) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    status = check_delta(delta, size);
    if (status != GM_OK) {
        return status;
    }
    if (!gm_delta_has_bits(delta_header_of(delta)->bits)) {
        return GM_ERR_BAD_VERSION;
    }
    if (!is_delta_of_model(session, delta)) {
        return GM_ERR_WRONG_MODEL;
    }
    if (!is_delta_of_round(session, round, delta)) {
        return GM_ERR_OTHER_BASE;
    }
    return is_sound_base(session, round, delta) ? GM_OK : GM_ERR_NOT_FINITE;
}

/* ---- Public ---------------------------------------------------------------------------------- */

GM_COLD int gm_round_apply(gm_session *session, const gm_federated_round *round, const void *delta, size_t size)
{
    int status = gm_round_check(session, round, delta, size);
    if (status == GM_OK) {
        int keep = gm_delta_has_bits(round->bits) && round->keep_loss != 0;
        (void)gm_new_base_part(session, round, delta, keep, 0, session->arena, session->header->parameters_size);
        session->proven = 0;
    }
    return status;
}
