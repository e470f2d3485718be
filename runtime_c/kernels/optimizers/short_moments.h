/* Moments of bfloat16, the upper 16 bits of a float32: read exactly, and rounded at random. */
#ifndef GM_SHORT_MOMENTS_H
#define GM_SHORT_MOMENTS_H

#include "../../src/gm_internal.h"
#include "../../src/random.h"

/* The moments of neighbouring parameters. */
typedef struct gm_short_moments {
    uint16_t *slot1, *slot2;     /* slot2: NULL where the rule has one moment */
    gm_random random;
    uint32_t word;               /* the number of slot1[0]'s random word; the others follow it */
} gm_short_moments;

/* m[n] and v[n] become the moments. v stays as it is where the rule has one. */
void gm_read_short_moments(const gm_short_moments *from, float *m, float *v, uint32_t n);

/* Keeps m[n] and v[n]. Of each random word, the low half rounds a first moment, and the high half a
 * second one. */
void gm_keep_short_moments(const gm_short_moments *to, const float *m, const float *v, uint32_t n);

#endif
