/* Checks that training may continue from a state (docs/NUMERICS.md, "Finite state"). */
#ifndef GM_SOUND_STATE_H
#define GM_SOUND_STATE_H

#include "gradmote.h"

/* Bits of session->proven. Loading a state clears both; setting a learning rate clears the
 * second. */
#define GM_PROVEN_STATE 1u
#define GM_PROVEN_RATE 2u
#define GM_PROVEN (GM_PROVEN_STATE | GM_PROVEN_RATE)

/* Checks state and learning rate before the first instruction of a program that updates.
 * Returns GM_ERR_NOT_FINITE if the program's rules guarantee a finite state, but not from this
 * state or at this rate; otherwise GM_OK. */
int gm_prove(gm_session *session);

#endif
