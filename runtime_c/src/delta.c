/*
 * The delta that a device sends: the difference of its parameters from the base of a round,
 * quantized without a buffer, byte by byte. All arithmetic is in integers, except for one
 * subtraction per element, which both profiles round alike.
 */
#include "delta.h"

#include <string.h>

#include "numerics.h"
#include "program.h"

#define DIFFERENCE_LIMIT 0x5E000000u /* the bits of 2^61: two sound parameters differ by less */
#define FRACTION_BITS 23u

/* ---- Parameters ------------------------------------------------------------------------------ */

/* gm_mix() as a call: five inlined copies would take 120 bytes. */
static GM_COLD GM_CALLED uint32_t mixed_by_call(uint32_t x)
{
    return gm_mix(x);
}

/* Begins with the first parameter. */
static void restart_walk(gm_delta_walk *w)
{
    w->next = 0;
    w->to = w->codes_at;
}

GM_COLD int gm_delta_begin(gm_delta_walk *w)
{
    const gm_federated_round *round = w->round;
    const gm_header *image = w->session->header;
    const gm_delta_header *header = (const void *)w->delta;
    uint32_t count = 0;
    w->entries = gm_section_data(image, GM_SECTION_STATE);
    w->bases = round->base != NULL ? round->base : gm_section_data(image, GM_SECTION_INITIAL);
    w->bits = header != NULL ? header->bits : round->bits;
    if (!gm_delta_has_bits(w->bits)) {
        return 0;
    }
    w->radix = w->bits == 2 ? 3 : 1u << w->bits;
    w->digits = w->bits == 2 ? 5 : 8 / w->bits;
    w->random.step_key = mixed_by_call(mixed_by_call(round->seed) + round->number);
    w->random.stream_key = mixed_by_call(w->random.step_key ^ gm_mix(GM_DELTA_STREAM + 1));
    w->is_sound = 1;
    w->exponent = 0;
    w->keep = 0;
    w->put = NULL;
    for (uint32_t at = 0; at < image->parameters_size; ++count) {
        at += (w->entries[count].size + 3) / 4 * 4;
    }
    w->count = count;
    w->codes_at = (uint32_t)sizeof *header + (count + 3) / 4 * 4;
    restart_walk(w);
    return 1;
}

/* Goes to a parameter. Returns its value for w->is_sent. */
static uint32_t go_to_parameter(gm_delta_walk *w, uint32_t index)
{
    const uint8_t *shared = w->round->shared;
    w->entry = w->entries + index;
    w->base = w->bases + w->entry->offset;
    w->now = w->session->arena + w->entry->offset;
    w->n = w->entry->size >> gm_element_size(w->entry->dtype) / 2;
    if (w->delta != NULL) {
        return w->delta[sizeof(gm_delta_header) + index];
    }
    return shared == NULL || (shared[index / 8] >> index % 8 & 1) != 0;
}

GM_COLD int gm_delta_next(gm_delta_walk *w)
{
    w->from = w->to;
    if (w->next == w->count) {
        restart_walk(w);
        return 0;
    }
    w->is_sent = go_to_parameter(w, w->next++);
    if (w->is_sent != 0) {
        w->to += (w->n - 1) / w->digits + 1;
    }
    return 1;
}

/* Goes to the end. Returns the file's size. */
static uint32_t size_of_file(gm_delta_walk *w)
{
    while (gm_delta_next(w)) {
    }
    return w->from;
}

GM_COLD uint32_t gm_delta_base_crc(gm_delta_walk *w)
{
    uint32_t crc = 0;
    while (gm_delta_next(w)) {
        if (w->is_sent != 0) {
            crc = gm_crc32(crc, w->base, w->entry->size);
        }
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

/* Returns the difference of element i: the bits of a float32, or an integer. */
static GM_COLD GM_CALLED uint32_t difference_at(const gm_delta_walk *w, uint32_t i)
{
    const void *now = w->now, *base = w->base;
    if (!gm_delta_is_float(w)) {
        return gm_delta_integer(w, w->now, i) - gm_delta_integer(w, w->base, i);
    }
    return gm_bits_of(((const float *)now)[i] - ((const float *)base)[i]);
}

/* Returns the magnitude of a difference, of the same form. */
static uint32_t magnitude_of(const gm_delta_walk *w, uint32_t difference)
{
    if (gm_delta_is_float(w)) {
        return difference & 0x7FFFFFFFu;
    }
    return difference >> 31 != 0 ? 0u - difference : difference;
}

/* Returns the significand of a magnitude, which is significand 2^(*exponent - 150). */
static uint32_t significand_of(const gm_delta_walk *w, uint32_t magnitude, uint32_t *exponent)
{
    if (!gm_delta_is_float(w)) {
        *exponent = GM_DELTA_INTEGER;
        return magnitude;
    }
    uint32_t stored = magnitude >> FRACTION_BITS;
    *exponent = stored != 0 ? stored : 1;
    return magnitude - ((*exponent - 1) << FRACTION_BITS); /* with the leading bit of a normal number */
}

GM_COLD void gm_delta_find_exponent(gm_delta_walk *w)
{
    uint32_t largest = 0;
    for (uint32_t i = 0; i < w->n; ++i) {
        uint32_t magnitude = magnitude_of(w, difference_at(w, i));
        largest = magnitude > largest ? magnitude : largest;
    }
    uint32_t exponent, significand = significand_of(w, largest, &exponent);
    for (; significand >> (w->round->bits - 1) != 0; ++exponent) {
        significand -= significand >> 1;
    }
    if (gm_delta_is_float(w) && largest >= DIFFERENCE_LIMIT) {
        w->is_sound = 0;
        exponent = 0;
    }
    w->exponent = exponent;
}

/* With r of 32 random bits, significand / 2^shift is rounded up if adding as many bits of r to its
 * remainder carries. No significand exceeds 2^31, so the sum does not wrap. */
GM_COLD int32_t gm_delta_code(const gm_delta_walk *w, uint32_t i)
{
    uint32_t own, code, difference = difference_at(w, i);
    uint32_t significand = significand_of(w, magnitude_of(w, difference), &own);
    uint32_t r = mixed_by_call(mixed_by_call(w->random.step_key + w->entry->offset + i) ^ w->random.stream_key);
    uint32_t shift = w->exponent - own; /* no difference exceeds the one that set the exponent */
    if (shift < 32) {
        code = (significand + (r >> 1 >> (31 - shift))) >> shift;
    } else {
        code = significand >> ((shift < 64 ? shift : 63) - 32) > r;
    }
    return difference >> 31 != 0 ? -(int32_t)code : (int32_t)code;
}

/* ---- The file -------------------------------------------------------------------------------- */

/* Returns byte `at` of the file, past the header. Calls must go through `at` in ascending order. */
static GM_CALLED uint8_t byte_of_body(gm_delta_walk *w, uint32_t at)
{
    uint32_t byte = 0;
    if (at < w->codes_at) {
        uint32_t index = at - (uint32_t)sizeof(gm_delta_header);
        if (index >= w->count || !go_to_parameter(w, index)) {
            return 0;
        }
        gm_delta_find_exponent(w);
        return (uint8_t)w->exponent;
    }
    if (at >= w->to) {
        do {
            (void)gm_delta_next(w);
        } while (at >= w->to);
        gm_delta_find_exponent(w);
    }
    /* 243 = 3^5: a byte has no sixth digit to the base 3. */
    for (uint32_t unit = 1, i = (at - w->from) * w->digits; unit < 243 && i < w->n; unit *= w->radix, ++i) {
        int32_t code = gm_delta_code(w, i);
        byte += unit * (code < 0 ? (uint32_t)code + w->radix : (uint32_t)code);
    }
    return (uint8_t)byte;
}

/* Fills the header. Its checksum covers only the header; copy_part() continues it. */
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
    header->size = w->from;
    header->crc = gm_crc32(0, header->model_id, sizeof *header - GM_DELTA_CRC_START);
}

/* Copies bytes [offset, end) of the file. The header holds the checksum of the whole file, so a
 * part with header bytes computes the whole file. size: of the file. */
static void copy_part(gm_delta_walk *w, uint32_t offset, uint32_t end, uint8_t *out, uint32_t size)
{
    gm_delta_header header;
    uint32_t at = offset, to = end;
    header.crc = 0;
    if (offset < sizeof header) {
        fill_delta_header(w, &header);
        at = sizeof header;
        to = size;
    }
    for (; at < to; ++at) {
        uint8_t byte = byte_of_body(w, at);
        header.crc = gm_crc32(header.crc, &byte, 1);
        if (at < end) {
            out[at - offset] = byte;
        }
    }
    for (at = offset; at < end && at < sizeof header; ++at) {
        out[at - offset] = ((const uint8_t *)&header)[at];
    }
}

/* ---- Public ---------------------------------------------------------------------------------- */

GM_COLD uint32_t gm_round_delta_size(const gm_session *session, const gm_federated_round *round)
{
    gm_delta_walk w;
    gm_delta_set(&w, session, round, NULL);
    if (session == NULL || session->header == NULL || round == NULL || !gm_delta_begin(&w)) {
        return 0;
    }
    return size_of_file(&w);
}

GM_COLD int gm_round_delta_part(const gm_session *session, const gm_federated_round *round, uint32_t offset, void *data,
                                uint32_t size)
{
    gm_delta_walk w;
    int status = gm_idle(session);
    if (status != GM_OK) {
        return status;
    }
    gm_delta_set(&w, session, round, NULL);
    if (round == NULL || data == NULL || !gm_delta_begin(&w)) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    uint32_t total = size_of_file(&w);
    if (offset > total || size > total - offset) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    copy_part(&w, offset, offset + size, data, total);
    return w.is_sound ? GM_OK : GM_ERR_NOT_FINITE;
}
