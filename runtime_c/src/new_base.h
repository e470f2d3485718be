/* Computes the base of the next round from this one and a checked delta. */
#ifndef GM_NEW_BASE_H
#define GM_NEW_BASE_H

#include "delta.h"

/* Begins a walk after gm_delta_set(), and does all that gm_round_check() does. */
int gm_new_base_check(gm_delta_walk *w, size_t size);

/* Computes all parameters of the new base, word by word, and passes each word to w->put(). If that
 * does not return GM_OK, stops and returns its result. Parameters that are not in the delta keep
 * their current values.
 * w: after gm_new_base_check(), with put and keep set. is_sound becomes 0 if a float32 is NaN or at
 * least 2^60. */
int gm_new_base_make(gm_delta_walk *w);

#endif
