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
#define GM_DELTA_STREAM \
    UINT32_C(0xFFFFFFFD) /* of the random numbers; dropout has those from 0 on, the store 2^32 - 2 */
#define GM_DELTA_CRC_START 16u   /* the checksum leaves out magic, version, size and itself */

/* A walk over the parameters that a delta has. */
typedef struct gm_delta_walk {
    const gm_session *session;
    const gm_federated_round *round;
    const uint8_t *delta;        /* the file that is read; NULL: one is written */
    uint32_t bits;               /* of a code */
    uint32_t count;              /* parameters of the image */
    uint32_t codes_at;           /* bytes in front of all codes */
    uint32_t next;               /* the index of the parameter that is looked at next */
    gm_random random;            /* of the codes that this device makes */
    uint32_t stop;               /* bytes of all parameters up to the end of the one below */
    int is_sound;                /* 0: a number that was met is none for a delta, or for a parameter */
    /* The parameter that the walk has come to. */
    const gm_state_entry *entry;
    const uint8_t *now;          /* its elements */
    const uint8_t *base;         /* the same in the round's base */
    uint32_t n;                  /* how many there are */
    uint32_t from, to;           /* its codes: offsets in the file. At the end `to` is the file's size. */
    uint32_t exponent;           /* of what this device sends of it; 0: not found yet, or there is none */
} gm_delta_walk;

static inline int gm_delta_has_bits(uint32_t bits)
{
    return bits == 2 || bits == 4 || bits == 8;
}

/* Returns how many values a code has. Codes of "2 bits" are -1, 0 and 1. */
static inline uint32_t gm_delta_radix(uint32_t bits)
{
    return bits == 2 ? 3 : 1u << bits;
}

/* Returns how many codes a byte has: the digits of a number to the base of the radix. */
static inline uint32_t gm_delta_digits(uint32_t bits)
{
    return bits == 2 ? 5 : 8 / bits;
}

/* Returns whether the elements of the parameter are of float32. */
static inline int gm_delta_is_float(const gm_delta_walk *w)
{
    return !GM_WITH_INT8 || w->entry->dtype == GM_DTYPE_F32;
}

/* Begins a walk. delta: the file that is read, with a header whose bits are right; NULL: one is
 * written as the round says. */
void gm_delta_begin(gm_delta_walk *w, const gm_session *session, const gm_federated_round *round, const uint8_t *delta);

/* Begins again with the first parameter. */
void gm_delta_restart(gm_delta_walk *w);

/* Goes to the next parameter that the delta has. Returns 0 where there is none. */
int gm_delta_next(gm_delta_walk *w);

/* Goes to the end. Returns the CRC-32 of the base's elements of the parameters that the delta has. */
uint32_t gm_delta_base_crc(gm_delta_walk *w);

/* Returns element i of the parameter's integers, modulo 2^32. elements: w->now or w->base. */
uint32_t gm_delta_integer(const gm_delta_walk *w, const uint8_t *elements, uint32_t i);

/* Returns the exponent of the parameter's delta: the least under which the largest difference fits a
 * code. It is never 0, but where a difference is NaN or 2^61 and more. */
uint32_t gm_delta_exponent(const gm_delta_walk *w, uint32_t bits);

/* Returns the code of element i, rounded to one of its two neighbours at random. exponent: what
 * gm_delta_exponent() returned. */
int32_t gm_delta_code(const gm_delta_walk *w, uint32_t i, uint32_t exponent);

#endif
