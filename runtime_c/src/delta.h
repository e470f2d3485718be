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

/* A walk over the parameters of an image. */
typedef struct gm_delta_walk {
    const gm_session *session;
    const gm_federated_round *round;
    const uint8_t *delta;        /* the file that is read; NULL: one is written */
    const gm_state_entry *entries; /* of all parameters */
    const uint8_t *bases;        /* their elements in the round's base */
    uint32_t bits;               /* of a code */
    uint32_t radix;              /* values of a code. Codes of "2 bits" are -1, 0 and 1. */
    uint32_t digits;             /* codes in a byte: the digits of a number to the base of the radix */
    gm_random random;            /* of the codes that this device makes */
    int is_sound;                /* 0: a number that was met is none for a delta, or for a parameter */
    uint32_t count;              /* parameters of the image */
    uint32_t codes_at;           /* bytes in front of all codes */
    uint32_t next;               /* the index of the parameter that is looked at next */
    /* The parameter that the walk has come to. */
    const gm_state_entry *entry;
    uint8_t *now;                /* its elements */
    const uint8_t *base;         /* the same in the round's base */
    uint32_t n;                  /* how many there are */
    uint32_t is_sent;            /* not 0: the delta has it. In a file that is read, it is the exponent. */
    uint32_t from, to;           /* its codes: offsets in the file. At the end `from` is the file's size. */
    uint32_t exponent;           /* of what this device sends of it; 0: not found, or there is none */
    /* What gm_new_base_make() does. */
    uint32_t keep;               /* not 0: it adds what the codes of this device lost */
    int (*put)(void *user, uint32_t *place, uint32_t word); /* takes a word, and where the session has it; or NULL */
    void *user;
} gm_delta_walk;

static inline int gm_delta_has_bits(uint32_t bits)
{
    return bits == 2 || bits == 4 || bits == 8;
}

/* Returns whether the elements of the parameter are of float32. */
static inline int gm_delta_is_float(const gm_delta_walk *w)
{
    return !GM_WITH_INT8 || w->entry->dtype == GM_DTYPE_F32;
}

/* Says what a walk goes over. delta: the file that is read; NULL: one is written as the round says. */
static inline void gm_delta_set(gm_delta_walk *w, const gm_session *session, const gm_federated_round *round,
                                const void *delta)
{
    w->session = session;
    w->round = round;
    w->delta = delta;
}

/* Begins a walk for which gm_delta_set() was called. Returns 0 where no code has that many bits. A file
 * that is read has a header, and no parameter is gone to before its size is known to have all exponents. */
int gm_delta_begin(gm_delta_walk *w);

/* Goes to the next parameter. Behind the last one it returns 0, and the walk begins again. */
int gm_delta_next(gm_delta_walk *w);

/* Goes to the end. Returns the CRC-32 of the base's elements of the parameters that the delta has. */
uint32_t gm_delta_base_crc(gm_delta_walk *w);

/* Returns element i of the parameter's integers, modulo 2^32. elements: w->now or w->base. */
uint32_t gm_delta_integer(const gm_delta_walk *w, const uint8_t *elements, uint32_t i);

/* Finds the exponent of what this device sends of the parameter: the least under which the largest
 * difference fits a code. Where a difference is NaN or 2^61 and more, it is 0, and w->is_sound too. */
void gm_delta_find_exponent(gm_delta_walk *w);

/* Returns the code of element i under that exponent, rounded to one of its two neighbours at random. */
int32_t gm_delta_code(const gm_delta_walk *w, uint32_t i);

#endif
