/*
 * Quantized deltas (docs/SPEC.md, "Delta"): what writing and reading them share.
 *
 * A number in a delta is code 2^(exponent - 150), with one exponent per parameter. 2^-149 is the
 * smallest float32; differences of integers have exponents from 150.
 */
#ifndef GM_DELTA_H
#define GM_DELTA_H

#include "image.h"
#include "random.h"

#define GM_DELTA_INTEGER 150u    /* with this exponent a code is an integer */
#define GM_DELTA_STREAM \
    UINT32_C(0xFFFFFFFD) /* of the random numbers; dropout uses those from 0 on, the sample store 2^32 - 2 */
#define GM_DELTA_CRC_START 16u   /* the checksum leaves out magic, version, size and itself */

/* A walk over the parameters of an image. */
typedef struct gm_delta_walk {
    const gm_session *session;
    const gm_federated_round *round;
    const uint8_t *delta;        /* the file to read; NULL: write one */
    const gm_state_entry *entries; /* of all parameters */
    const uint8_t *bases;        /* their elements in the round's base */
    uint32_t bits;               /* per code */
    uint32_t radix;              /* number of values of a code. "2 bits" means -1, 0 and 1. */
    uint32_t digits;             /* codes in a byte, the digits of a number in base `radix` */
    gm_random random;            /* for rounding this device's codes */
    int is_sound;                /* 0: the walk has met a number that cannot be in a delta or a parameter */
    uint32_t count;              /* parameters of the image */
    uint32_t codes_at;           /* bytes before the first code */
    uint32_t next;               /* index of the parameter to visit next */
    /* The current parameter. */
    const gm_state_entry *entry;
    uint8_t *now;                /* its elements */
    const uint8_t *base;         /* its elements in the round's base */
    uint32_t n;                  /* number of elements */
    uint32_t is_sent;            /* not 0: it is in the delta. When reading a file, this is its exponent. */
    uint32_t from, to;           /* its codes: offsets in the file. At the end `from` is the file's size. */
    uint32_t exponent;           /* of this device's own delta; 0: not computed yet, or none */
    /* For gm_new_base_make(). */
    uint32_t keep;               /* not 0: add what this device's codes lost to rounding */
    int (*put)(void *user, uint32_t *place, uint32_t word); /* takes a word and its address in the session; or NULL */
    void *user;
} gm_delta_walk;

static inline int gm_delta_has_bits(uint32_t bits)
{
    return bits == 2 || bits == 4 || bits == 8;
}

/* Returns whether the parameter is float32. */
static inline int gm_delta_is_float(const gm_delta_walk *w)
{
    return !GM_WITH_INT8 || w->entry->dtype == GM_DTYPE_F32;
}

/* Sets what a walk visits. delta: the file to read; NULL: write one as the round says. */
static inline void gm_delta_set(gm_delta_walk *w, const gm_session *session, const gm_federated_round *round,
                                const void *delta)
{
    w->session = session;
    w->round = round;
    w->delta = delta;
}

/* Begins a walk after gm_delta_set(). Returns 0 if no code has this number of bits. A file to read
 * must have a whole header. Before it visits a parameter, the walk checks that the file has all
 * exponents. */
int gm_delta_begin(gm_delta_walk *w);

/* Goes to the next parameter. Returns 0 after the last one, and restarts the walk. */
int gm_delta_next(gm_delta_walk *w);

/* Goes to the end. Returns the CRC-32 of the base's elements of the parameters in the delta. */
uint32_t gm_delta_base_crc(gm_delta_walk *w);

/* Returns integer element i of the parameter, modulo 2^32. elements: w->now or w->base. */
uint32_t gm_delta_integer(const gm_delta_walk *w, const uint8_t *elements, uint32_t i);

/* Finds the exponent for this device's delta of the parameter: the smallest with which the largest
 * difference fits a code. If a difference is NaN or at least 2^61, sets it and w->is_sound to 0. */
void gm_delta_find_exponent(gm_delta_walk *w);

/* Returns the code of element i with that exponent, rounded at random to one of its two
 * neighbours. */
int32_t gm_delta_code(const gm_delta_walk *w, uint32_t i);

#endif
