/*
 * 16-bit gradients: a tensor's values are q 2^exponent, with |q| at most the limit of the
 * instruction that makes it. The compiler chooses the limit so that no int32 sum of a
 * reader can overflow.
 *
 * Two words accompany the values: the exponent, and the magnitude, which is floor(log2) of the
 * largest absolute value before rounding. All arithmetic is the same in both profiles.
 */
#ifndef GM_GRADIENT_S16_H
#define GM_GRADIENT_S16_H

#include "../src/gm_internal.h"
#include "../src/numerics.h"
#include "quantized.h"

/* Exponents stay in this range; the magnitude of an all-zero tensor is below all others. */
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

/* Returns the two words of a gradient that a kernel reads. Their bytes may be anything. */
static inline gm_exponent gm_exponent_of(const gm_session *session, uint32_t operand)
{
    const int32_t *words = gm_i32(session, operand);
    return (gm_exponent){gm_bounded(words[0], GM_LEAST_EXPONENT, GM_MOST_EXPONENT),
                         gm_bounded(words[1], GM_ZERO_MAGNITUDE, 128)};
}

/* Returns floor(log2) of a value from the bits of its absolute value. */
static inline int32_t gm_magnitude_of(uint32_t bits)
{
    return bits == 0 ? GM_ZERO_MAGNITUDE : (int32_t)(bits >> 23) - 127;
}

/* A gradient in the making. */
typedef struct gm_gradient_s16 {
    float inverse;    /* 2^-exponent */
    float limit;
    uint32_t largest; /* the bits of the largest absolute value seen */
} gm_gradient_s16;

/* Takes a value into account without writing it. */
static inline void gm_see(gm_gradient_s16 *made, float value)
{
    uint32_t bits = gm_bits_of(value) & 0x7fffffffu;
    made->largest = bits > made->largest ? bits : made->largest;
}

/* Takes a value into account, and returns it in units of 2^exponent, rounded to nearest
 * even and saturated at the limit. The limit is an integer, so clamping before rounding
 * gives the same result. */
static inline int16_t gm_to_s16(gm_gradient_s16 *made, float value)
{
    gm_see(made, value);
    float q = value * made->inverse;
    q = q < made->limit ? q : made->limit;
    q = q > -made->limit ? q : -made->limit;
    return (int16_t)(int32_t)(gm_bits_of(q + 0x1.8p23f) - gm_bits_of(0x1.8p23f));
}

/* Takes value i into account, and writes it unless `to` is NULL. */
static inline void gm_make(gm_gradient_s16 *made, int16_t *to, uint32_t i, float value)
{
    if (to != NULL) {
        to[i] = gm_to_s16(made, value);
    } else {
        gm_see(made, value);
    }
}

/* Chooses the exponent under which values below 2^(magnitude + 1 + room) stay within the limit.
 * Returns it, and resets `made`. */
int32_t gm_choose_exponent(gm_gradient_s16 *made, int32_t magnitude, int32_t room, int32_t limit);

/* Writes the two words of a gradient made under this exponent. */
void gm_write_exponent(const gm_session *session, uint32_t operand, int32_t exponent, const gm_gradient_s16 *made);

#endif
