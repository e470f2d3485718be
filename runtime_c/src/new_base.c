/*
 * The delta that a device receives: it is checked as a whole, and then leads from the base of a
 * round to that of the next one.
 */
#include "new_base.h"

#include <string.h>

#include "numerics.h"
#include "program.h"

#define NEW_LIMIT 0x5D800000u /* the bits of 2^60, as of a sound state */

/* ---- Elements -------------------------------------------------------------------------------- */

/* Returns code i of the parameter: -1 to 1, or -2^(bits - 1) to 2^(bits - 1) - 1. */
static int32_t code_at(const gm_delta_walk *w, uint32_t i)
{
    uint32_t radix = gm_delta_radix(w->bits), digits = gm_delta_digits(w->bits);
    uint32_t digit = w->delta[w->from + i / digits];
    for (i %= digits; i != 0; --i) {
        digit /= radix;
    }
    digit %= radix;
    return (int32_t)digit - (int32_t)(2 * digit < radix ? 0 : radix);
}

/* Returns the exponent of the parameter in the file. */
static uint32_t exponent_in(const gm_delta_walk *w)
{
    return w->delta[sizeof(gm_delta_header) + w->next - 1];
}

/* Returns a code as the float32 for which it stands. The product is exact, so that no profile rounds
 * anything but sums. */
static float float_of(int32_t code, uint32_t exponent)
{
    return (float)code * gm_float_of(exponent > 23 ? (exponent - 23) << 23 : 1u << (exponent - 1));
}

/* Returns the new float32 of element i. */
static float new_float(const gm_delta_walk *w, uint32_t i)
{
    const void *nows = w->now, *bases = w->base;
    float base = ((const float *)bases)[i], sum = base + float_of(code_at(w, i), exponent_in(w));
    if (w->exponent != 0) {
        float lost = ((const float *)nows)[i] - base;
        sum += lost - float_of(gm_delta_code(w, i, w->exponent), w->exponent);
    }
    return sum;
}

#if GM_WITH_INT8

/* Returns the new integer of element i, of a type of 1 or 2 bytes the nearest that it has. Hostile
 * codes wrap in 32 bits first. */
static uint32_t new_integer(const gm_delta_walk *w, uint32_t i, uint32_t size)
{
    uint32_t base = gm_delta_integer(w, w->base, i), exponent = exponent_in(w);
    uint32_t sum = base + ((uint32_t)code_at(w, i) << (exponent - GM_DELTA_INTEGER));
    if (w->exponent != 0) {
        sum += gm_delta_integer(w, w->now, i) - base;
        sum -= (uint32_t)gm_delta_code(w, i, w->exponent) << (w->exponent - GM_DELTA_INTEGER);
    }
    if (size == 4) {
        return sum;
    }
    int32_t value = (int32_t)sum, half = 1 << (8 * size - 1);
    int32_t least = w->entry->dtype == GM_DTYPE_U8 ? 0 : -half, most = least + 2 * half - 1;
    return (uint32_t)(value < least ? least : value < most ? value : most);
}

#endif

/* Writes the elements of the parameter that lie `from` bytes behind its first. */
static void change_word(gm_delta_walk *w, uint32_t from, uint32_t *word)
{
#if GM_WITH_INT8
    uint32_t size = gm_element_size(w->entry->dtype), shift = size / 2;
    if (!gm_delta_is_float(w)) {
        for (uint32_t i = from >> shift, k = 0; k < 4 && i < w->n; k += size, ++i) {
            uint32_t value = new_integer(w, i, size);
            memcpy((uint8_t *)word + k, &value, size);
        }
        return;
    }
#endif
    *word = gm_bits_of(new_float(w, from / 4));
    w->is_sound &= (*word & 0x7FFFFFFFu) < NEW_LIMIT;
}

GM_COLD void gm_new_base_part(gm_delta_walk *w, int keep, uint32_t at, uint32_t *out, uint32_t size)
{
    for (uint32_t end = at + size; at < end; at += 4) {
        uint32_t word;
        memcpy(&word, w->session->arena + at, sizeof word);
        while (at >= w->stop) {
            w->stop = gm_delta_next(w) ? w->entry->offset + w->entry->size : UINT32_MAX;
            w->exponent = keep ? gm_delta_exponent(w, w->round->bits) : 0;
        }
        if (w->stop - at <= w->entry->size) {
            change_word(w, at - w->entry->offset, &word);
        }
        if (out != NULL) {
            *out++ = word;
        }
    }
}

/* ---- Checks ---------------------------------------------------------------------------------- */

static int check_delta(const gm_delta_header *header, size_t size)
{
    if (size < sizeof *header) {
        return GM_ERR_TRUNCATED;
    }
    if (header->magic != GM_DELTA_MAGIC) {
        return GM_ERR_BAD_MAGIC;
    }
    if (header->version != GM_DELTA_VERSION) {
        return GM_ERR_BAD_VERSION;
    }
    if (header->size < sizeof *header || header->size > size) {
        return GM_ERR_TRUNCATED;
    }
    uint32_t crc = gm_crc32(0, (const uint8_t *)header + GM_DELTA_CRC_START, header->size - GM_DELTA_CRC_START);
    if (crc != header->crc) {
        return GM_ERR_BAD_CRC;
    }
    return gm_delta_has_bits(header->bits) ? GM_OK : GM_ERR_BAD_VERSION;
}

/* Returns whether no code of an integer becomes a fraction or leaves 64 bits. */
static int has_exponents_of_integers(gm_delta_walk *w)
{
    int is_right = 1;
    while (GM_WITH_INT8 && gm_delta_next(w)) {
        is_right &= gm_delta_is_float(w) || exponent_in(w) - GM_DELTA_INTEGER < 32;
    }
    gm_delta_restart(w);
    return is_right;
}

/* Checks that the file is of this model and this round, and leads to numbers that are finite. */
static int check_delta_of_round(gm_delta_walk *w, const gm_delta_header *header)
{
    const gm_header *image = w->session->header;
    if (memcmp(header->model_id, image->model_id, sizeof header->model_id) != 0 || header->size < w->codes_at ||
        !has_exponents_of_integers(w)) {
        return GM_ERR_WRONG_MODEL;
    }
    uint32_t base_crc = gm_delta_base_crc(w);
    if (header->size != w->to) {
        return GM_ERR_WRONG_MODEL;
    }
    if (header->round != w->round->number || header->base_crc != base_crc) {
        return GM_ERR_OTHER_BASE;
    }
    gm_delta_restart(w);
    gm_new_base_part(w, 0, 0, NULL, image->parameters_size);
    return w->is_sound ? GM_OK : GM_ERR_NOT_FINITE;
}

GM_COLD int gm_round_check(const gm_session *session, const gm_federated_round *round, const void *delta, size_t size)
{
    gm_delta_walk w;
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
    gm_delta_begin(&w, session, round, delta);
    return check_delta_of_round(&w, delta);
}

/* ---- Public ---------------------------------------------------------------------------------- */

GM_COLD int gm_round_apply(gm_session *session, const gm_federated_round *round, const void *delta, size_t size)
{
    gm_delta_walk w;
    int status = gm_round_check(session, round, delta, size);
    if (status == GM_OK) {
        void *arena = session->arena;
        gm_delta_begin(&w, session, round, delta);
        gm_new_base_part(&w, gm_delta_has_bits(round->bits) && round->keep_loss != 0, 0, arena,
                         session->header->parameters_size);
        session->proven = 0;
    }
    return status;
}
