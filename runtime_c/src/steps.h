/* Runs whole programs in one call. */
#ifndef GM_STEPS_H
#define GM_STEPS_H

#include "gradmote.h"

/* Runs the current program to its end, and returns the last result of gm_run(). */
int gm_run_to_end(gm_session *session);

#endif
