/* The base of the next round, as a checked delta and the base of this one say it. */
#ifndef GM_NEW_BASE_H
#define GM_NEW_BASE_H

#include "delta.h"

/* Begins a walk for which gm_delta_set() was called, and does all that gm_round_check() does. */
int gm_new_base_check(gm_delta_walk *w, size_t size);

/* Makes all parameters of the new base, word by word, and gives each word to w->put(). It ends where that
 * returns another value than GM_OK, and returns it. Parameters that the delta lacks are as they are now.
 * w: after gm_new_base_check(), with put and keep as they are wanted; is_sound becomes 0 where a number of
 * float32 comes to 2^60 or more, or is NaN. */
int gm_new_base_make(gm_delta_walk *w);

#endif
