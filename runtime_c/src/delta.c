/*
 * The delta that a device sends: the difference of its parameters from the base of a round,
 * quantized without a buffer, in two passes over each parameter. All of it are integers, but for
 * one subtraction for each element, which every profile rounds alike.
 */
#include "delta.h"

#include <string.h>

#include "numerics.h"
#include "program.h"

/* The first bytes, which the checksum leaves out: magic, version, size and the checksum itself. */
#define DELTA_CRC_START 16u

#define DIFFERENCE_LIMIT 0x5E000000u /* the bits of 2^61: two sound parameters differ by less */
#define FRACTION_BITS 23u
#define LEADING_BIT 0x800000u            /* the bit of a normal significand that is not stored */

/* The stream of the random numbers. Dropout has those from 0 on, and the store 2^32 - 2. */
#define DELTA_STREAM UINT32_C(0xFFFFFFFD)

/* ---- Numbers --------------------------------------------------------------------------------- */

GM_COLD int32_t gm_integer_at(const uint8_t *data, uint32_t dtype, uint32_t i)
{
    const void *elements = data;
    switch (dtype) {
    case GM_DTYPE_I8: return ((const int8_t *)elements)[i];
    case GM_DTYPE_U8: return data[i];
    case GM_DTYPE_I16: return ((const int16_t *)elements)[i];
    default: return ((const int32_t *)elements)[i];
    }
}

/* Returns the magnitude of the difference of element i: the bits of a float32, or an integer. */
static uint32_t difference_magnitude(const gm_delta_tensor *t, uint32_t i, uint32_t *is_negative)
{
    const void *now = t->now, *base = t->base;
    if (GM_WITH_INT8 && t->dtype != GM_DTYPE_F32) {
        uint32_t difference = (uint32_t)gm_integer_at(t->now, t->dtype, i);
        difference -= (uint32_t)gm_integer_at(t->base, t->dtype, i);
        *is_negative = difference >> 31;
        return difference >> 31 ? 0u - difference : difference;
    }
    uint32_t bits = gm_bits_of(((const float *)now)[i] - ((const float *)base)[i]);
    *is_negative = bits >> 31;
    return bits & 0x7FFFFFFFu;
}

/* Returns the significand of a magnitude, which is significand 2^(*exponent - 150). */
static uint32_t difference_significand(const gm_delta_tensor *t, uint32_t magnitude, uint32_t *exponent)
{
    *exponent = GM_DELTA_INTEGER;
    if (GM_WITH_INT8 && t->dtype != GM_DTYPE_F32) {
        return magnitude;
    }
    uint32_t stored = magnitude >> FRACTION_BITS;
    *exponent = stored != 0 ? stored : 1;
    return stored != 0 ? (magnitude & (LEADING_BIT - 1)) | LEADING_BIT : magnitude;
}

GM_COLD uint32_t gm_delta_exponent(const gm_delta_tensor *tensor, uint32_t bits)
{
    uint32_t largest = 0, exponent, ignored;
    for (uint32_t i = 0; i < tensor->n; ++i) {
        uint32_t magnitude = difference_magnitude(tensor, i, &ignored);
        largest = magnitude > largest ? magnitude : largest;
    }
    if (tensor->dtype == GM_DTYPE_F32 && largest >= DIFFERENCE_LIMIT) {
        return 0;
    }
    uint32_t significand = difference_significand(tensor, largest, &exponent), most = (1u << (bits - 1)) - 1;
    for (; significand > most; ++exponent) {
        significand = (significand >> 1) + (significand & 1);
    }
    return exponent;
}

GM_COLD gm_random gm_delta_random(const gm_federated_round *round)
{
    return gm_random_of(round->seed, round->number, DELTA_STREAM);
}

/* With r of 32 random bits, a significand that is divided by 2^shift is rounded up where its rest
 * and as many bits of r carry. */
GM_COLD int32_t gm_delta_code(const gm_delta_tensor *tensor, uint32_t i, uint32_t exponent, gm_random random)
{
    uint32_t is_negative, own, code;
    uint32_t significand = difference_significand(tensor, difference_magnitude(tensor, i, &is_negative), &own);
    uint32_t r = gm_random_at(random, tensor->first + i);
    uint32_t shift = exponent - own; /* no difference exceeds that of which the exponent was made */
    if (shift < 32) {
        uint32_t rest = significand & ((1u << shift) - 1);
        code = (significand >> shift) + ((rest + (r >> 1 >> (31 - shift))) >> shift);
    } else {
        code = shift < 64 && significand >> (shift - 32) > r;
    }
    return is_negative != 0 ? -(int32_t)code : (int32_t)code;
}

/* ---- The file -------------------------------------------------------------------------------- */

static const gm_state_entry *sent_parameters(const gm_session *session)
{
    return gm_section_data(session->header, GM_SECTION_STATE);
}

GM_COLD uint32_t gm_delta_size(const gm_session *session, uint32_t bits, const gm_delta_choice *choice)
{
    uint32_t size = gm_delta_codes_at(session), count = gm_parameter_count(session);
    for (uint32_t i = 0; i < count; ++i) {
        size += gm_delta_has(choice, i) ? gm_delta_codes_size(&sent_parameters(session)[i], bits) : 0;
    }
    return size;
}

GM_COLD uint32_t gm_base_crc(const gm_session *session, const uint8_t *base, const gm_delta_choice *choice)
{
    uint32_t crc = 0, count = gm_parameter_count(session);
    for (uint32_t i = 0; i < count; ++i) {
        const gm_state_entry *entry = &sent_parameters(session)[i];
        crc = gm_delta_has(choice, i) ? gm_crc32(crc, base + entry->offset, entry->size) : crc;
    }
    return crc;
}

/* The bytes of a file that are wanted, or its checksum. */
typedef struct delta_part {
    uint8_t *data;               /* NULL: the checksum is wanted */
    uint32_t from, to;
    uint32_t at;                 /* of the next byte */
    uint32_t crc;
} delta_part;

static void put_byte(delta_part *out, uint8_t byte)
{
    if (out->data == NULL) {
        out->crc = gm_crc32(out->crc, &byte, 1);
    } else if (out->at >= out->from && out->at < out->to) {
        out->data[out->at - out->from] = byte;
    }
    ++out->at;
}

/* Returns how many of the next `size` bytes lie in front of `end`. */
static uint32_t bytes_before(const delta_part *out, uint32_t end, uint32_t size)
{
    uint32_t before = end > out->at ? end - out->at : 0;
    return before < size ? before : size;
}

static int put_exponents(delta_part *out, const gm_session *session, const gm_federated_round *round,
                         const gm_delta_choice *choice)
{
    const uint8_t *base = gm_base_of(session, round);
    uint32_t count = gm_parameter_count(session), end = gm_delta_codes_at(session);
    if (out->from >= end) { /* the largest differences take time */
        out->at = end;
    }
    for (uint32_t i = 0; out->at < end; ++i) {
        uint32_t exponent = 0;
        if (i < count && gm_delta_has(choice, i)) {
            gm_delta_tensor tensor = gm_delta_tensor_of(session, base, &sent_parameters(session)[i]);
            exponent = gm_delta_exponent(&tensor, round->bits);
            if (exponent == 0) {
                return GM_ERR_NOT_FINITE;
            }
        }
        put_byte(out, (uint8_t)exponent);
    }
    return GM_OK;
}

/* Puts the wanted ones of the codes of a parameter. */
static int put_codes(delta_part *out, const gm_federated_round *round, const gm_delta_tensor *tensor, uint32_t size)
{
    uint32_t first = bytes_before(out, out->from, size), last = bytes_before(out, out->to, size);
    uint32_t bits = round->bits, in_byte = 8 / bits, mask = (1u << bits) - 1;
    uint32_t exponent = first < last ? gm_delta_exponent(tensor, bits) : 1;
    gm_random random = gm_delta_random(round);
    out->at += first;
    for (uint32_t byte = first; byte < last; ++byte) {
        uint32_t codes = 0;
        for (uint32_t k = 0, i = byte * in_byte; k < in_byte && i + k < tensor->n; ++k) {
            codes |= ((uint32_t)gm_delta_code(tensor, i + k, exponent, random) & mask) << k * bits;
        }
        put_byte(out, (uint8_t)codes);
    }
    out->at += size - last;
    return exponent != 0 ? GM_OK : GM_ERR_NOT_FINITE;
}

/* Puts what follows the header. */
static int put_body(delta_part *out, const gm_session *session, const gm_federated_round *round,
                    const gm_delta_choice *choice)
{
    const gm_state_entry *entry = sent_parameters(session);
    uint32_t count = gm_parameter_count(session);
    int status = put_exponents(out, session, round, choice);
    for (uint32_t i = 0; i < count && status == GM_OK; ++i, ++entry) {
        if (gm_delta_has(choice, i)) {
            gm_delta_tensor tensor = gm_delta_tensor_of(session, gm_base_of(session, round), entry);
            status = put_codes(out, round, &tensor, gm_delta_codes_size(entry, round->bits));
        }
    }
    return status;
}

static int put_header(delta_part *out, const gm_session *session, const gm_federated_round *round,
                      const gm_delta_choice *choice)
{
    gm_delta_header header = {.magic = GM_DELTA_MAGIC, .version = GM_DELTA_VERSION};
    header.size = gm_delta_size(session, round->bits, choice);
    memcpy(header.model_id, session->header->model_id, sizeof header.model_id);
    header.round = round->number;
    header.base_crc = gm_base_crc(session, gm_base_of(session, round), choice);
    header.bits = round->bits;
    header.seed = round->seed;
    const uint8_t *bytes = (const uint8_t *)&header;
    delta_part all = {NULL, 0, UINT32_MAX, sizeof header,
                      gm_crc32(0, bytes + DELTA_CRC_START, sizeof header - DELTA_CRC_START)};
    int status = put_body(&all, session, round, choice);
    header.crc = all.crc;
    for (uint32_t i = 0; i < sizeof header; ++i) {
        put_byte(out, bytes[i]);
    }
    return status;
}

/* ---- Public ---------------------------------------------------------------------------------- */

uint32_t gm_round_delta_size(const gm_session *session, const gm_federated_round *round)
{
    if (session == NULL || session->header == NULL || round == NULL || !gm_delta_has_bits(round->bits)) {
        return 0;
    }
    gm_delta_choice choice = {NULL, round->shared};
    return gm_delta_size(session, round->bits, &choice);
}

GM_COLD int gm_round_delta_part(const gm_session *session, const gm_federated_round *round, uint32_t offset, void *data,
                                uint32_t size)
{
    int status = gm_idle(session);
    if (status != GM_OK) {
        return status;
    }
    uint32_t total = gm_round_delta_size(session, round);
    if (data == NULL || total == 0 || offset > total || size > total - offset) {
        return GM_ERR_INVALID_ARGUMENT;
    }
    gm_delta_choice choice = {NULL, round->shared};
    delta_part out = {data, offset, offset + size, 0, 0};
    if (offset < sizeof(gm_delta_header)) { /* the header's checksum covers the whole file */
        status = put_header(&out, session, round, &choice);
    }
    out.at = sizeof(gm_delta_header);
    return status == GM_OK ? put_body(&out, session, round, &choice) : status;
}
