/* The base of the next round, as a checked delta and the base of this one say it. */
#ifndef GM_NEW_BASE_H
#define GM_NEW_BASE_H

#include "gradmote.h"

/* Writes bytes [at, at + size) of all parameters as they are in the new base; both are multiples of
 * 4. Parameters that the delta lacks are as they are now. keep: 1 adds what the codes of this
 * device lost. The delta was checked. Returns 0 where a number of float32 comes to 2^60 or more, or
 * is NaN. */
int gm_new_base_part(const gm_session *session, const gm_federated_round *round, const uint8_t *delta, int keep,
                     uint32_t at, uint8_t *out, uint32_t size);

#endif
