/* The base of the next round, as a checked delta and the base of this one say it. */
#ifndef GM_NEW_BASE_H
#define GM_NEW_BASE_H

#include "delta.h"

/* Writes bytes [at, at + size) of all parameters as they are in the new base, for an `at` behind that
 * of the call before; both are multiples of 4. Parameters that the delta lacks are as they are now.
 * w: begun on a checked delta; is_sound becomes 0 where a number of float32 comes to 2^60 or more, or
 * is NaN. keep: 1 adds what the codes of this device lost. out: NULL only tries. */
void gm_new_base_part(gm_delta_walk *w, int keep, uint32_t at, uint32_t *out, uint32_t size);

#endif
