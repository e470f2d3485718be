/* bfloat16 moments, the upper 16 bits of a float32: read exactly, and rounded at random. */
#ifndef GM_SHORT_MOMENTS_H
#define GM_SHORT_MOMENTS_H

#include "../../src/gm_internal.h"
#include "../../src/random.h"

/* The moments of adjacent parameters. */
typedef struct gm_short_moments {
    uint16_t *slot1, *slot2;     /* slot2: NULL if the rule has one moment */
    gm_random random;
    uint32_t word;               /* the index of slot1[0]'s random word; the others follow it */
} gm_short_moments;

/* Reads the moments into m[n] and v[n]. Leaves v unchanged if the rule has one moment. */
void gm_read_short_moments(const gm_short_moments *from, float *m, float *v, uint32_t n);

/* Stores m[n] and v[n]. The low half of each random word rounds a first moment, and the high
 * half a second one. */
void gm_keep_short_moments(const gm_short_moments *to, const float *m, const float *v, uint32_t n);

#endif
