/*
 * Applies a received delta: checks all of it, then goes from the base of a round to that of the
 * next.
 */
#include "new_base.h"

#include <string.h>

#include "numerics.h"
#include "program.h"

#define NEW_LIMIT 0x5D800000u /* the bits of 2^60, the limit of a sound state */

/* ---- Elements -------------------------------------------------------------------------------- */

/* Returns the current word i of the parameter. */
static uint32_t word_now(const gm_delta_walk *w, uint32_t i)
{
    return ((const uint32_t *)(const void *)w->now)[i];
}

/* Returns code i of the parameter: -1 to 1, or -2^(bits - 1) to 2^(bits - 1) - 1. */
static int32_t code_at(const gm_delta_walk *w, uint32_t i)
{
    uint32_t digit = w->delta[w->from + i / w->digits];
    for (i %= w->digits; i != 0; --i) {
        digit /= w->radix;
    }
    digit %= w->radix;
    return (int32_t)digit - (int32_t)(2 * digit < w->radix ? 0 : w->radix);
}

/* Returns x + code 2^(exponent - 150); only the sum rounds. With exponent 255 only code 0 gives a
 * sound number. The same is true of 254, which keeps the factor finite. */
static GM_CALLED float sum_of(float x, int32_t code, uint32_t exponent)
{
    uint32_t finite = exponent < 255 ? exponent : 254;
    return x + (float)code * 0x1p-23f * gm_float_of(finite << 23);
}

/* Returns the new float32 of element i. */
static float new_float(const gm_delta_walk *w, uint32_t i)
{
    const void *nows = w->now, *bases = w->base;
    float base = ((const float *)bases)[i], sum = sum_of(base, code_at(w, i), w->is_sent);
    if (w->exponent != 0) {
        sum += sum_of(((const float *)nows)[i] - base, -gm_delta_code(w, i), w->exponent);
    }
    return sum;
}

#if GM_WITH_INT8

/* Returns the new integer of element i, saturated for types of 1 or 2 bytes. Hostile codes wrap in
 * 32 bits first. */
static uint32_t new_integer(const gm_delta_walk *w, uint32_t i, uint32_t size)
{
    uint32_t base = gm_delta_integer(w, w->base, i);
    uint32_t sum = base + ((uint32_t)code_at(w, i) << (w->is_sent - GM_DELTA_INTEGER));
    if (w->exponent != 0) {
        sum += gm_delta_integer(w, w->now, i) - base;
        sum -= (uint32_t)gm_delta_code(w, i) << (w->exponent - GM_DELTA_INTEGER);
    }
    if (size == 4) {
        return sum;
    }
    int32_t value = (int32_t)sum, half = 1 << (8 * size - 1);
    int32_t least = w->entry->dtype == GM_DTYPE_U8 ? 0 : -half, most = least + 2 * half - 1;
    return (uint32_t)(value < least ? least : value < most ? value : most);
}

/* Returns word i of an integer parameter. */
static uint32_t new_integers(const gm_delta_walk *w, uint32_t i)
{
    uint32_t size = gm_element_size(w->entry->dtype), first = 4 * i / size, word = word_now(w, i);
    for (uint32_t k = 0; k < 4 / size && first + k < w->n; ++k) {
        uint32_t value = new_integer(w, first + k, size);
        memcpy((uint8_t *)&word + k * size, &value, size);
    }
    return word;
}

#endif

/* Returns word i of the parameter in the new base. */
static uint32_t new_word(gm_delta_walk *w, uint32_t i)
{
    if (w->is_sent == 0) {
        return word_now(w, i);
    }
#if GM_WITH_INT8
    if (!gm_delta_is_float(w)) {
        return new_integers(w, i);
    }
#endif
    uint32_t word = gm_bits_of(new_float(w, i));
    if ((word & 0x7FFFFFFFu) >= NEW_LIMIT) {
        w->is_sound = 0;
    }
    return word;
}

GM_COLD int gm_new_base_make(gm_delta_walk *w)
{
    while (gm_delta_next(w)) {
        if (w->keep != 0) {
            gm_delta_find_exponent(w);
        }
        for (uint32_t i = 0; 4 * i < w->entry->size; ++i) {
            uint32_t word = new_word(w, i);
            int status = w->put != NULL ? w->put(w->user, (uint32_t *)(void *)w->now + i, word) : GM_OK;
            if (status != GM_OK) {
                return status;
            }
        }
    }
    return GM_OK;
}

/* ---- Checks ---------------------------------------------------------------------------------- */

/* Checks what a file shows without a model. */
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
    uint32_t crc = gm_crc32(0, header->model_id, header->size - GM_DELTA_CRC_START);
    return crc == header->crc ? GM_OK : GM_ERR_BAD_CRC;
}

/* Returns whether the codes of integers stay integers of at most 64 bits. */
static int has_exponents_of_integers(gm_delta_walk *w)
{
    int is_right = 1;
    while (GM_WITH_INT8 && gm_delta_next(w)) {
        is_right &= w->is_sent == 0 || gm_delta_is_float(w) || w->is_sent - GM_DELTA_INTEGER < 32;
    }
    return is_right;
}

/* Checks that the file is for this model and round, and leads to finite numbers. */
static int check_delta_of_round(gm_delta_walk *w, const gm_delta_header *header)
{
    if (memcmp(header->model_id, w->session->header->model_id, sizeof header->model_id) != 0 ||
        header->size < w->codes_at || !has_exponents_of_integers(w)) {
        return GM_ERR_WRONG_MODEL;
    }
    uint32_t base_crc = gm_delta_base_crc(w);
    if (header->size != w->from) {
        return GM_ERR_WRONG_MODEL;
    }
    if (header->round != w->round->number || header->base_crc != base_crc) {
        return GM_ERR_OTHER_BASE;
    }
    (void)gm_new_base_make(w);
    return w->is_sound ? GM_OK : GM_ERR_NOT_FINITE;
}

GM_COLD int gm_new_base_check(gm_delta_walk *w, size_t size)
{
    const void *delta = w->delta;
    int status = gm_idle(w->session);
    if (status != GM_OK) {
        return status;
    }
    if (w->round == NULL || delta == NULL || (uintptr_t)delta % 4 != 0) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    status = check_delta(delta, size);
    if (status != GM_OK) {
        return status;
    }
    return gm_delta_begin(w) ? check_delta_of_round(w, delta) : GM_ERR_BAD_VERSION;
}

/* ---- Public ---------------------------------------------------------------------------------- */

GM_COLD int gm_round_check(const gm_session *session, const gm_federated_round *round, const void *delta, size_t size)
{
    gm_delta_walk w;
    gm_delta_set(&w, session, round, delta);
    return gm_new_base_check(&w, size);
}

static GM_COLD int put_word_in_place(void *user, uint32_t *place, uint32_t word)
{
    (void)user;
    *place = word;
    return GM_OK;
}

GM_COLD int gm_round_apply(gm_session *session, const gm_federated_round *round, const void *delta, size_t size)
{
    gm_delta_walk w;
    gm_delta_set(&w, session, round, delta);
    int status = gm_new_base_check(&w, size);
    if (status == GM_OK) {
        w.put = put_word_in_place;
        w.keep = gm_delta_has_bits(round->bits) ? round->keep_loss : 0;
        (void)gm_new_base_make(&w);
        session->proven = 0;
    }
    return status;
}
