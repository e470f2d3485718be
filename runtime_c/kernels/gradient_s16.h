/*
 * Gradients of 16 bits: one tensor's numbers are q 2^exponent, |q| at most the limit of the
 * instruction that makes it. The compiler chooses the limit so that no int32 sum of a reader can
 * overflow.
 *
 * Beside the numbers stand two words: the exponent, and the magnitude, which is floor(log2) of the
 * largest number as it was before rounding. All arithmetic is that of both profiles.
 */
#ifndef GM_GRADIENT_S16_H
#define GM_GRADIENT_S16_H

#include "../src/gm_internal.h"
#include "../src/numerics.h"
#include "quantized.h"

/* Exponents are kept in this range, and the magnitude of a tensor of zeros is below all others. */
#define GM_LEAST_EXPONENT (-96)
#define GM_MOST_EXPONENT 8
#define GM_ZERO_MAGNITUDE (-1000)

typedef struct gm_exponent {
    int32_t exponent, magnitude;
} gm_exponent;

static inline int32_t gm_bounded(int32_t x, int32_t least, int32_t most)
{
    return x < least ? least : x > most ? most : x;
}

/* Returns the words beside a gradient that is read. Their bytes may be anything. */
static inline gm_exponent gm_exponent_of(const gm_session *session, uint32_t operand)
{
    const int32_t *words = gm_i32(session, operand);
    return (gm_exponent){gm_bounded(words[0], GM_LEAST_EXPONENT, GM_MOST_EXPONENT),
                         gm_bounded(words[1], GM_ZERO_MAGNITUDE, 128)};
}

/* Returns floor(log2) of a number by the bits of its absolute value. */
static inline int32_t gm_magnitude_of(uint32_t bits)
{
    return bits == 0 ? GM_ZERO_MAGNITUDE : (int32_t)(bits >> 23) - 127;
}

/* A gradient while it is made. */
typedef struct gm_gradient_s16 {
    float inverse;    /* 2^-exponent */
    float limit;
    uint32_t largest; /* the bits of the largest absolute value seen */
} gm_gradient_s16;

/* Sees a number without writing it. */
static inline void gm_see(gm_gradient_s16 *made, float value)
{
    uint32_t bits = gm_bits_of(value) & 0x7fffffffu;
    made->largest = bits > made->largest ? bits : made->largest;
}

/* Sees a number and returns it in units of 2^exponent: rounded to nearest even, and at most the
 * limit, which is an integer, so that clamping first gives the same. */
static inline int16_t gm_to_s16(gm_gradient_s16 *made, float value)
{
    gm_see(made, value);
    float q = value * made->inverse;
    q = q < made->limit ? q : made->limit;
    q = q > -made->limit ? q : -made->limit;
    return (int16_t)(int32_t)(gm_bits_of(q + 0x1.8p23f) - gm_bits_of(0x1.8p23f));
}

/* Sees number i, and writes it where there is a tensor to write to. */
static inline void gm_make(gm_gradient_s16 *made, int16_t *to, uint32_t i, float value)
{
    if (to != NULL) {
        to[i] = gm_to_s16(made, value);
    } else {
        gm_see(made, value);
    }
}

/* Chooses the exponent under which numbers below 2^(magnitude + 1 + room) keep the limit. Returns
 * it; `made` has seen nothing then. */
int32_t gm_choose_exponent(gm_gradient_s16 *made, int32_t magnitude, int32_t room, int32_t limit);

/* Writes the words beside a gradient that has been made under this exponent. */
void gm_write_exponent(const gm_session *session, uint32_t operand, int32_t exponent, const gm_gradient_s16 *made);

#endif
