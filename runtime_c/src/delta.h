/*
 * Quantized deltas (docs/SPEC.md, "Delta"): what writing one and reading one share.
 *
 * A number of a delta is code 2^(exponent - 150), with one exponent for each parameter. 2^-149 is the
 * smallest float32, and the difference of two integers has the exponent 150.
 */
#ifndef GM_DELTA_H
#define GM_DELTA_H

#include "image.h"
#include "random.h"

#define GM_DELTA_INTEGER 150u    /* the exponent under which a code is an integer */

/* A parameter: its elements now, and in the base. */
typedef struct gm_delta_tensor {
    const uint8_t *now;
    const uint8_t *base;
    uint32_t dtype;
    uint32_t n;                  /* elements */
    uint32_t first;              /* the index of its first element, for random numbers */
} gm_delta_tensor;

/* Which parameters a delta has: those with an exponent other than 0, or where `exponents` is NULL
 * those whose bit of `shared` is set. All of them where that is NULL too. */
typedef struct gm_delta_choice {
    const uint8_t *exponents;
    const uint8_t *shared;
} gm_delta_choice;

static inline int gm_delta_has(const gm_delta_choice *choice, uint32_t index)
{
    if (choice->exponents != NULL) {
        return choice->exponents[index] != 0;
    }
    return choice->shared == NULL || (choice->shared[index / 8] >> index % 8 & 1) != 0;
}

/* Returns the bytes in front of the codes: header, and exponents padded to a word. */
static inline uint32_t gm_delta_codes_at(const gm_session *session)
{
    return (uint32_t)sizeof(gm_delta_header) + (gm_parameter_count(session) + 3) / 4 * 4;
}

/* Returns the bytes of a parameter's codes. */
static inline uint32_t gm_delta_codes_size(const gm_state_entry *entry, uint32_t bits)
{
    uint32_t in_byte = 8 / bits;
    return (entry->size / gm_element_size(entry->dtype) + in_byte - 1) / in_byte;
}

static inline int gm_delta_has_bits(uint32_t bits)
{
    return bits == 2 || bits == 4 || bits == 8;
}

/* Returns the round's base, which has the form of all parameters. */
static inline const uint8_t *gm_base_of(const gm_session *session, const gm_federated_round *round)
{
    const void *initial = gm_section_data(session->header, GM_SECTION_INITIAL);
    return round->base != NULL ? round->base : initial;
}

static inline gm_delta_tensor gm_delta_tensor_of(const gm_session *session, const uint8_t *base,
                                                 const gm_state_entry *entry)
{
    gm_delta_tensor tensor = {session->arena + entry->offset, base + entry->offset, entry->dtype,
                              entry->size / gm_element_size(entry->dtype), entry->offset};
    return tensor;
}

/* Returns element i of integers. */
int32_t gm_integer_at(const uint8_t *data, uint32_t dtype, uint32_t i);

/* Returns the bytes of a delta of these parameters. */
uint32_t gm_delta_size(const gm_session *session, uint32_t bits, const gm_delta_choice *choice);

/* Returns the CRC-32 of the base's elements of these parameters. */
uint32_t gm_base_crc(const gm_session *session, const uint8_t *base, const gm_delta_choice *choice);

/* Returns the exponent of a parameter's delta: the least under which the largest difference fits a
 * code. It is never 0, but where a difference is NaN or 2^61 and more. */
uint32_t gm_delta_exponent(const gm_delta_tensor *tensor, uint32_t bits);

/* Returns the random numbers of a round's codes. */
gm_random gm_delta_random(const gm_federated_round *round);

/* Returns the code of element i, rounded to one of its two neighbours at random. exponent: what
 * gm_delta_exponent() returned. */
int32_t gm_delta_code(const gm_delta_tensor *tensor, uint32_t i, uint32_t exponent, gm_random random);

#endif
