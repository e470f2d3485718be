/*
 * The delta that a device sends: the difference of its parameters from the base of a round,
 * quantized without a buffer, byte by byte. All of it are integers, but for one subtraction for each
 * element, which every profile rounds alike.
 */
#include "delta.h"

#include <string.h>

#include "numerics.h"
#include "program.h"

#define DIFFERENCE_LIMIT 0x5E000000u /* the bits of 2^61: two sound parameters differ by less */
#define FRACTION_BITS 23u
#define LEADING_BIT 0x800000u            /* the bit of a normal significand that is not stored */

/* ---- Parameters ------------------------------------------------------------------------------ */

GM_COLD void gm_delta_begin(gm_delta_walk *w, const gm_session *session, const gm_federated_round *round,
                            const uint8_t *delta)
{
    memset(w, 0, sizeof *w);
    w->session = session;
    w->round = round;
    w->delta = delta;
    w->bits = delta != NULL ? ((const gm_delta_header *)(const void *)delta)->bits : round->bits;
    w->random = gm_random_of(round->seed, round->number, GM_DELTA_STREAM);
    w->count = gm_parameter_count(session);
    w->codes_at = (uint32_t)sizeof(gm_delta_header) + (w->count + 3) / 4 * 4;
    gm_delta_restart(w);
}

GM_COLD void gm_delta_restart(gm_delta_walk *w)
{
    w->next = w->stop = 0;
    w->to = w->codes_at;
    w->is_sound = 1;
}

/* Goes to a parameter. Returns whether the delta has it. */
static int go_to_parameter(gm_delta_walk *w, uint32_t index)
{
    const gm_header *image = w->session->header;
    const uint8_t *base = w->round->base, *shared = w->round->shared;
    const uint8_t *initial = gm_section_data(image, GM_SECTION_INITIAL);
    if (index >= w->count) {
        return 0;
    }
    w->entry = (const gm_state_entry *)gm_section_data(image, GM_SECTION_STATE) + index;
    w->base = (base != NULL ? base : initial) + w->entry->offset;
    w->now = w->session->arena + w->entry->offset;
    w->n = w->entry->size >> gm_element_size(w->entry->dtype) / 2;
    if (w->delta != NULL) {
        return w->delta[sizeof(gm_delta_header) + index] != 0;
    }
    return shared == NULL || (shared[index / 8] >> index % 8 & 1) != 0;
}

GM_COLD int gm_delta_next(gm_delta_walk *w)
{
    while (w->next < w->count) {
        if (go_to_parameter(w, w->next++)) {
            uint32_t digits = gm_delta_digits(w->bits);
            w->from = w->to;
            w->to += (w->n + digits - 1) / digits;
            return 1;
        }
    }
    return 0;
}

GM_COLD uint32_t gm_delta_base_crc(gm_delta_walk *w)
{
    uint32_t crc = 0;
    while (gm_delta_next(w)) {
        crc = gm_crc32(crc, w->base, w->entry->size);
    }
    return crc;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

GM_COLD uint32_t gm_delta_integer(const gm_delta_walk *w, const uint8_t *elements, uint32_t i)
{
    const void *data = elements;
    switch (w->entry->dtype) {
    case GM_DTYPE_I8: return (uint32_t)((const int8_t *)data)[i];
    case GM_DTYPE_U8: return elements[i];
    case GM_DTYPE_I16: return (uint32_t)((const int16_t *)data)[i];
    default: return ((const uint32_t *)data)[i];
    }
}

/* Returns the magnitude of the difference of element i: the bits of a float32, or an integer. */
static uint32_t magnitude_at(const gm_delta_walk *w, uint32_t i, uint32_t *is_negative)
{
    const void *now = w->now, *base = w->base;
    if (!gm_delta_is_float(w)) {
        uint32_t difference = gm_delta_integer(w, w->now, i) - gm_delta_integer(w, w->base, i);
        *is_negative = difference >> 31;
        return difference >> 31 ? 0u - difference : difference;
    }
    uint32_t bits = gm_bits_of(((const float *)now)[i] - ((const float *)base)[i]);
    *is_negative = bits >> 31;
    return bits & 0x7FFFFFFFu;
}

/* Returns the significand of a magnitude, which is significand 2^(*exponent - 150). */
static uint32_t significand_of(const gm_delta_walk *w, uint32_t magnitude, uint32_t *exponent)
{
    uint32_t stored = magnitude >> FRACTION_BITS;
    *exponent = GM_DELTA_INTEGER;
    if (!gm_delta_is_float(w)) {
        return magnitude;
    }
    *exponent = stored != 0 ? stored : 1;
    return stored != 0 ? (magnitude & (LEADING_BIT - 1)) | LEADING_BIT : magnitude;
}

GM_COLD uint32_t gm_delta_exponent(const gm_delta_walk *w, uint32_t bits)
{
    uint32_t largest = 0, exponent, ignored;
    for (uint32_t i = 0; i < w->n; ++i) {
        uint32_t magnitude = magnitude_at(w, i, &ignored);
        largest = magnitude > largest ? magnitude : largest;
    }
    if (gm_delta_is_float(w) && largest >= DIFFERENCE_LIMIT) {
        return 0;
    }
    uint32_t significand = significand_of(w, largest, &exponent);
    for (; significand >> (bits - 1) != 0; ++exponent) {
        significand -= significand >> 1;
    }
    return exponent;
}

/* With r of 32 random bits, a significand that is divided by 2^shift is rounded up where its rest
 * and as many bits of r carry. No significand exceeds 2^31, so that the sum does not wrap. */
GM_COLD int32_t gm_delta_code(const gm_delta_walk *w, uint32_t i, uint32_t exponent)
{
    uint32_t is_negative, own, code, magnitude = magnitude_at(w, i, &is_negative);
    uint32_t significand = significand_of(w, magnitude, &own);
    uint32_t r = gm_random_at(w->random, w->entry->offset + i);
    uint32_t shift = exponent - own; /* no difference exceeds that of which the exponent was made */
    if (shift < 32) {
        code = (significand + (r >> 1 >> (31 - shift))) >> shift;
    } else {
        code = shift < 64 && significand >> (shift - 32) > r;
    }
    return is_negative != 0 ? -(int32_t)code : (int32_t)code;
}

/* ---- The file -------------------------------------------------------------------------------- */

/* Finds and notes the exponent of the parameter that the walk has come to. */
static uint32_t found_exponent(gm_delta_walk *w)
{
    w->exponent = gm_delta_exponent(w, w->bits);
    w->is_sound &= w->exponent != 0;
    return w->exponent;
}

/* Returns byte `at` of the file, behind the header. Each is behind the one before. */
static uint8_t byte_of_body(gm_delta_walk *w, uint32_t at)
{
    uint32_t byte = 0, radix = gm_delta_radix(w->bits);
    if (at < w->codes_at) {
        return go_to_parameter(w, at - (uint32_t)sizeof(gm_delta_header)) ? (uint8_t)found_exponent(w) : 0;
    }
    while (at >= w->to) {
        (void)gm_delta_next(w);
        w->exponent = 0;
    }
    if (w->exponent == 0) {
        (void)found_exponent(w);
    }
    /* 243 = 3^5: a byte has no sixth digit to the base 3. */
    for (uint32_t unit = 1, i = (at - w->from) * gm_delta_digits(w->bits); unit < 243 && i < w->n; unit *= radix, ++i) {
        int32_t code = gm_delta_code(w, i, w->exponent);
        byte += unit * (code < 0 ? (uint32_t)code + radix : (uint32_t)code);
    }
    return (uint8_t)byte;
}

static void fill_delta_header(gm_delta_walk *w, gm_delta_header *header)
{
    const gm_federated_round *round = w->round;
    header->magic = GM_DELTA_MAGIC;
    header->version = GM_DELTA_VERSION;
    memcpy(header->model_id, w->session->header->model_id, sizeof header->model_id);
    header->round = round->number;
    header->bits = round->bits;
    header->seed = round->seed;
    header->base_crc = gm_delta_base_crc(w);
    header->size = w->to;
    header->crc = gm_crc32(0, (const uint8_t *)header + GM_DELTA_CRC_START, sizeof *header - GM_DELTA_CRC_START);
    gm_delta_restart(w);
    for (uint32_t at = sizeof *header; at < header->size; ++at) {
        uint8_t byte = byte_of_body(w, at);
        header->crc = gm_crc32(header->crc, &byte, 1);
    }
}

/* ---- Public ---------------------------------------------------------------------------------- */

GM_COLD uint32_t gm_round_delta_size(const gm_session *session, const gm_federated_round *round)
{
    gm_delta_walk w;
    if (session == NULL || session->header == NULL || round == NULL || !gm_delta_has_bits(round->bits)) {
        return 0;
    }
    gm_delta_begin(&w, session, round, NULL);
    while (gm_delta_next(&w)) {
    }
    return w.to;
}

GM_COLD int gm_round_delta_part(const gm_session *session, const gm_federated_round *round, uint32_t offset, void *data,
                                uint32_t size)
{
    gm_delta_header header;
    gm_delta_walk w;
    uint8_t *out = data;
    int status = gm_idle(session);
    if (status != GM_OK) {
        return status;
    }
    uint32_t total = gm_round_delta_size(session, round), end = offset + size;
    if (data == NULL || total == 0 || offset > total || size > total - offset) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    gm_delta_begin(&w, session, round, NULL);
    if (offset < sizeof header) { /* the header's checksum covers the whole file */
        fill_delta_header(&w, &header);
        gm_delta_restart(&w);
    }
    for (; offset < end; ++offset) {
        *out++ = offset < sizeof header ? ((const uint8_t *)&header)[offset] : byte_of_body(&w, offset);
    }
    return w.is_sound ? GM_OK : GM_ERR_NOT_FINITE;
}
